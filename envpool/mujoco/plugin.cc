// SPDX-License-Identifier: Apache-2.0
//
// The list of the family, which is compiled once for each supported release of MuJoCo: third_party/mujoco/mujoco.cmake.

#include <vector>

#include "envpool/core/api.h"
#include "envpool/mujoco/family.h"

extern "C" __attribute__((visibility("default"))) const envpool::abi::Plugin* envpool_plugin() {
  using namespace envpool;
  static const auto tables = [] {
    std::vector<const abi::Table*> all;
    for (const mujoco::Tables part : {mujoco::gym_tables(), mujoco::dmc_tables(), mujoco::generic_tables()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  static const abi::Plugin plugin{ENVPOOL_ABI, i32(tables.size()), tables.data()};
  return &plugin;
}
