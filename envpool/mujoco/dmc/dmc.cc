// SPDX-License-Identifier: Apache-2.0

#include "envpool/core/api.h"
#include "envpool/mujoco/dmc/suite.h"
#include "envpool/mujoco/family.h"
#include "envpool/mujoco/render/rendered.h"

namespace envpool::mujoco {

Tables dmc_tables() {
  static constexpr const abi::Table* kTables[] = {table<Rendered<dmc::Suite, ModelCamera>>()};
  return kTables;
}

}  // namespace envpool::mujoco
