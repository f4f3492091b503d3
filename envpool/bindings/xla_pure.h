// SPDX-License-Identifier: Apache-2.0
//
// The portable environments as pure functions for XLA: the models, which jitted code refers to by number, and the
// handlers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "envpool/bindings/xla_registry.h"
#include "envpool/core/pool/environments.h"

namespace envpool::xla {

struct ModelInfo {
  i64 model;               // the value of the handlers' attribute of that name
  SharedObject reference;  // keeps the model alive, as do the executables that were instantiated meanwhile
  i64 state_bytes, params_bytes, params_values;
  std::string params;  // the row of the default parameters
  std::string view;    // JSON: the named parts of a state
};

// Creates and registers a model. Throws std::invalid_argument if the environment is not portable.
ModelInfo add_model(const abi::Table& table, const std::string& label, OptionList options, i32 max_episode_steps);

// Returns the number of live models.
i64 live_models();

std::vector<Registration> handlers();

}  // namespace envpool::xla
