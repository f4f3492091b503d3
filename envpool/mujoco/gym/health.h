// SPDX-License-Identifier: Apache-2.0
//
// Health of a body that walks: what a step in it pays, and whether an episode ends with it.
#pragma once

#include "envpool/mujoco/gym/gym_env.h"

namespace envpool::mujoco {

struct Health {
  f64 reward;
  bool terminates, legacy;
  Pair z;

  static void options(OptionSpecs& o, f64 reward, Pair z) {
    o.real("healthy_reward", reward, "What a step in health pays.");
    o.boolean("terminate_when_unhealthy", true, "An episode ends when health does.");
    o.boolean("legacy_healthy_reward", false, "The step that ends health is paid as if in health.");
    range_options(o, "healthy_z", z.low, z.high, "Health: the torso's height,");
  }
  static Health params(const OptionValues& o) {
    return {.reward = o.real("healthy_reward"),
            .terminates = o.boolean("terminate_when_unhealthy"),
            .legacy = o.boolean("legacy_healthy_reward"),
            .z = range(o, "healthy_z")};
  }
  f64 pays(bool well) const { return f64(well || (legacy && terminates)) * reward; }
  bool ends(bool well) const { return terminates && !well; }
};

}  // namespace envpool::mujoco
