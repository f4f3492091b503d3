// SPDX-License-Identifier: Apache-2.0
//
// Converts the actions of a step: an array if the environments have one action field, or a dict of arrays by field
// name. As in EnvPool, the dict may also contain "env_id" and "players.env_id".
#pragma once

#include <algorithm>
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
  void convert(const py::object& action, const py::object& env_id, IdsArgument& ids, const std::string& label) {
    owners_ = nullptr;
    rows_ = -1;
    if (py::isinstance<py::dict>(action)) return convert_dict(action, env_id, ids, label);
    ids.convert(env_id, "env_id", label);
    if (arguments_.size() != 1) {
      throw py::type_error("[" + label + "] action: expected a dict with " + expected_keys() + ", got " +
                           type_name(action));
    }
    convert_field(0, action, ids.size(), label);
  }
  // Drops the references to the caller's arrays, once the pool has copied the rows.
  void release() {
    for (ActionArgument& argument : arguments_) argument.release();
  }

  const void* const* data() const { return data_.data(); }  // of each field
  const i32* owners() const { return owners_; }             // the environment of each player's row; null: not given
  i32 rows() const { return i32(rows_); }                   // of players; -1: no field has a row for each player

 private:
  void convert_dict(const py::dict& fields, py::object env_id, IdsArgument& ids, const std::string& label) {
    for (const auto& [key, value] : fields) {
      const std::string name = py::str(key);
      const bool known =
          name == "env_id" || name == "players.env_id" || std::find(names_.begin(), names_.end(), name) != names_.end();
      if (!known)
        throw py::value_error("[" + label + "] action: expected " + expected_keys() + ", got unknown key " + name);
    }
    if (fields.contains("env_id") && env_id.is_none()) env_id = fields["env_id"];
    ids.convert(env_id, "env_id", label);
    const bool takes_owners = std::any_of(arguments_.begin(), arguments_.end(),
                                          [&](const auto& argument) { return is_per_player(argument); });
    if (takes_owners && fields.contains("players.env_id")) {
      owner_ids_.convert(fields["players.env_id"], "players.env_id", label);
      owners_ = owner_ids_.data();
    }
    for (size_t f = 0; f < arguments_.size(); ++f) {
      if (!fields.contains(names_[f].c_str())) {
        throw py::value_error("[" + label + "] action: expected " + expected_keys() + ", got no key " + names_[f]);
      }
      convert_field(f, fields[names_[f].c_str()], ids.size(), label);
    }
    if (owners_ != nullptr && owner_ids_.size() != rows_) {
      throw py::value_error("[" + label + "] players.env_id: expected " + std::to_string(rows_) +
                            " ids, one per row, got " + std::to_string(owner_ids_.size()));
    }
  }
  void convert_field(size_t f, const py::object& value, i64 num_envs, const std::string& label) {
    const bool per_player = is_per_player(arguments_[f]);
    const i64 rows = arguments_[f].convert(value, per_player ? rows_ : num_envs, label);
    if (per_player) rows_ = rows;
    data_[f] = arguments_[f].data();
  }
  // Returns whether an action has a row for each player, and not one for each world.
  bool is_per_player(const ActionArgument& action) const { return has_players_ && action.field().per_player != 0; }
  std::string expected_keys() const {
    std::string keys = "keys";
    for (size_t f = 0; f < names_.size(); ++f) keys += (f == 0 ? " " : ", ") + names_[f];
    return keys;
  }

  const bool has_players_;
  std::vector<ActionArgument> arguments_;
  std::vector<std::string> names_;
  std::vector<const void*> data_;
  IdsArgument owner_ids_;
  const i32* owners_ = nullptr;
  i64 rows_ = -1;
};

}  // namespace envpool::python
