// SPDX-License-Identifier: Apache-2.0
//
// The NumPy arrays in which a pool returns its batches, and the error of a batch in which environments failed.
#pragma once

#include <pybind11/numpy.h>

#include <string>
#include <vector>

#include "envpool/core/pool/env_pool.h"

namespace envpool::python {

namespace py = pybind11;

// The exception EnvError.
py::object& env_error();

class OutputArrays {
 public:
  // kReceived: the rows of environments that were under way. kObserved: of idle ones.
  enum class Rows { kReceived, kObserved };

  // Selects the arrays of a batch by their names.
  void choose(const EnvPool& pool, const std::vector<std::string>& names);
  // Wraps the memory of a block in arrays. The block returns to the pool when the last array is freed. If this fails,
  // the batch can be received again.
  py::tuple make(EnvPool& pool, Batch batch, Rows rows);
  // Returns for each output the number of its array, its dtype, the shape of a row and whether it is per player.
  py::list describe(const EnvPool& pool) const;

 private:
  struct Output {
    int array;  // in the block's layout
    py::dtype dtype;
    std::vector<py::ssize_t> shape;  // [0] is the number of rows
  };
  std::vector<Output> outputs_;
};

}  // namespace envpool::python
