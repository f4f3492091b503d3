// SPDX-License-Identifier: Apache-2.0
//
// Pure functions of the portable environments for XLA: models that jitted code names by number, and the handlers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "envpool/core/environments.h"

namespace envpool::xla {

struct Described {
  i64 model;  // what the handlers' attribute of that name says
  i64 state_bytes, params_bytes, params_values;
  std::string params;  // a row of parameters
  std::string view;    // JSON: the named parts of a state
};

// Keeps a model for the rest of the process, for compiled code that names it may be called at any time.
Described add_model(const abi::Table& table, const std::string& label, OptionList options, i32 max_episode_steps);

// Names and addresses of the handlers.
std::vector<std::pair<std::string, void*>> handlers();

}  // namespace envpool::xla
