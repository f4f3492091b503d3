// SPDX-License-Identifier: Apache-2.0
//
// The extension module envpool._core: plugins, their tables, and pools. It depends on no particular environment.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/bindings/constants.h"
#include "envpool/bindings/gpu/devices.h"
#include "envpool/bindings/gpu/pool.h"
#include "envpool/bindings/gpu/xla.h"
#include "envpool/bindings/jax/models.h"
#include "envpool/bindings/jax/pool.h"
#include "envpool/bindings/jax/pure.h"
#include "envpool/bindings/pool/live_pools.h"
#include "envpool/bindings/pool/pool.h"
#include "envpool/bindings/table.h"
#include "envpool/core/pool/env_pool.h"
#include "envpool/core/system/system.h"

namespace envpool::python {

// Loads a plugin and returns its tables. Plugins are never unloaded, because pools and arrays may outlive any owner
// that a plugin could have.
std::vector<PyTable> load_plugin(const std::string& path) {
  std::string why;
  void* library = open_library(path, why);
  if (library == nullptr) throw std::runtime_error("cannot load the plugin " + path + ": " + why);
  const auto entry = reinterpret_cast<abi::PluginEntry>(library_symbol(library, "envpool_plugin"));
  if (entry == nullptr) throw std::runtime_error(path + " is not an envpool plugin: it exports no envpool_plugin");
  const abi::Plugin& plugin = *entry();
  if (plugin.abi != ENVPOOL_ABI) {
    throw std::runtime_error(path + " was built for plugin interface " + std::to_string(plugin.abi) +
                             ", this envpool has " + std::to_string(ENVPOOL_ABI) + "; build it again");
  }
  std::vector<PyTable> tables;
  for (i32 i = 0; i < plugin.size; ++i) tables.emplace_back(*plugin.tables[i]);
  return tables;
}

// A Python object that keeps a model alive. Jitted code refers to the model by its number.
struct ModelReference {
  i64 number;
  xla::ObjectReference object;
};

// Creates a model for jitted code. Returns its reference, the size and the tag of a state row, and the parts of a state
// as JSON.
py::tuple add_pure_model(const PyTable& table, const std::string& label, const py::dict& options, i32 max_episode_steps,
                         const std::string& source, const std::vector<std::string>& includes, i32 threads, i32 envs) {
  const FloatModeGuard float_mode;
  const xla::ModelInfo info = xla::add_model(table.get(), label, PyTable::option_list(options), max_episode_steps,
                                             {source, includes, threads, envs});
  return py::make_tuple(ModelReference{info.model, info.reference}, std::int64_t(info.state_bytes),
                        std::int64_t(info.tag), info.view);
}

// Returns the handlers of a platform for JAX to register: for each name, a dict with a capsule for each stage.
py::dict xla_handlers(const std::string& platform) {
  if (platform != "cpu" && platform != "CUDA")
    throw py::value_error("platform: expected 'cpu' or 'CUDA', got " + platform);
  py::dict capsules;
  std::vector<std::vector<xla::Registration>> all{xla::cuda_handlers()};
  if (platform == "cpu") all = {xla::pure_handlers(), xla::pool_handlers()};
  for (const auto& handlers : all) {
    for (const auto& [name, execute, instantiate, initialize] : handlers) {
      py::dict stages;
      const auto add = [&](const char* stage, xla::Handler* address) {
        if (address != nullptr)
          stages[stage] = py::capsule(reinterpret_cast<void*>(address), "xla._CUSTOM_CALL_TARGET");
      };
      add("execute", execute);
      add("instantiate", instantiate);
      add("initialize", initialize);
      capsules[py::str(name)] = stages;
    }
  }
  return capsules;
}

// Calls a function of Python from a thread of XLA. Exceptions become std::runtime_error with their text.
template <class Result, class... Arguments>
Result call_python(const py::function& function, const Arguments&... arguments) {
  const PythonCall call;
  const py::gil_scoped_acquire locked;
  try {
    return function(arguments...).template cast<Result>();
  } catch (const py::error_already_set& error) {
    throw std::runtime_error(std::string(py::str(error.value())));
  }
}

// Sets the functions of envpool/jax/cuda.py that find the driver and compile programs. They are never freed, because
// XLA's threads may call them during exit.
void set_device_compiler(py::function library, py::function image) {
  auto* const held = new std::pair<py::function, py::function>(std::move(library), std::move(image));
  xla::set_device_compiler({[held] { return call_python<std::string>(held->first); },
                            [held](const std::string& label, const xla::DeviceProgram& program, int device) {
                              return call_python<std::string>(held->second, label, program.source, program.includes,
                                                              device);
                            }});
}

}  // namespace envpool::python

