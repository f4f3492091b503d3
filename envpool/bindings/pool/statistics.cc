// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/pool/statistics.h"

#include <pybind11/numpy.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "envpool/bindings/arguments.h"

namespace envpool::python {

StatisticsOptions statistics_options(const py::dict& options) {
  const auto normalization = [&](const char* name) -> std::optional<Normalization> {
    if (options[name].is_none()) return {};
    const py::dict values = options[name];
    Normalization result{values["epsilon"].cast<f64>(), values["clip"].cast<f64>()};
    if (values.contains("gamma")) result.gamma = values["gamma"].cast<f64>();
    return result;
  };
  return {options["episode_return"].cast<bool>(), options["obs_name"].cast<std::string>(), normalization("obs"),
          normalization("reward")};
}

py::dict statistics_of(EnvPool& pool) {
  return pool.access_statistics([](Statistics& statistics) {
    py::dict arrays;
    for (const Statistics::Part& part : statistics.parts()) {
      arrays[part.name] = py::array(numpy_dtype(part.dtype), {py::ssize_t(part.count)}, part.data);
    }
    return arrays;
  });
}

py::array checked_statistics(const py::dict& values, const char* name, abi::Dtype dtype, i64 count,
                             const std::string& label) {
  const py::array array = values[name].cast<py::array>();
  const bool fits =
      array.dtype().equal(numpy_dtype(dtype)) && array.size() == count && (array.flags() & py::array::c_style) != 0;
  if (!fits) throw py::value_error("[" + label + "] statistics: expected another array for " + name);
  return array;
}

void set_statistics(EnvPool& pool, const py::dict& values) {
  pool.access_statistics([&](Statistics& statistics) {
    const std::vector<Statistics::Part> parts = statistics.parts();
    std::vector<py::array> arrays;
    for (const Statistics::Part& part : parts) {
      arrays.push_back(checked_statistics(values, part.name, part.dtype, part.count, pool.label()));
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      std::memcpy(parts[i].data, arrays[i].data(), size_t(arrays[i].nbytes()));
    }
  });
}

}  // namespace envpool::python
