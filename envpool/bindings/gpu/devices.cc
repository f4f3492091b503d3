// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/devices.h"

#include <pybind11/stl.h>

#include <array>
#include <exception>
#include <string>
#include <tuple>
#include <utility>

#include "envpool/bindings/gpu/driver.h"

namespace py = pybind11;

namespace envpool::cuda {

namespace {

constexpr int kCapabilityMajor = 75, kCapabilityMinor = 76;  // CUdevice_attribute

int version(const Driver& driver) {
  int version = 0;
  ENVPOOL_CUDA(driver, driver_version, &version);
  return version;
}

void initialize(const Driver& driver) { ENVPOOL_CUDA(driver, initialize, 0); }

int device_count(const Driver& driver) {
  int count = 0;
  ENVPOOL_CUDA(driver, device_count, &count);
  return count;
}

// Returns a device's name, compute capability and bytes of memory.
std::tuple<std::string, std::pair<int, int>, u64> device_facts(const Driver& driver, int number) {
  int device = 0;
  ENVPOOL_CUDA(driver, device_get, &device, number);
  std::array<char, 256> name{};
  ENVPOOL_CUDA(driver, device_name, name.data(), int(name.size() - 1), device);
  std::pair<int, int> capability;
  ENVPOOL_CUDA(driver, device_attribute, &capability.first, kCapabilityMajor, device);
  ENVPOOL_CUDA(driver, device_attribute, &capability.second, kCapabilityMinor, device);
  Size bytes = 0;
  ENVPOOL_CUDA(driver, total_memory, &bytes, device);
  return {name.data(), capability, bytes};
}

// Returns the free and the total bytes of a device's memory.
std::pair<u64, u64> memory(const Driver& driver, int number) {
  const Context context(driver, number);
  const Context::Current current(context);  // if this fails, so does the next call
  Size free = 0, total = 0;
  ENVPOOL_CUDA(driver, memory_info, &free, &total);
  return {free, total};
}

void translate_cuda_error(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const CudaError& error) {
    const py::object type = py::module_::import("envpool.cuda.driver").attr("CudaError");
    PyErr_SetObject(type.ptr(), type(error.call, error.code, error.name, error.text).ptr());
  }
}

}  // namespace

void bind_driver(py::module_& module) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  py::register_exception_translator(translate_cuda_error);
  py::class_<Driver, std::unique_ptr<Driver, py::nodelete>>(module, "CudaDriver")
      .def(py::init([](const std::string& path) { return const_cast<Driver*>(&Driver::open(path)); }), py::arg("path"))
      .def_readonly("stand_in", &Driver::stand_in)
      .def("version", &version, Unlocked())
      .def("initialize", &initialize, Unlocked())
      .def("device_count", &device_count, Unlocked())
      .def("device_facts", &device_facts, py::arg("number"))
      .def("memory", &memory, py::arg("number"), Unlocked());
}

}  // namespace envpool::cuda