// Renames the entry point that pybind11 defines, which would deadlock in a subinterpreter. The entry point below
// refuses subinterpreters before it calls this one.
#define PyInit__core init_core
PYBIND11_MODULE(_core, m) {
  using namespace envpool;
  using namespace envpool::python;
  m.doc() = "The engine: plugins, their tables, and pools of environments.";

  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const TimedOut& error) {
      PyErr_SetString(PyExc_TimeoutError, error.what());
    } catch (const std::runtime_error&) {
      // When Python cannot allocate an object, pybind11 throws this exception and leaves the MemoryError set.
      if (PyErr_Occurred() == nullptr || PyErr_ExceptionMatches(PyExc_MemoryError) == 0) throw;
    }
  });

  LivePools::close_at_exit();
  PythonCall::end_at_exit();
  add_constants(m);
  m.def(
      "usable_memory", [] { return py::float_(usable_memory()); },
      "Returns how many more bytes of memory this process may use.");
  m.def(
      "usable_cpus", [] { return usable_cpus(); },
      "Returns the number of CPUs that this process may use, by its affinity mask and cgroup quota.");
  m.def(
      "refusal_of_code", [] { return refusal_of_code(); },
      "Returns why the system refuses executable memory; empty if it does not.");
  m.def("load_plugin", &load_plugin, py::arg("path"), "Loads a shared object and returns the tables it exports.");

  py::class_<ModelReference>(m, "ModelReference").def_property_readonly("number", [](const ModelReference& reference) {
    return std::int64_t(reference.number);
  });
  m.def("live_models", [] { return std::int64_t(xla::live_models()); });
  m.def("live_pool_entries", [] { return std::int64_t(xla::live_pool_entries()); });
  m.def("xla_handlers", &xla_handlers, py::arg("platform"),
        "XLA FFI handlers of portable environments and of pools, by name and stage.");
  m.def("set_device_compiler", &set_device_compiler, py::arg("library"), py::arg("image"));
  m.def("add_pure_model", &add_pure_model, py::arg("table"), py::arg("label"), py::arg("options"),
        py::arg("max_episode_steps"), py::arg("source"), py::arg("includes"), py::arg("threads"), py::arg("envs"),
        "Registers a model, to which jitted code refers by number.");

  py::class_<PyTable>(m, "Table")
      .def_property_readonly("name", &PyTable::name)
      .def_property_readonly("flags", &PyTable::flags)
      .def("describe", &PyTable::describe)
      .def("parts", &PyTable::parts)
      .def("spec", &PyTable::spec, py::arg("options"))
      .def("tunables", &PyTable::tunables, py::arg("options"))
      .def_property_readonly("device", &PyTable::device);

  bind_pool(m);
  cuda::bind_driver(m);
  cuda::bind_array(m);
  cuda::bind_pool(m);
}
#undef PyInit__core

extern "C" PYBIND11_EXPORT PyObject* PyInit__core() {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError,
                    "envpool cannot be imported in a subinterpreter: its pools belong to the main interpreter");
    return nullptr;
  }
  return init_core();
}
