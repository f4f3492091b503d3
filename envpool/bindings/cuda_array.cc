// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/cuda_array.h"

#include <algorithm>
#include <utility>

#include "envpool/bindings/arguments.h"
#include "envpool/bindings/interpreter.h"

namespace envpool::cuda {

namespace {

struct Kind {
  abi::Dtype dtype;
  dlpack::DataType dlpack;
  i64 bytes;
  const char* typestr;  // of __cuda_array_interface__
  const char* name;
};

constexpr Kind kKinds[] = {
    {abi::kBool, {dlpack::kBool, 8, 1}, 1, "|b1", "bool"},
    {abi::kU8, {dlpack::kUint, 8, 1}, 1, "|u1", "uint8"},
    {abi::kI32, {dlpack::kInt, 32, 1}, 4, "<i4", "int32"},
    {abi::kI64, {dlpack::kInt, 64, 1}, 8, "<i8", "int64"},
    {abi::kF32, {dlpack::kFloat, 32, 1}, 4, "<f4", "float32"},
    {abi::kF64, {dlpack::kFloat, 64, 1}, 8, "<f8", "float64"},
};

const Kind& kind_of(abi::Dtype dtype) { return kKinds[dtype]; }

i64 elements_of(const std::vector<i64>& shape) {
  i64 count = 1;
  for (const i64 extent : shape) count *= extent;
  return count;
}

// Streams as Python's protocols number them: 1 is the legacy default stream, 2 that of the thread, others are handles.
constexpr i64 kNumberOfLegacy = 1, kNumberOfPerThread = 2, kNoOrder = -1;

Handle stream_of(i64 number) {
  return number == kNumberOfLegacy ? kLegacyStream : reinterpret_cast<Handle>(static_cast<std::uintptr_t>(number));
}

// The tensor of an array, which owns what it points to.
template <class Managed>
struct Exported {
  Managed managed{};
  std::vector<std::int64_t> shape, strides;
  std::shared_ptr<Block> block;
};

template <class Managed>
py::capsule capsule_of(std::unique_ptr<Exported<Managed>> exported, const char* name) {
  Managed* managed = &exported->managed;
  managed->context = exported.get();
  managed->deleter = [](Managed* done) { delete static_cast<Exported<Managed>*>(done->context); };
  PyObject* capsule = PyCapsule_New(managed, name, [](PyObject* unused) {
    // A capsule that was taken has another name, and belongs to whoever took it.
    const char* called = PyCapsule_GetName(unused);
    if (called == nullptr || std::string_view(called).starts_with("used_")) return;
    auto* left = static_cast<Managed*>(PyCapsule_GetPointer(unused, called));
    if (left != nullptr) left->deleter(left);
  });
  if (capsule == nullptr) throw py::error_already_set();
  static_cast<void>(exported.release());
  return py::reinterpret_steal<py::capsule>(capsule);
}

}  // namespace

void Stream::order(Handle first, Handle then) const {
  if (first == then) return;
  const Owned event = make_event(context);
  ENVPOOL_CUDA(driver(), record_event, event.get(), first);
  ENVPOOL_CUDA(driver(), wait_event, then, event.get(), 0);
}

DeviceArray::DeviceArray(std::shared_ptr<Block> block, Address data, abi::Dtype dtype, std::vector<i64> shape,
                         std::vector<i64> strides)
    : block_(std::move(block)), data_(data), dtype_(dtype), shape_(std::move(shape)), strides_(std::move(strides)) {}

py::tuple DeviceArray::shape() const {
  py::tuple out(shape_.size());
  for (size_t i = 0; i < shape_.size(); ++i) out[i] = py::int_(std::int64_t(shape_[i]));
  return out;
}

py::dtype DeviceArray::dtype() const { return python::numpy_dtype(dtype_); }

i64 DeviceArray::length() const {
  if (shape_.empty()) throw py::type_error("the array has no dimension, and so no length");
  return shape_[0];
}

i64 DeviceArray::bytes() const { return elements_of(shape_) * kind_of(dtype_).bytes; }

py::capsule DeviceArray::dlpack(const py::object& stream, const py::object& max_version, const py::object& dl_device,
                                const py::object& copy) const {
  if (!dl_device.is_none() && !dl_device.equal(dlpack_device())) {
    throw py::buffer_error("the array lies on " + device() + ", and is handed over there alone; numpy() copies it");
  }
  if (!copy.is_none() && copy.cast<bool>()) throw py::buffer_error("the array is handed over without a copy");
  const i64 which = stream.is_none() ? kNumberOfLegacy : stream.cast<std::int64_t>();
  if (which == 0 || which < kNoOrder) {
    throw py::value_error("stream: expected -1, 1, 2 or a stream's address, got " + std::to_string(which));
  }
  if (which != kNoOrder) {
    const Context::Current current(*block_->stream->context);
    const Handle reader = stream_of(which);
    block_->stream->lead(reader);
    std::vector<Handle>& readers = block_->readers;
    if (std::find(readers.begin(), readers.end(), reader) == readers.end()) readers.push_back(reader);
  }
  const auto fill = [&](auto& exported) {
    exported.shape.assign(shape_.begin(), shape_.end());
    exported.block = block_;
    for (const i64 stride : strides_) exported.strides.push_back(stride / kind_of(dtype_).bytes);
    if (contiguous()) {  // some readers want strides in any case
      exported.strides.assign(shape_.size(), 1);
      for (size_t i = shape_.size(); i-- > 1;) exported.strides[i - 1] = exported.strides[i] * exported.shape[i];
    }
    exported.managed.tensor = {reinterpret_cast<void*>(data_),
                               {dlpack::kCuda, std::int32_t(this->number())},
                               std::int32_t(shape_.size()),
                               kind_of(dtype_).dlpack,
                               exported.shape.data(),
                               exported.strides.data(),
                               0};
  };
  const bool versioned = !max_version.is_none() && max_version.cast<std::pair<int, int>>().first >= 1;
  if (versioned) {
    auto exported = std::make_unique<Exported<dlpack::ManagedVersioned>>();
    fill(*exported);
    exported->managed.version = dlpack::kVersion;
    return capsule_of(std::move(exported), "dltensor_versioned");
  }
  auto exported = std::make_unique<Exported<dlpack::Managed>>();
  fill(*exported);
  return capsule_of(std::move(exported), "dltensor");
}

py::dict DeviceArray::interface() const {
  py::dict out;
  out["version"] = 3;
  out["shape"] = shape();
  out["typestr"] = kind_of(dtype_).typestr;
  out["data"] = py::make_tuple(std::uint64_t(data_), false);
  if (contiguous()) {
    out["strides"] = py::none();
  } else {
    py::tuple strides(strides_.size());
    for (size_t i = 0; i < strides_.size(); ++i) strides[i] = py::int_(std::int64_t(strides_[i]));
    out["strides"] = strides;
  }
  out["stream"] = std::uint64_t(reinterpret_cast<std::uintptr_t>(block_->stream->handle()));
  return out;
}

py::array DeviceArray::numpy() const {
  const std::vector<py::ssize_t> shape(shape_.begin(), shape_.end());
  const i64 item = kind_of(dtype_).bytes;
  // Of rows that lie apart, all that lies between the first byte and the last is copied.
  i64 span = item;
  for (size_t i = 0; i < shape_.size(); ++i) span += strides_.empty() ? 0 : (shape_[i] - 1) * strides_[i];
  if (elements_of(shape_) == 0) return py::array(dtype(), shape);
  if (contiguous()) {
    py::array out(dtype(), shape);
    void* to = out.mutable_data();
    const python::Unlocked unlocked;
    const Context::Current current(*block_->stream->context);
    ENVPOOL_CUDA(block_->stream->driver(), download, to, data_, Size(bytes()), block_->stream->handle());
    block_->stream->synchronize();
    return out;
  }
  py::array_t<u8> all(span);
  {
    void* to = all.mutable_data();
    const python::Unlocked unlocked;
    const Context::Current current(*block_->stream->context);
    ENVPOOL_CUDA(block_->stream->driver(), download, to, data_, Size(span), block_->stream->handle());
    block_->stream->synchronize();
  }
  const std::vector<py::ssize_t> strides(strides_.begin(), strides_.end());
  return py::array(dtype(), shape, strides, all.data(), all).attr("copy")();
}

std::string DeviceArray::repr() const {
  std::vector<py::ssize_t> shape(shape_.begin(), shape_.end());
  return "<envpool array, shape " + python::shape_text(shape) + ", " + kind_of(dtype_).name + ", on " + device() + ">";
}

namespace {

[[noreturn]] void wrong_device(const std::string& name, const Stream& stream, i64 got) {
  throw py::value_error(name + ": expected an array on cuda:" + std::to_string(stream.context->number) +
                        ", got one on cuda:" + std::to_string(got));
}

// Takes the tensor out of an object's capsule.
template <class Managed>
void take(const py::object& capsule, const char* name, const char* used, const std::string& argument, Borrowed& out) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (managed == nullptr) throw py::error_already_set();
  const dlpack::Tensor& tensor = managed->tensor;
  const Kind* kind = nullptr;
  for (const Kind& each : kKinds) {
    const dlpack::DataType& have = each.dlpack;
    const bool same = have.code == tensor.dtype.code && have.bits == tensor.dtype.bits && tensor.dtype.lanes == 1;
    if (same) kind = &each;
  }
  if (kind == nullptr) {
    throw py::type_error(argument + ": expected bool, uint8, int32, int64, float32 or float64, got DLPack's dtype (" +
                         std::to_string(tensor.dtype.code) + ", " + std::to_string(tensor.dtype.bits) + ", " +
                         std::to_string(tensor.dtype.lanes) + ")");
  }
  out.dtype = kind->dtype;
  out.data = reinterpret_cast<Address>(tensor.data) + tensor.byte_offset;
  out.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  out.strides.assign(size_t(tensor.ndim), kind->bytes);
  for (size_t i = size_t(tensor.ndim); i-- > 0;) {
    if (tensor.strides != nullptr) {
      out.strides[i] = tensor.strides[i] * kind->bytes;
    } else if (i + 1 < size_t(tensor.ndim)) {
      out.strides[i] = out.strides[i + 1] * out.shape[i + 1];
    }
  }
  // Taken: from here on, the capsule that `owner` holds frees it.
  PyCapsule_SetName(capsule.ptr(), used);
  PyObject* owner = PyCapsule_New(managed, "envpool.borrowed", [](PyObject* held) {
    auto* done = static_cast<Managed*>(PyCapsule_GetPointer(held, "envpool.borrowed"));
    if (done != nullptr && done->deleter != nullptr) done->deleter(done);
  });
  if (owner == nullptr) {
    if (managed->deleter != nullptr) managed->deleter(managed);
    throw py::error_already_set();
  }
  out.owner = py::reinterpret_steal<py::object>(owner);
}

void borrow_interface(const py::object& object, const Stream& stream, const std::string& name, Borrowed& out) {
  const py::dict given = object.attr("__cuda_array_interface__");
  const std::string typestr = py::str(given["typestr"]);
  const Kind* kind = nullptr;
  for (const Kind& each : kKinds) {
    if (typestr.size() == 3 && typestr.substr(1) == std::string(each.typestr).substr(1) && typestr[0] != '>') {
      kind = &each;
    }
  }
  if (kind == nullptr) {
    throw py::type_error(name + ": expected bool, uint8, int32, int64, float32 or float64, got " + typestr);
  }
  out.owner = object;
  out.dtype = kind->dtype;
  out.data = py::tuple(given["data"])[0].cast<std::uint64_t>();
  for (const py::handle extent : py::tuple(given["shape"])) out.shape.push_back(extent.cast<std::int64_t>());
  out.strides.assign(out.shape.size(), kind->bytes);
  for (size_t i = out.shape.size(); i-- > 1;) out.strides[i - 1] = out.strides[i] * out.shape[i];
  if (given.contains("strides") && !given["strides"].is_none()) {
    size_t i = 0;
    for (const py::handle stride : py::tuple(given["strides"])) out.strides.at(i++) = stride.cast<std::int64_t>();
  }
  if (given.contains("stream") && !given["stream"].is_none()) {
    const Context::Current current(*stream.context);
    stream.follow(stream_of(given["stream"].cast<std::int64_t>()));
  }
}

}  // namespace

