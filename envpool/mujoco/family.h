// SPDX-License-Identifier: Apache-2.0
//
// The parts of the family, which are compiled separately. plugin.cc concatenates their tables.
#pragma once

#include <span>

#include "envpool/core/table/vtable.h"

namespace envpool::mujoco {

using Tables = std::span<const abi::Table* const>;

Tables gym_tables();      // gym/gym.cc
Tables dmc_tables();      // dmc/dmc.cc
Tables generic_tables();  // generic/generic.cc

}  // namespace envpool::mujoco
