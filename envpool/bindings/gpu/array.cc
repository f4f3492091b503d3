// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/array.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "envpool/bindings/arguments.h"
#include "envpool/bindings/interpreter.h"
#include "envpool/core/table/spec.h"

namespace envpool::cuda {

namespace {

constexpr i64 kNoOrder = -1;  // passed instead of a stream: the consumer synchronizes by itself

// An exported tensor with the storage that it points to.
template <class Managed>
struct Exported {
  Managed managed{};
  std::vector<std::int64_t> shape, strides;
  std::shared_ptr<DeviceBlock> block;
};

template <class Managed>
py::capsule capsule_of(std::unique_ptr<Exported<Managed>> exported, const char* name) {
  Managed* managed = &exported->managed;
  managed->context = exported.get();
  managed->deleter = [](Managed* done) { delete static_cast<Exported<Managed>*>(done->context); };
  PyObject* capsule = PyCapsule_New(managed, name, [](PyObject* unused) {
    // The consumer of a tensor renames the capsule and becomes responsible for the tensor.
    const char* name_now = PyCapsule_GetName(unused);
    if (name_now == nullptr || std::string_view(name_now).starts_with("used_")) return;
    auto* left = static_cast<Managed*>(PyCapsule_GetPointer(unused, name_now));
    if (left != nullptr) left->deleter(left);
  });
  if (capsule == nullptr) throw py::error_already_set();
  static_cast<void>(exported.release());
  return py::reinterpret_steal<py::capsule>(capsule);
}

}  // namespace

DeviceArray::DeviceArray(std::shared_ptr<DeviceBlock> block, Address data, Layout layout,
                         std::shared_ptr<const std::vector<i32>> values)
    : block_(std::move(block)), data_(data), layout_(std::move(layout)), values_(std::move(values)) {}

py::tuple DeviceArray::shape() const {
  py::tuple out(layout_.shape.size());
  for (size_t i = 0; i < layout_.shape.size(); ++i) out[i] = py::int_(std::int64_t(layout_.shape[i]));
  return out;
}

py::dtype DeviceArray::dtype() const { return python::numpy_dtype(layout_.dtype); }

i64 DeviceArray::length() const { return layout_.shape[0]; }

i64 DeviceArray::elements() const {
  i64 count = 1;
  for (const i64 extent : layout_.shape) count *= extent;
  return count;
}

std::vector<i64> DeviceArray::strides() const {
  std::vector<i64> strides(layout_.shape.size(), dtype_size(layout_.dtype));
  for (size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * layout_.shape[i];
  if (layout_.row_stride != 0) strides[0] = layout_.row_stride;
  return strides;
}

dlpack::Device DeviceArray::exported_device() const {
  if (block_->stream->driver().uses_host_memory()) return {dlpack::kCpu, 0};
  return {dlpack::kCuda, std::int32_t(number())};
}

py::capsule DeviceArray::dlpack(const py::object& stream, const py::object& max_version, const py::object& dl_device,
                                const py::object& copy) const {
  if (!dl_device.is_none() && !dl_device.equal(dlpack_device())) {
    throw py::buffer_error("dl_device: expected the device of this array, " + device() + ", got " +
                           py::repr(dl_device).cast<std::string>() + "; numpy() copies it to the host");
  }
  if (!copy.is_none() && copy.cast<bool>()) throw py::buffer_error("copy: expected None or False, got True");
  const bool to_cpu = exported_device().type == dlpack::kCpu && stream.is_none();
  const i64 which = stream.is_none() ? kNumberOfLegacyStream : stream.cast<std::int64_t>();
  if (which == 0 || which < kNoOrder) {
    throw py::value_error("stream: expected -1, 1, 2 or a stream's address, got " + std::to_string(which));
  }
  if (to_cpu) {  // a consumer on the CPU has no stream that could wait
    const Context::Current current(*block_->stream->context);
    block_->reclaim(*block_->stream);  // as in copied()
    const python::Unlocked unlocked;
    block_->stream->synchronize();
  } else if (which != kNoOrder) {
    block_->lend(stream_of(which));
  }
  const auto fill = [&](auto& exported) {
    exported.shape.assign(layout_.shape.begin(), layout_.shape.end());
    exported.block = block_;
    for (const i64 stride : strides()) exported.strides.push_back(stride / dtype_size(layout_.dtype));
    exported.managed.tensor = {reinterpret_cast<void*>(data_),
                               this->exported_device(),
                               std::int32_t(exported.shape.size()),
                               kElementTypes[layout_.dtype].dlpack,
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
  const Context::Current current(*block_->stream->context);
  block_->lend();
  py::dict out;
  out["version"] = 3;
  out["shape"] = shape();
  out["typestr"] = kElementTypes[layout_.dtype].typestr;
  out["data"] = py::make_tuple(std::uint64_t(data_), /*read_only=*/false);
  out["strides"] = py::none();
  if (layout_.row_stride != 0) {
    py::tuple each(layout_.shape.size());
    for (size_t i = 0; i < each.size(); ++i) each[i] = py::int_(std::int64_t(strides()[i]));
    out["strides"] = each;
  }
  out["stream"] = std::uint64_t(reinterpret_cast<std::uintptr_t>(block_->stream->handle()));
  return out;
}

i64 DeviceArray::span() const {
  i64 bytes = dtype_size(layout_.dtype);
  const std::vector<i64> apart = strides();
  for (size_t i = 0; i < apart.size(); ++i) bytes += (layout_.shape[i] - 1) * apart[i];
  return bytes;
}

py::array DeviceArray::copied() const {
  const std::vector<i64> apart = strides();
  const i64 span = this->span();
  py::array_t<u8> bytes(span);
  {
    void* to = bytes.mutable_data();
    const Context::Current current(*block_->stream->context);
    block_->reclaim(*block_->stream);  // another library or a graph may have written into the array
    const python::Unlocked unlocked;
    block_->stream->download(to, data_, span);
    block_->stream->synchronize();
  }
  return py::array(dtype(), std::vector<py::ssize_t>(layout_.shape.begin(), layout_.shape.end()),
                   std::vector<py::ssize_t>(apart.begin(), apart.end()), bytes.data(), bytes);
}

py::array DeviceArray::numpy() const {
  if (values_ != nullptr) return py::array_t<i32>(py::ssize_t(values_->size()), values_->data());
  if (elements() == 0) return py::array(dtype(), std::vector<py::ssize_t>(layout_.shape.begin(), layout_.shape.end()));
  const py::array all = copied();
  return layout_.row_stride == 0 ? all : py::array(all.attr("copy")());
}

void DeviceArray::assign(const py::object& values) const {
  if (elements() == 0) return;
  const py::array all = copied();
  py::module_::import("numpy").attr("copyto")(all, values);
  const i64 bytes = span();
  const void* from = all.data();
  const Context::Current current(*block_->stream->context);
  const python::Unlocked unlocked;
  block_->stream->upload(data_, from, bytes);
  block_->stream->synchronize();
}

std::string DeviceArray::repr() const {
  const std::vector<py::ssize_t> shape(layout_.shape.begin(), layout_.shape.end());
  return "<envpool array, shape " + python::shape_text(shape) + ", " + envpool::dtype_name(layout_.dtype) + ", on " +
         device() + ">";
}

void bind_array(py::module_& module) {
  py::class_<DeviceArray>(
      module, "DeviceArray",
      "An array on a GPU. torch.from_dlpack, jax.dlpack.from_dlpack, cupy.from_dlpack and "
      "libraries that support __cuda_array_interface__ import it without a copy; numpy() copies it.")
      .def_property_readonly("shape", &DeviceArray::shape)
      .def_property_readonly("dtype", &DeviceArray::dtype)
      .def_property_readonly("device", &DeviceArray::device)
      .def("__len__", &DeviceArray::length)
      .def("__dlpack__", &DeviceArray::dlpack, py::kw_only(), py::arg("stream") = py::none(),
           py::arg("max_version") = py::none(), py::arg("dl_device") = py::none(), py::arg("copy") = py::none())
      .def("__dlpack_device__", &DeviceArray::dlpack_device)
      .def_property_readonly("__cuda_array_interface__", &DeviceArray::interface)
      .def("assign", &DeviceArray::assign, py::arg("values"),
           "Copies values from the host into the array, broadcast and cast as np.copyto does. Waits for the copy.")
      .def("numpy", &DeviceArray::numpy, "Returns a copy in the host's memory. Waits until the array is computed.")
      .def("__repr__", &DeviceArray::repr);
}

}  // namespace envpool::cuda
