// SPDX-License-Identifier: Apache-2.0
//
// Swimmer: a chain of three links in a fluid that is rewarded for swimming along x.
//
//   Action       f64[2] in -1..1: torques of the joints
//   Observation  f64[8]: positions without the first link's x and y (3), velocities (5)
//   Reward       forward_reward_weight * x velocity - ctrl_cost_weight * sum of squared torques
//   Terminated   never
//   Truncated    after 1000 steps
//   Info         position, velocity, distance from the origin and the terms of the reward
//   Reset        uniform noise of size reset_noise_scale on positions and velocities
//
// Reference: gymnasium 1.4.0, Swimmer-v4 and -v5, with MuJoCo 3.17.0; Coulom (2002).
#pragma once

#include "envpool/robots/models/swimmer.h"
#include "envpool/robots/robot_env.h"

namespace envpool::robots {

struct SwimmerParams : RobotParams {
  f64 forward_reward_weight, ctrl_cost_weight;
  bool exclude_positions;
};
struct SwimmerTask {
  f64 x_velocity, y_velocity, reward_forward, reward_ctrl;
};

struct Swimmer : RobotEnv<Swimmer, SwimmerModel, SwimmerParams, SwimmerTask> {
  static constexpr const char* kName = "Swimmer";

#if ENVPOOL_HOST
  static constexpr View kView{1, 100, true, 0};

  static void options(OptionSpecs& o) {
    common_options(o, 4);
    o.real("forward_reward_weight", 1.0, "Reward per unit of velocity.").sets(&Params::forward_reward_weight);
    o.real("ctrl_cost_weight", 1e-4, "Cost per unit of squared torque.").sets(&Params::ctrl_cost_weight);
    noise_option(o, 0.1);
    exclude_option(o, "Leave the first link's x and y out of the observation.", &Params::exclude_positions);
  }
#endif
  static constexpr const char* kObservation = "Positions without the first link's x and y, velocities.";
  ENVPOOL_FN static i64 obs_size(const Params& p) { return Model::kPositions + Model::kDofs - 2 * p.exclude_positions; }
  template <class Put>
  ENVPOOL_FN static void infos(const Params& p, const State& s, Put put) {
    put("x_position", s.qpos[0]);
    put("y_position", s.qpos[1]);
    put("distance_from_origin", norm(s.qpos[0], s.qpos[1]));
    put("x_velocity", s.task.x_velocity);
    put("y_velocity", s.task.y_velocity);
    put("reward_fwd", s.task.reward_forward);
    put(p.v5() ? "reward_forward" : "forward_reward", s.task.reward_forward);
    put("reward_ctrl", s.task.reward_ctrl);
  }

  ENVPOOL_FN static void add_noise(State& s, const Params& p, Rng& rng) {
    noisy_positions(s, p.reset_noise_scale, rng);
    uniform_velocities(s, p.reset_noise_scale, rng);
  }
  ENVPOOL_FN static void remember(const State& s, f64* before) {
    before[0] = s.qpos[0];
    before[1] = s.qpos[1];
  }
  ENVPOOL_FN static Outcome conclude(State& s, const Params& p, const f64* action, const f64* before) {
    s.task.x_velocity = (s.qpos[0] - before[0]) / p.dt;
    s.task.y_velocity = (s.qpos[1] - before[1]) / p.dt;
    s.task.reward_forward = p.forward_reward_weight * s.task.x_velocity;
    const f64 cost = p.ctrl_cost_weight * sum_of_squares(action, Model::kActuators);
    s.task.reward_ctrl = -cost;
    return {.reward = f32(s.task.reward_forward - cost)};
  }
  ENVPOOL_FN static void write(const State& s, const Params& p, Writer out) {
    const i32 skipped = 2 * p.exclude_positions;
    out.put(s.qpos + skipped, Model::kPositions - skipped);
    out.put(s.qvel, Model::kDofs);
  }
};

}  // namespace envpool::robots
