// SPDX-License-Identifier: Apache-2.0
//
// The actions of a pool on a GPU. Arrays in host memory are checked and copied. Arrays on the GPU are borrowed, and the
// kernel checks and converts them.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "envpool/bindings/arguments.h"
#include "envpool/bindings/gpu/borrow.h"
#include "envpool/bindings/gpu/launches.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/table/launch.h"

namespace envpool::cuda {

class DeviceActions {
 public:
  DeviceActions(const abi::Layout& layout, const Label& label);

  // Returns the number of rows that a field has for `environments` environments: one for each possible player if the
  // field is per player, else one for each environment.
  i64 rows_of(const abi::Field& field, i64 environments) const {
    return field.per_player != 0 ? environments * layout_.max_players : environments;
  }
  // Returns the size of each field in bytes for `environments` environments.
  std::vector<i64> bytes_of(i64 environments) const;
  // Appends the fields of an action to `fields`. Returns `env_id`. If that is None and the action is a dict with the
  // key "env_id", returns the key's value instead.
  py::object split(const py::object& action, const py::object& env_id, std::vector<py::object>& fields) const;
  // Fills in the inputs of a launch that steps `count` environments of an action, beginning with number `first`. The
  // action has `whole` environments in all.
  void describe(const std::vector<py::object>& fields, i64 whole, i64 first, i64 count, Launches& launches,
                Launches::Inputs& inputs, device::Launch& launch);
  // Returns the message about a bad value that a kernel found.
  std::string refusal(const device::Fault& fault) const;

 private:
  std::string expected_keys() const;
  void describe_field(size_t f, const py::object& value, i64 whole, i64 first, i64 count, Launches& launches,
                      Launches::Inputs& inputs, device::ActionInput& input);
  void describe_borrowed_array(size_t f, const BorrowedArray& array, i64 rows, i64 first, const Launches& launches,
                               device::ActionInput& input) const;

  const abi::Layout& layout_;
  const Label& label_;
  std::vector<python::ActionArgument> arguments_;
};

}  // namespace envpool::cuda
