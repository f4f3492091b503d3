// SPDX-License-Identifier: Apache-2.0

#include "envpool/core/api.h"
#include "envpool/mujoco/family.h"
#include "envpool/mujoco/gym/half_cheetah.h"

namespace envpool::mujoco {

Tables gym_tables() {
  static constexpr const abi::Table* kTables[] = {host_table<HalfCheetah>()};
  return kTables;
}

}  // namespace envpool::mujoco
