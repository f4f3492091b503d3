// SPDX-License-Identifier: Apache-2.0
//
// Walker2d: two planar legs that are rewarded for walking along x and for staying healthy.
//
//   Action       f64[6] in -1..1: torques of the joints
//   Observation  f64[17]: positions without the root's x (8), velocities within velocity_min..max (9)
//   Reward       forward_reward_weight * velocity + healthy_reward - ctrl_cost_weight * sum of squared torques. Up to
//                version 4 the step that becomes unhealthy and terminates also has healthy_reward
//                (legacy_healthy_reward)
//   Terminated   the height or angle of the torso is out of range
//   Truncated    after 1000 steps
//   Info         x_position, x_velocity; since version 5 also z_distance_from_origin and the terms of the reward
//   Reset        uniform noise of size reset_noise_scale on positions and velocities
//
// Reference: gymnasium 1.4.0, Walker2d-v5, with MuJoCo 3.17.0; Erez, Tassa, Todorov (2011).
#pragma once

#include "envpool/robots/models/walker2d_v5.h"
#include "envpool/robots/planar_walker.h"

namespace envpool::robots {

struct Walker2dTraits {
  using Model = Walker2dModel;
  static constexpr bool kHealthyState = false;
#if ENVPOOL_HOST
  static constexpr f64 kLowest = 0.8, kHighest = 2.0, kAngle = 1.0;
#endif
};
struct Walker2d : PlanarWalker<Walker2d, Walker2dTraits> {
  static constexpr const char* kName = "Walker2d";
};

}  // namespace envpool::robots
