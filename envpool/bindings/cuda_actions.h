// SPDX-License-Identifier: Apache-2.0
//
// The actions of a pool on a GPU: arrays of the host are checked and copied, arrays on the GPU are borrowed, and the
// kernel checks and converts those.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "envpool/bindings/arguments.h"
#include "envpool/bindings/cuda_borrow.h"
#include "envpool/bindings/cuda_launches.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/table/device.h"

namespace envpool::cuda {

class DeviceActions {
 public:
  // `stream` uploads what all launches use, and has to be synchronized before the first of them.
  DeviceActions(const abi::Layout& layout, const Label& label, const Stream& stream);

  // The number of rows that a field has for so many environments: one for each player that there could be.
  i64 rows_of(const abi::Field& field, i64 environments) const {
    return field.per_player != 0 ? environments * layout_.max_players : environments;
  }
  // Bytes of each field for so many environments.
  std::vector<i64> bytes_of(i64 environments) const;
  // Splits an action into its fields, which `fields` takes. Returns the ids that the action names, or else `env_id`.
  py::object split(const py::object& action, const py::object& env_id, std::vector<py::object>& fields) const;
  // Describes rows first..first+count of the environments of an action to a launch. `whole` is how many environments
  // the action is of.
  void describe(const std::vector<py::object>& fields, i64 whole, i64 first, i64 count, Launches& launches,
                Launches::Inputs& inputs, device::Work& work);
  // The message about a bad value that a kernel found.
  std::string refusal(const device::Fault& fault) const;

 private:
  void describe_field(size_t f, const py::object& value, i64 whole, i64 first, i64 count, Launches& launches,
                      Launches::Inputs& inputs, device::ActionInput& input);
  void describe_borrowed(size_t f, const Borrowed& given, i64 rows, i64 first, const Launches& launches,
                         device::ActionInput& input) const;

  const abi::Layout& layout_;
  const Label& label_;
  std::vector<python::ActionArgument> arguments_;
  std::vector<Memory> counts_;  // of fields whose elements have different numbers of choices
};

}  // namespace envpool::cuda
