// SPDX-License-Identifier: Apache-2.0

#include "envpool/core/api.h"
#include "envpool/mujoco/dmc/suite.h"
#include "envpool/mujoco/family.h"

namespace envpool::mujoco {

Tables dmc_tables() {
  static constexpr const abi::Table* kTables[] = {host_table<dmc::Suite>()};
  return kTables;
}

}  // namespace envpool::mujoco
