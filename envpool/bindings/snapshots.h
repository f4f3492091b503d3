// SPDX-License-Identifier: Apache-2.0
//
// The snapshots that Python passes to a pool, and gets from it.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>
#include <vector>

#include "envpool/core/types.h"

namespace envpool::python {

namespace py = pybind11;

inline py::list list_of_bytes(const std::vector<std::string>& snapshots) {
  py::list list(snapshots.size());
  for (size_t k = 0; k < snapshots.size(); ++k) list[k] = py::bytes(snapshots[k]);
  return list;
}

// Returns the bytes of snapshots, which Python owns. Throws unless there is one for each of `count` environments.
inline std::vector<std::string_view> views_of(const std::vector<py::bytes>& states, i64 count,
                                              const std::string& label) {
  if (i64(states.size()) != count) {
    throw py::value_error("[" + label + "] states: expected " + std::to_string(count) + " states, got " +
                          std::to_string(states.size()));
  }
  return {states.begin(), states.end()};
}

}  // namespace envpool::python
