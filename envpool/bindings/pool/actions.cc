// SPDX-License-Identifier: Apache-2.0
#include "envpool/bindings/pool/actions.h"

#include <algorithm>

namespace envpool::python {

void ActionArguments::convert(const py::object& action, const py::object& env_id, IdsArgument& ids,
                              const std::string& label) {
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

void ActionArguments::convert_dict(const py::dict& fields, py::object env_id, IdsArgument& ids,
                                   const std::string& label) {
  for (const auto& [key, value] : fields) {
    const std::string name = py::str(key);
    const bool known =
        name == "env_id" || name == "players.env_id" || std::find(names_.begin(), names_.end(), name) != names_.end();
    if (!known)
      throw py::value_error("[" + label + "] action: expected " + expected_keys() + ", got unknown key " + name);
  }
  if (fields.contains("env_id") && env_id.is_none()) env_id = fields["env_id"];
  ids.convert(env_id, "env_id", label);
  const bool takes_owners =
      std::any_of(arguments_.begin(), arguments_.end(), [&](const auto& argument) { return is_per_player(argument); });
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

void ActionArguments::convert_field(size_t f, const py::object& value, i64 num_envs, const std::string& label) {
  const bool per_player = is_per_player(arguments_[f]);
  const i64 rows = arguments_[f].convert(value, per_player ? rows_ : num_envs, label);
  if (per_player) rows_ = rows;
  data_[f] = arguments_[f].data();
}

std::string ActionArguments::expected_keys() const {
  std::string keys = "keys";
  for (size_t f = 0; f < names_.size(); ++f) keys += (f == 0 ? " " : ", ") + names_[f];
  return keys;
}

}  // namespace envpool::python
