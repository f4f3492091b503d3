// SPDX-License-Identifier: Apache-2.0
//
// The arrays on a GPU that a pool returns. PyTorch, JAX and CuPy import them without a copy.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "envpool/bindings/gpu/dlpack.h"
#include "envpool/bindings/gpu/stream.h"
#include "envpool/core/table/vtable.h"

namespace envpool::cuda {

namespace py = pybind11;

// The names of a dtype in DLPack and in __cuda_array_interface__.
struct ElementType {
  abi::Dtype dtype;
  dlpack::DataType dlpack;
  const char* typestr;  // of __cuda_array_interface__
};
inline constexpr ElementType kElementTypes[] = {
    {abi::kBool, {dlpack::kBool, 8, 1}, "|b1"},  {abi::kU8, {dlpack::kUint, 8, 1}, "|u1"},
    {abi::kI32, {dlpack::kInt, 32, 1}, "<i4"},   {abi::kI64, {dlpack::kInt, 64, 1}, "<i8"},
    {abi::kF32, {dlpack::kFloat, 32, 1}, "<f4"}, {abi::kF64, {dlpack::kFloat, 64, 1}, "<f8"},
};

// In Python's protocols, stream 1 is the legacy default stream, 2 is the per-thread default stream, and any other
// number is a stream's handle. The driver accepts 2 as a handle too.
inline constexpr i64 kNumberOfLegacyStream = 1;
inline Handle stream_of(i64 number) {
  return number == kNumberOfLegacyStream ? kLegacyStream
                                         : reinterpret_cast<Handle>(static_cast<std::uintptr_t>(number));
}

// An array on a GPU, stored in a block.
class DeviceArray {
 public:
  struct Layout {
    abi::Dtype dtype;
    std::vector<i64> shape;
    i64 row_stride = 0;  // bytes from row to row; 0: rows are contiguous
  };
  // `values` are the contents of a one-dimensional int32 array, if the host knows them before the array is computed.
  DeviceArray(std::shared_ptr<DeviceBlock> block, Address data, Layout layout,
              std::shared_ptr<const std::vector<i32>> values = nullptr);

  py::tuple shape() const;
  py::dtype dtype() const;
  i64 length() const;
  std::string device() const { return "cuda:" + std::to_string(number()); }
  // The protocols by which other libraries import the array.
  py::tuple dlpack_device() const {
    const dlpack::Device device = exported_device();
    return py::make_tuple(int(device.type), device.id);
  }
  py::capsule dlpack(const py::object& stream, const py::object& max_version, const py::object& dl_device,
                     const py::object& copy) const;
  py::dict interface() const;
  // Returns a copy in the host's memory. Waits until the array is computed, unless the host knows its values.
  py::array numpy() const;
  // Copies values from the host into the array, broadcast and cast as np.copyto does, and waits for the copy.
  void assign(const py::object& values) const;
  std::string repr() const;
  const std::vector<i32>* values() const { return values_.get(); }

 private:
  int number() const { return block_->stream->context->number; }
  // Returns the device that DLPack names: the CPU if device memory is the host's.
  dlpack::Device exported_device() const;
  i64 elements() const;
  // Returns a copy of all bytes from the first to the last, as an array with the same strides. Waits for the copy.
  py::array copied() const;
  // Returns the number of bytes from the beginning of the first element to the end of the last.
  i64 span() const;
  // Returns the stride of each dimension in bytes.
  std::vector<i64> strides() const;

  std::shared_ptr<DeviceBlock> block_;
  Address data_;
  Layout layout_;
  std::shared_ptr<const std::vector<i32>> values_;
};

void bind_array(py::module_& module);

}  // namespace envpool::cuda
