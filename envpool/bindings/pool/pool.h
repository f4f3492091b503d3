// SPDX-License-Identifier: Apache-2.0
//
// The Python class of pools on the CPU, and the exception with which an environment's failure is raised.
#pragma once

#include <pybind11/pybind11.h>

namespace envpool::python {

void bind_pool(pybind11::module_& module);

}  // namespace envpool::python
