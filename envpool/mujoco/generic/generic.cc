// SPDX-License-Identifier: Apache-2.0

#include "envpool/core/api.h"
#include "envpool/mujoco/family.h"
#include "envpool/mujoco/generic/custom_model.h"
#include "envpool/mujoco/render/rendered.h"

namespace envpool::mujoco {

Tables generic_tables() {
  static constexpr const abi::Table* kTables[] = {table<Rendered<CustomModel, ModelCamera>>()};
  return kTables;
}

}  // namespace envpool::mujoco
