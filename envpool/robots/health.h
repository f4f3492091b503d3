// SPDX-License-Identifier: Apache-2.0
//
// A walking robot's health: the reward for a healthy state, and whether an unhealthy state terminates the episode.
#pragma once

#include "envpool/robots/robot_env.h"

namespace envpool::robots {

struct Health {
  f64 reward;
  bool terminates, legacy;
  Range z;

#if ENVPOOL_HOST
  // `path` leads to the Health that they set.
  template <class... Path>
  static void options(OptionSpecs& o, f64 reward, Range z, Path... path) {
    o.real("healthy_reward", reward, "Reward for a step in a healthy state.").sets(path..., &Health::reward);
    o.boolean("terminate_when_unhealthy", true, "Terminate the episode in an unhealthy state.")
        .sets(path..., &Health::terminates);
    o.boolean("legacy_healthy_reward", false,
              "Also give healthy_reward for the step in which the robot becomes unhealthy.")
        .sets(path..., &Health::legacy);
    range_options(o, "healthy_z", z, "the torso's height in a healthy state", path..., &Health::z);
  }
#endif
  ENVPOOL_FN f64 reward_for(bool is_healthy) const { return f64(is_healthy || (legacy && terminates)) * reward; }
  ENVPOOL_FN bool terminates_episode(bool is_healthy) const { return terminates && !is_healthy; }
};

}  // namespace envpool::robots
