// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/borrow.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "envpool/bindings/arguments.h"
#include "envpool/bindings/gpu/array.h"
#include "envpool/core/table/spec.h"

namespace envpool::cuda {

namespace {

[[noreturn]] void throw_wrong_device(const std::string& name, const Stream& stream, const std::string& got) {
  throw py::value_error(name + ": expected an array on cuda:" + std::to_string(stream.context->number) +
                        ", got one on " + got);
}
[[noreturn]] void throw_wrong_dtype(const std::string& name, const std::string& got) {
  throw py::type_error(name + ": expected bool, uint8, int32, int64, float32 or float64, got " + got);
}

// Sets the strides of a contiguous array.
void set_contiguous(BorrowedArray& out) {
  out.strides.assign(out.shape.size(), dtype_size(out.dtype));
  for (size_t i = out.shape.size(); i-- > 1;) out.strides[i - 1] = out.strides[i] * out.shape[i];
}

// Moves the tensor of a capsule to `out`, which becomes its owner.
template <class Managed>
void take(const py::object& capsule, const char* capsule_name, const char* used, const std::string& name,
          BorrowedArray& out) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), capsule_name));
  if (managed == nullptr) throw py::error_already_set();
  const dlpack::Tensor& tensor = managed->tensor;
  const auto* type = std::find_if(std::begin(kElementTypes), std::end(kElementTypes), [&](const ElementType& each) {
    return each.dlpack.code == tensor.dtype.code && each.dlpack.bits == tensor.dtype.bits && tensor.dtype.lanes == 1;
  });
  if (type == std::end(kElementTypes)) {
    throw_wrong_dtype(name, "DLPack's dtype (" + std::to_string(tensor.dtype.code) + ", " +
                                std::to_string(tensor.dtype.bits) + ", " + std::to_string(tensor.dtype.lanes) + ")");
  }
  out.dtype = type->dtype;
  out.data = reinterpret_cast<Address>(tensor.data) + tensor.byte_offset;
  out.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  set_contiguous(out);
  for (size_t i = 0; tensor.strides != nullptr && i < out.strides.size(); ++i) {
    out.strides[i] = tensor.strides[i] * dtype_size(out.dtype);
  }
  constexpr const char* kOurs = "envpool.borrowed";
  PyObject* owner = PyCapsule_New(managed, kOurs, [](PyObject* held) {
    auto* tensor = static_cast<Managed*>(PyCapsule_GetPointer(held, kOurs));
    if (tensor != nullptr && tensor->deleter != nullptr) tensor->deleter(tensor);
  });
  if (owner == nullptr) throw py::error_already_set();  // the original capsule still frees the tensor
  out.owner = py::reinterpret_steal<py::object>(owner);
  PyCapsule_SetName(capsule.ptr(), used);
}

void borrow_dlpack(const py::object& object, const Stream& stream, const std::string& name, BorrowedArray& out) {
  const auto address = std::uint64_t(reinterpret_cast<std::uintptr_t>(stream.handle()));
  const py::object give = object.attr("__dlpack__");
  py::object capsule;
  try {
    const auto version = py::make_tuple(dlpack::kVersion.major, dlpack::kVersion.minor);
    capsule = give(py::arg("stream") = address, py::arg("max_version") = version);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError)) throw;
    capsule = give(py::arg("stream") = address);  // the library implements DLPack before version 1
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
    take<dlpack::ManagedVersioned>(capsule, "dltensor_versioned", "used_dltensor_versioned", name, out);
  } else {
    take<dlpack::Managed>(capsule, "dltensor", "used_dltensor", name, out);
  }
}

// Checks that an address is on the stream's device, because __cuda_array_interface__ does not name the device.
void check_address(const Stream& stream, const std::string& name, Address address) {
  constexpr int kMemoryType = 2, kOrdinal = 9, kOnDevice = 2;
  unsigned kind = 0;
  int ordinal = 0;
  const Context::Current current(*stream.context);
  if (stream.driver().pointer_attribute(&kind, kMemoryType, address) != 0 || kind != kOnDevice) {
    throw_wrong_device(name, stream, "the host");
  }
  ENVPOOL_CUDA(stream.driver(), pointer_attribute, &ordinal, kOrdinal, address);
  if (ordinal != stream.context->number) throw_wrong_device(name, stream, "cuda:" + std::to_string(ordinal));
}

void borrow_interface(const py::object& object, const Stream& stream, const std::string& name, BorrowedArray& out) {
  const py::dict attribute = object.attr("__cuda_array_interface__");
  const std::string typestr = py::str(attribute["typestr"]);
  const auto* type = std::find_if(std::begin(kElementTypes), std::end(kElementTypes), [&](const ElementType& each) {
    return typestr.size() == 3 && typestr[0] != '>' && std::string_view(typestr).substr(1) == each.typestr + 1;
  });
  if (type == std::end(kElementTypes)) throw_wrong_dtype(name, typestr);
  out.owner = object;
  out.dtype = type->dtype;
  out.data = py::tuple(attribute["data"])[0].cast<std::uint64_t>();
  i64 elements = 1;
  for (const py::handle extent : py::tuple(attribute["shape"])) {
    out.shape.push_back(extent.cast<std::int64_t>());
    elements *= out.shape.back();
  }
  if (elements > 0) check_address(stream, name, out.data);
  set_contiguous(out);
  if (attribute.contains("strides") && !attribute["strides"].is_none()) {
    const py::tuple strides(attribute["strides"]);
    if (strides.size() != out.shape.size()) {
      throw py::value_error(name + ": expected a stride for each dimension in __cuda_array_interface__");
    }
    for (size_t i = 0; i < strides.size(); ++i) out.strides[i] = strides[i].cast<std::int64_t>();
  }
  if (attribute.contains("stream") && !attribute["stream"].is_none()) {
    const Context::Current current(*stream.context);
    stream.follow(stream_of(attribute["stream"].cast<std::int64_t>()));
  }
}

}  // namespace

bool borrow(const py::object& object, const Stream& stream, const std::string& name, BorrowedArray& out) {
  if (python::has_attribute(object, "__dlpack_device__") && python::has_attribute(object, "__dlpack__")) {
    const py::tuple device = object.attr("__dlpack_device__")();
    const int type = py::int_(device[0]);
    const int number = device[1].cast<int>();
    if (type == dlpack::kCpu && py::isinstance<DeviceArray>(object)) {  // only if device memory is the host's
      borrow_dlpack(object, stream, name, out);
      return true;
    }
    if (type == dlpack::kCpu || type == dlpack::kCudaHost) return false;
    if (type != dlpack::kCuda && type != dlpack::kCudaManaged) {
      throw_wrong_device(name, stream, "DLPack's device type " + std::to_string(type));
    }
    if (number != stream.context->number) throw_wrong_device(name, stream, "cuda:" + std::to_string(number));
    borrow_dlpack(object, stream, name, out);
    return true;
  }
  if (!python::has_attribute(object, "__cuda_array_interface__")) return false;
  borrow_interface(object, stream, name, out);
  return true;
}

}  // namespace envpool::cuda
