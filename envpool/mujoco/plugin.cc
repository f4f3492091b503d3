// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include "envpool/core/plugin.h"
#include "envpool/mujoco/family.h"

extern "C" __attribute__((visibility("default"))) const envpool::abi::Plugin* envpool_plugin() {
  static const auto tables = [] {
    std::vector<const envpool::abi::Table*> all;
    for (const auto part : {envpool::mujoco::gym_tables(), envpool::mujoco::dmc_tables()}) all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  static const envpool::abi::Plugin plugin{ENVPOOL_ABI, envpool::i32(tables.size()), tables.data()};
  return &plugin;
}