bool borrow(const py::object& object, const Stream& stream, const std::string& name, Borrowed& out) {
  if (py::hasattr(object, "__dlpack_device__") && py::hasattr(object, "__dlpack__")) {
    const py::tuple device = object.attr("__dlpack_device__")();
    const int type = py::int_(device[0]);
    const int number = device[1].cast<int>();
    if (type == dlpack::kCpu || type == dlpack::kCudaHost) return false;
    if (type != dlpack::kCuda && type != dlpack::kCudaManaged) {
      throw py::type_error(name +
                           ": expected an array on a CUDA device or on the host, got one on DLPack's device type " +
                           std::to_string(type));
    }
    if (number != stream.context->number) wrong_device(name, stream, number);
    const auto address = std::uint64_t(reinterpret_cast<std::uintptr_t>(stream.handle()));
    const py::object capsule = object.attr("__dlpack__")(py::arg("stream") = address);
    take<dlpack::Managed>(capsule, "dltensor", "used_dltensor", name, out);
    return true;
  }
  if (!py::hasattr(object, "__cuda_array_interface__")) return false;
  borrow_interface(object, stream, name, out);
  return true;
}

void bind_array(py::module_& module) {
  py::class_<DeviceArray>(module, "DeviceArray",
                          "An array on a GPU. torch.from_dlpack, jax.dlpack.from_dlpack, cupy.from_dlpack and whatever "
                          "knows __cuda_array_interface__ take it without a copy; numpy() copies it.")
      .def_property_readonly("shape", &DeviceArray::shape)
      .def_property_readonly("dtype", &DeviceArray::dtype)
      .def_property_readonly("device", &DeviceArray::device)
      .def("__len__", &DeviceArray::length)
      .def("__dlpack__", &DeviceArray::dlpack, py::kw_only(), py::arg("stream") = py::none(),
           py::arg("max_version") = py::none(), py::arg("dl_device") = py::none(), py::arg("copy") = py::none())
      .def("__dlpack_device__", &DeviceArray::dlpack_device)
      .def_property_readonly("__cuda_array_interface__", &DeviceArray::interface)
      .def("numpy", &DeviceArray::numpy, "A copy in the host's memory. Waits until the array is computed.")
      .def("__repr__", &DeviceArray::repr);
}

}  // namespace envpool::cuda
