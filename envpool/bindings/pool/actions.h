// SPDX-License-Identifier: Apache-2.0
//
// Converts the actions of a step: an array if the environments have one action field, or a dict of arrays by field
// name. As in EnvPool, the dict may also contain "env_id" and "players.env_id".
#pragma once

#include <string>
#include <vector>

#include "envpool/bindings/arguments.h"
#include "envpool/core/pool/env_pool.h"

namespace envpool::python {

class ActionArguments {
 public:
  explicit ActionArguments(const EnvPool& pool)
      : has_players_(pool.layout().max_players > 1), owner_ids_(pool.num_envs()) {
    for (i32 f = 0; f < pool.layout().num_actions; ++f) {
      arguments_.emplace_back(pool.layout().actions[f]);
      names_.emplace_back(pool.layout().actions[f].name);
    }
    data_.resize(arguments_.size());
  }

  // Converts the actions, and the environments' ids to `ids`. The results refer to the caller's arrays.
  void convert(const py::object& action, const py::object& env_id, IdsArgument& ids, const std::string& label);
  // Drops the references to the caller's arrays, once the pool has copied the rows.
  void release() {
    for (ActionArgument& argument : arguments_) argument.release();
  }

  const void* const* data() const { return data_.data(); }  // of each field
  const i32* owners() const { return owners_; }             // the environment of each player's row; null: not given
  i32 rows() const { return i32(rows_); }                   // of players; -1: no field has a row for each player

 private:
  void convert_dict(const py::dict& fields, py::object env_id, IdsArgument& ids, const std::string& label);
  void convert_field(size_t f, const py::object& value, i64 num_envs, const std::string& label);
  // Returns whether an action has a row for each player, and not one for each world.
  bool is_per_player(const ActionArgument& action) const { return has_players_ && action.field().per_player != 0; }
  std::string expected_keys() const;

  const bool has_players_;
  std::vector<ActionArgument> arguments_;
  std::vector<std::string> names_;
  std::vector<const void*> data_;
  IdsArgument owner_ids_;
  const i32* owners_ = nullptr;
  i64 rows_ = -1;
};

}  // namespace envpool::python
