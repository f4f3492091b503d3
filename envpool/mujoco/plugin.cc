// SPDX-License-Identifier: Apache-2.0
//
// The list of the family, which is compiled once for each supported release of MuJoCo: third_party/mujoco/mujoco.cmake.

#include <mujoco/mujoco.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/api.h"
#include "envpool/mujoco/family.h"

extern "C" __attribute__((visibility("default"))) const envpool::abi::Plugin* envpool_plugin() {
  using namespace envpool;
  // A library that was loaded earlier with global symbols takes precedence over the one that we are linked to. With
  // another layout of MuJoCo's structs, any call could damage memory.
  if (mj_version() != mjVERSION_HEADER) {
    throw std::runtime_error("expected MuJoCo's library with the version number " + std::to_string(mjVERSION_HEADER) +
                             ", got " + std::to_string(mj_version()) +
                             ": this process has loaded the library of another release");
  }
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
