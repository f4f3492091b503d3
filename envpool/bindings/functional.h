// SPDX-License-Identifier: Apache-2.0
//
// Pure functions of the portable environments for XLA: models that jitted code names by number, and the handlers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "envpool/bindings/xla_kept.h"
#include "envpool/core/pool/environments.h"

namespace envpool::xla {

struct Described {
  i64 model;    // what the handlers' attribute of that name says
  Shared kept;  // the model lives as long as this, and as the programs that were compiled meanwhile
  i64 state_bytes, params_bytes, params_values;
  std::string params;  // a row of parameters
  std::string view;    // JSON: the named parts of a state
};

// Makes a model that jitted code may name.
Described add_model(const abi::Table& table, const std::string& label, OptionList options, i32 max_episode_steps);

// Returns the number of live models.
i64 live_models();

std::vector<Registration> handlers();

}  // namespace envpool::xla
