// SPDX-License-Identifier: Apache-2.0
//
// Converts a pool's statistics, and their options, from and to Python.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>

#include "envpool/core/pool/env_pool.h"

namespace envpool::python {

namespace py = pybind11;

// Reads a dict with "episode_return", "obs_name", and the parameters of "obs" and "reward", which may be None.
StatisticsOptions statistics_options(const py::dict& options);

// Returns an array of a dict of statistics. Throws ValueError if it has another dtype or size.
py::array checked_statistics(const py::dict& values, const char* name, abi::Dtype dtype, i64 count,
                             const std::string& label);

// Returns copies of the arrays of a pool's statistics, by name.
py::dict statistics_of(EnvPool& pool);

// Replaces the arrays of a pool's statistics by those of a dict with the same names, dtypes and sizes.
void set_statistics(EnvPool& pool, const py::dict& values);

}  // namespace envpool::python
