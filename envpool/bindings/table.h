// SPDX-License-Identifier: Apache-2.0
//
// An environment's table as a Python object, and the conversion of options from Python.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "envpool/bindings/arguments.h"
#include "envpool/core/math/float_mode.h"
#include "envpool/core/pool/environments.h"

namespace envpool::python {

class PyTable {
 public:
  explicit PyTable(const abi::Table& table) : table_(table) {}

  std::string name() const { return table_.name; }
  u32 flags() const { return table_.flags; }
  const abi::Table& get() const { return table_; }

  // Returns a description of the environment for the GPU compiler, or None if it cannot run on a GPU.
  py::object device() const {
    if (table_.device == nullptr) return py::none();
    const abi::Device& device = *table_.device;
    py::dict facts;
    facts["header"] = device.header;
    facts["type"] = device.type;
    facts["world"] = device.world != 0;
    facts["has_extra_bytes"] = device.has_extra_bytes != 0;
    facts["state_at"] = std::int64_t(device.state_at);
    facts["state_bytes"] = std::int64_t(device.state_bytes);
    facts["params_bytes"] = std::int64_t(device.params_bytes);
    return facts;
  }
  // Returns JSON of the named parts of a saved state, as core/table/vtable.h describes them; an empty list if the
  // environment is not portable.
  std::string parts() const {
    if (table_.device == nullptr) return "[]";
    TextBuffer json;
    try_table([&](abi::TextSink error) { return table_.device->view(json, error); });
    return json.text;
  }
  std::string describe() const {
    TextBuffer json;
    try_table([&](abi::TextSink error) { return table_.describe(json, error); });
    return json.text;
  }
  std::string spec(const py::dict& options) const {
    const OptionList list = option_list(options);
    const abi::Options view = list.view();
    TextBuffer json;
    const FloatModeGuard float_mode;
    try_table([&](abi::TextSink error) { return table_.spec(&view, json, error); });
    return json.text;
  }
  // Returns the options that can change from episode to episode, of an environment that is made with these options: for
  // each a tuple of name, kind, low, high and shape.
  py::list tunables(const py::dict& options) const {
    py::list found;
    if (table_.tunables == nullptr) return found;
    const OptionList list = option_list(options);
    const abi::Options view = list.view();
    const FloatModeGuard float_mode;
    void* model = nullptr;
    try_table([&](abi::TextSink error) { return table_.model_create(&view, &model, error); });
    const std::unique_ptr<void, void (*)(void*)> owner(model, table_.model_destroy);
    const abi::Tunable* all = nullptr;
    i32 count = 0;
    try_table([&](abi::TextSink error) { return table_.tunables(model, &all, &count, error); });
    for (const abi::Tunable& each : std::span(all, size_t(count))) {
      constexpr const char* kKinds[] = {"bool", "int", "float", "str"};
      py::tuple shape(each.dimensions);
      for (i32 i = 0; i < each.dimensions; ++i) shape[size_t(i)] = std::int64_t(each.shape[i]);
      found.append(py::make_tuple(each.name, kKinds[each.kind], each.low, each.high, shape));
    }
    return found;
  }

  static OptionList option_list(const py::dict& options) {
    OptionList list;
    for (const auto& [key, value] : options) {
      const std::string name = py::str(key);
      if (py::isinstance<py::bool_>(value)) {
        list.add_integer(name, abi::kOptionBool, value.cast<bool>());
      } else if (py::isinstance<py::int_>(value)) {
        list.add_integer(name, abi::kOptionInt, value.cast<std::int64_t>());
      } else if (py::isinstance<py::float_>(value)) {
        list.add_real(name, value.cast<double>());
      } else if (py::isinstance<py::str>(value)) {
        list.add_text(name, py::reinterpret_borrow<py::str>(value));
      } else if (py::isinstance<py::bytes>(value)) {
        list.add_text(name, py::reinterpret_borrow<py::bytes>(value));
      } else if (py::isinstance<py::tuple>(value)) {
        std::vector<f64> numbers;
        add_numbers(name, value, numbers);
        list.add_array(name, std::move(numbers));
      } else {
        throw py::type_error("option " + name + ": expected bool, int, float, str, bytes or tuple, got " +
                             type_name(value));
      }
    }
    return list;
  }

 private:
  // Adds the numbers of a tuple of numbers or tuples.
  static void add_numbers(const std::string& name, py::handle tuple, std::vector<f64>& numbers) {
    for (const py::handle item : tuple) {
      if (py::isinstance<py::tuple>(item)) {
        add_numbers(name, item, numbers);
        continue;
      }
      const f64 number = PyFloat_AsDouble(item.ptr());
      if (number == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        throw py::type_error("option " + name + ": expected a tuple of numbers, got " + type_name(item) + " in it");
      }
      numbers.push_back(number);
    }
  }

  const abi::Table& table_;
};

}  // namespace envpool::python
