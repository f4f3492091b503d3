// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/gpu/actions.h"

#include <algorithm>
#include <utility>

#include "envpool/bindings/action_values.h"
#include "envpool/core/table/spec.h"

namespace envpool::cuda {

DeviceActions::DeviceActions(const abi::Layout& layout, const Label& label) : layout_(layout), label_(label) {
  for (i32 f = 0; f < layout.num_actions; ++f) arguments_.emplace_back(layout.actions[f]);
}

std::vector<i64> DeviceActions::bytes_of(i64 environments) const {
  std::vector<i64> bytes;
  for (const python::ActionArgument& argument : arguments_) {
    bytes.push_back(argument.field().row_bytes * rows_of(argument.field(), environments));
  }
  return bytes;
}

std::string DeviceActions::expected_keys() const {
  std::string keys = "keys";
  for (size_t f = 0; f < arguments_.size(); ++f)
    keys += (f == 0 ? " " : ", ") + std::string(arguments_[f].field().name);
  return keys;
}

py::object DeviceActions::split(const py::object& action, const py::object& env_id,
                                std::vector<py::object>& fields) const {
  if (!py::isinstance<py::dict>(action)) {
    if (arguments_.size() != 1) {
      throw py::type_error(
          label_.text("action: expected a dict with " + expected_keys() + ", got " + python::type_name(action)));
    }
    fields.push_back(action);
    return env_id;
  }
  const py::dict fields_by_name = action;
  const auto is_field = [&](const std::string& name) {
    return std::any_of(arguments_.begin(), arguments_.end(),
                       [&](const python::ActionArgument& argument) { return name == argument.field().name; });
  };
  for (const auto& [key, value] : fields_by_name) {
    const std::string name = py::str(key);
    if (name == "env_id" || name == "players.env_id" || is_field(name)) continue;
    throw py::value_error(label_.text("action: expected " + expected_keys() + ", got unknown key " + name));
  }
  for (const python::ActionArgument& argument : arguments_) {
    const char* name = argument.field().name;
    if (!fields_by_name.contains(name)) {
      throw py::value_error(label_.text("action: expected " + expected_keys() + ", got no key " + name));
    }
    fields.push_back(fields_by_name[name]);
  }
  return env_id.is_none() && fields_by_name.contains("env_id") ? py::object(fields_by_name["env_id"]) : env_id;
}

void DeviceActions::describe(const std::vector<py::object>& fields, i64 whole, i64 first, i64 count, Launches& launches,
                             Launches::Inputs& inputs, device::Launch& launch) {
  for (size_t f = 0; f < arguments_.size(); ++f) {
    const abi::Field& field = arguments_[f].field();
    describe_field(f, fields[f], rows_of(field, whole), rows_of(field, first), rows_of(field, count), launches, inputs,
                   launch.actions[f]);
  }
}

void DeviceActions::describe_field(size_t f, const py::object& value, i64 whole, i64 first, i64 count,
                                   Launches& launches, Launches::Inputs& inputs, device::ActionInput& input) {
  const abi::Field& field = arguments_[f].field();
  BorrowedArray borrowed;
  if (borrow(value, launches.stream(), label_.text(field.name), borrowed)) {
    describe_borrowed_array(f, borrowed, whole, first, launches, input);
    inputs.objects.push_back(std::move(borrowed.owner));
    return;
  }
  python::ActionArgument& argument = arguments_[f];
  if (first == 0) argument.convert(value, whole, label_.name());  // the launches of later groups use the result
  const u8* rows = static_cast<const u8*>(argument.data()) + first * field.row_bytes;
  input.data = reinterpret_cast<const u8*>(launches.staged(rows, count * field.row_bytes, inputs));
  if (first + count == whole) argument.release();
  input.row_stride = field.row_bytes;
  input.from = field.dtype;
}

void DeviceActions::describe_borrowed_array(size_t f, const BorrowedArray& array, i64 rows, i64 first,
                                            const Launches& launches, device::ActionInput& input) const {
  const abi::Field& field = arguments_[f].field();
  const std::string name = field.name;
  std::vector<i64> expected{rows};
  expected.insert(expected.end(), field.shape, field.shape + field.dimensions);
  if (array.shape != expected) {
    throw py::value_error(label_.text(name + ": expected shape " +
                                      python::shape_text({expected.begin(), expected.end()}) + ", one row per " +
                                      (field.per_player ? "player" : "environment") + ", got " +
                                      python::shape_text({array.shape.begin(), array.shape.end()})));
  }
  const bool to_bool = field.dtype == abi::kBool, to_real = field.dtype >= abi::kF32;
  // The kernel checks that integers for booleans are 0 or 1, as in samples of gymnasium's MultiBinary.
  if (to_bool ? array.dtype >= abi::kF32 : to_real && array.dtype == abi::kBool) {
    throw py::type_error(label_.text(name + ": expected " + (to_bool ? "booleans" : "floats") + " (" +
                                     dtype_name(field.dtype) + "), got " + dtype_name(array.dtype)));
  }
  i64 stride = dtype_size(array.dtype);
  for (size_t i = array.shape.size(); i-- > 1; stride *= array.shape[i]) {
    if (array.shape[i] > 1 && array.strides[i] != stride) {
      throw py::value_error(
          label_.text(name + ": expected contiguous rows, got rows with gaps; make the array contiguous first"));
    }
  }
  input.row_stride = array.shape[0] > 1 ? array.strides[0] : stride;
  input.data = reinterpret_cast<const u8*>(array.data) + first * input.row_stride;
  input.from = array.dtype;
  const bool as_it_is = array.dtype == field.dtype && input.row_stride == field.row_bytes;
  if (!as_it_is) input.converted = launches.converted(f);
}

std::string DeviceActions::refusal(const device::Fault& fault) const {
  const abi::Field& field = layout_.actions[fault.why - 1];
  const i64 elements = field.row_bytes / dtype_size(field.dtype);
  const i64 row = rows_of(field, fault.row) + fault.element / elements;
  return ActionValues(field).refusal(fault.element % elements, "another value", row);
}

}  // namespace envpool::cuda
