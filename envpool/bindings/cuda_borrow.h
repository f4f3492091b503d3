// SPDX-License-Identifier: Apache-2.0
//
// Arrays of other libraries on a GPU, which callers pass as actions.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "envpool/bindings/cuda_stream.h"
#include "envpool/core/table/vtable.h"

namespace envpool::cuda {

namespace py = pybind11;

struct Borrowed {
  py::object owner;  // keeps the memory
  Address data = 0;
  abi::Dtype dtype{};
  std::vector<i64> shape{}, strides{};  // strides in bytes
};

// Takes an array through DLPack or __cuda_array_interface__, and orders the stream after what computes the array.
// Returns false if the object is not on a GPU. Throws what Python shall raise if it is on another GPU than the stream,
// or of a dtype that no environment takes. `name` is that of the argument, for messages.
bool borrow(const py::object& object, const Stream& stream, const std::string& name, Borrowed& out);

}  // namespace envpool::cuda
