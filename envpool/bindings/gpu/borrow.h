// SPDX-License-Identifier: Apache-2.0
//
// Imports the GPU arrays of other libraries that callers pass as actions.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "envpool/bindings/gpu/stream.h"
#include "envpool/core/table/vtable.h"

namespace envpool::cuda {

namespace py = pybind11;

struct BorrowedArray {
  py::object owner;  // keeps the memory alive
  Address data = 0;
  abi::Dtype dtype{};
  std::vector<i64> shape{}, strides{};  // strides in bytes
};

// Imports an array through DLPack or __cuda_array_interface__, and makes the stream wait for the work that computes it.
// Returns false if the object is not on a GPU. Throws ValueError if it is not on the stream's GPU, and TypeError if no
// environment accepts its dtype. `name` is the argument's name in messages.
bool borrow(const py::object& object, const Stream& stream, const std::string& name, BorrowedArray& out);

}  // namespace envpool::cuda
