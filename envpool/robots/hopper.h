// SPDX-License-Identifier: Apache-2.0
//
// Hopper: one planar leg that is rewarded for hopping along x and for staying healthy.
//
//   Action       f64[3] in -1..1: torques of the joints
//   Observation  f64[11]: positions without the root's x (5), velocities within velocity_min..max (6)
//   Reward       forward_reward_weight * velocity + healthy_reward - ctrl_cost_weight * sum of squared torques. Up to
//                version 4 the step that becomes unhealthy and terminates also has healthy_reward
//                (legacy_healthy_reward)
//   Terminated   the height or angle of the torso, or another element of the state, is out of range
//   Truncated    after 1000 steps
//   Info         x_position, x_velocity; since version 5 also z_distance_from_origin and the terms of the reward
//   Reset        uniform noise of size reset_noise_scale on positions and velocities
//
// Reference: gymnasium 1.4.0, Hopper-v4 and -v5, with MuJoCo 3.17.0; Erez, Tassa, Todorov (2011).
#pragma once

#include "envpool/robots/models/hopper.h"
#include "envpool/robots/planar_walker.h"

namespace envpool::robots {

struct HopperTraits {
  using Model = HopperModel;
  static constexpr bool kHealthyState = true;
#if ENVPOOL_HOST
  static constexpr f64 kLowest = 0.7, kHighest = kInfinity, kAngle = 0.2;
#endif
};
struct Hopper : PlanarWalker<Hopper, HopperTraits> {
  static constexpr const char* kName = "Hopper";
};

}  // namespace envpool::robots
