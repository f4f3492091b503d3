// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace envpool::cuda {

// Binds NVIDIA's driver and what it says about its devices, for envpool/cuda/driver.py.
void bind_driver(pybind11::module_& module);

}  // namespace envpool::cuda
