// SPDX-License-Identifier: Apache-2.0
//
// Python bindings of pools on a GPU.
#include <pybind11/stl.h>

#include "envpool/bindings/gpu/pool.h"
#include "envpool/bindings/jax/pool.h"
#include "envpool/bindings/pool/statistics.h"
#include "envpool/bindings/table.h"

namespace envpool::cuda {

namespace {

std::unique_ptr<DevicePool> make_pool(const python::PyTable& table, const std::string& label,
                                      const std::vector<py::dict>& options, i32 num_envs, i32 batch_size,
                                      const py::array_t<u64>& seeds, const py::array_t<u32>& streams, i32 autoreset,
                                      const std::vector<i32>& max_episode_steps,
                                      const std::vector<std::string>& outputs, const std::string& library, i32 number,
                                      const py::bytes& image, i32 threads, i32 envs, bool in_place,
                                      const py::dict& statistics, const py::bytes& statistics_image) {
  EnvConfig config{.num_envs = num_envs,
                   .autoreset = abi::Autoreset(autoreset),
                   .max_episode_steps = max_episode_steps,
                   .seeds = {seeds.data(), seeds.data() + seeds.size()},
                   .streams = {streams.data(), streams.data() + streams.size()}};
  for (const py::dict& one : options) config.options.push_back(python::PyTable::option_list(one));
  const DeviceOptions on{label,           library,  image,
                         number,          threads,  envs,
                         batch_size,      in_place, python::statistics_options(statistics),
                         statistics_image};
  return std::make_unique<DevicePool>(table.get(), config, on, outputs);
}

// Does the same as PyPool::xla. `image` is the program of device_results.h, compiled for the device.
py::tuple xla_of(DevicePool& pool, const py::bytes& image) {
  std::shared_ptr<LockedPool> locked = pool.prepare_calls(image);
  if (pool.registration_reference == nullptr) {
    xla::PoolRegistration registration = xla::register_pool(std::move(locked), pool.label(), pool.device_name());
    pool.registered_number = registration.number;
    pool.registration_reference = std::move(registration.reference);
  }
  py::list outputs;
  for (const int index : pool.outputs()) {
    if (index < 0) {  // the array `done`, which the pool computes
      outputs.append(py::make_tuple(index, py::dtype::of<bool>(), py::tuple(), /*per_player=*/false));
      continue;
    }
    const Array& array = pool.block_layout().arrays[size_t(index)];
    py::list shape;
    for (const i64 extent : array.shape) shape.append(py::int_(std::int64_t(extent)));
    outputs.append(py::make_tuple(index, python::numpy_dtype(array.dtype), py::tuple(shape), array.per_player));
  }
  return py::make_tuple(py::bytes(xla::handle_of(pool.registered_number)), std::int64_t(pool.registered_number),
                        outputs);
}

}  // namespace

void bind_pool(py::module_& module) {
  py::class_<DevicePool>(module, "DevicePool")
      .def(py::init(&make_pool), py::kw_only(), py::arg("table"), py::arg("label"), py::arg("options"),
           py::arg("num_envs"), py::arg("batch_size"), py::arg("seeds"), py::arg("streams"), py::arg("autoreset"),
           py::arg("max_episode_steps"), py::arg("outputs"), py::arg("library"), py::arg("number"), py::arg("image"),
           py::arg("threads"), py::arg("envs"), py::arg("in_place"), py::arg("statistics"), py::arg("statistics_image"))
      .def("step", &DevicePool::step, py::arg("action"), py::arg("env_id") = py::none())
      .def("send", &DevicePool::send, py::arg("action"), py::arg("env_id") = py::none())
      .def("reset", &DevicePool::reset, py::arg("env_id") = py::none(), py::arg("seeds") = py::none(),
           py::arg("streams") = py::none())
      .def("reset_and_recv", &DevicePool::reset_and_recv, py::arg("env_id") = py::none(), py::arg("seeds") = py::none(),
           py::arg("streams") = py::none())
      .def("recv", &DevicePool::recv, py::arg("timeout") = -1.0)
      .def("abandon", &DevicePool::abandon)
      .def("discard", &DevicePool::discard)
      .def("snapshot", &DevicePool::snapshot, py::arg("env_ids"))
      .def("restore", &DevicePool::restore, py::arg("env_ids"), py::arg("states"))
      .def("clone", &DevicePool::clone, py::arg("sources"), py::arg("env_ids"), py::arg("seeds") = py::none(),
           py::arg("streams") = py::none())
      .def("read_states", &DevicePool::read_states, py::arg("env_ids"), py::arg("offset"), py::arg("bytes"),
           py::arg("call") = "states")
      .def("write_states", &DevicePool::write_states, py::arg("env_ids"), py::arg("offset"), py::arg("data"))
      .def("observe", &DevicePool::observe, py::arg("env_ids") = py::none())
      .def("players", &DevicePool::players, py::arg("env_ids") = py::none())
      .def("states", &DevicePool::states)
      .def("set_options", &DevicePool::set_options, py::arg("env_ids"), py::arg("names"), py::arg("values"),
           py::arg("call") = "set_options")
      .def("options", &DevicePool::options, py::arg("env_ids"))
      .def_property_readonly("has_params_of_each", &DevicePool::has_params_of_each)
      .def("use_params_of_each", &DevicePool::use_params_of_each, py::arg("image"))
      .def("statistics", &DevicePool::statistics)
      .def("set_statistics", &DevicePool::set_statistics, py::arg("values"))
      .def_property_readonly("updates_moments", &DevicePool::updates_moments)
      .def("set_updates_moments", &DevicePool::set_updates_moments, py::arg("value"))
      .def("render", &DevicePool::render, py::arg("env_ids") = py::none())
      .def("xla", &xla_of, py::arg("image"))
      .def("wait", &DevicePool::wait)
      .def("close", &DevicePool::close, py::arg("timeout") = 10.0)
      .def_property_readonly("closed", &DevicePool::closed)
      .def_property_readonly("under_way", &DevicePool::under_way)
      .def_property_readonly("num_threads", [](const DevicePool&) { return 1; })
      .def_property_readonly("batch_size", &DevicePool::batch_size);
}

}  // namespace envpool::cuda
