// SPDX-License-Identifier: Apache-2.0
//
// HalfCheetah: a planar two-legged cheetah that is rewarded for running.
//
//   Action       f64[6] in -1..1: torques of the joints
//   Observation  f64[17]: positions without the root's x (8), velocities (9)
//   Reward       forward_reward_weight * velocity - ctrl_cost_weight * sum of squared torques
//   Terminated   never
//   Truncated    after 1000 steps
//   Info         x_position, x_velocity and the terms of the reward. Version 4 calls reward_forward reward_run
//   Reset        uniform noise on positions, normal noise on velocities, both of size reset_noise_scale
//
// Reference: gymnasium 1.4.0, HalfCheetah-v4 and -v5, with MuJoCo 3.17.0; Wawrzynski (2009).
#pragma once

#include "envpool/robots/models/half_cheetah.h"
#include "envpool/robots/robot_env.h"

namespace envpool::robots {

struct HalfCheetahParams : RobotParams {
  f64 forward_reward_weight, ctrl_cost_weight;
  bool exclude_positions;
};
struct HalfCheetahTask {
  f64 x_velocity, reward_forward, reward_ctrl;
};

struct HalfCheetah : RobotEnv<HalfCheetah, HalfCheetahModel, HalfCheetahParams, HalfCheetahTask> {
  static constexpr const char* kName = "HalfCheetah";

#if ENVPOOL_HOST
  static constexpr View kView{0.15, 150, true, 0.6};

  static void options(OptionSpecs& o) {
    common_options(o, 5);
    o.real("forward_reward_weight", 1.0, "Reward per unit of velocity.").sets(&Params::forward_reward_weight);
    o.real("ctrl_cost_weight", 0.1, "Cost per unit of squared torque.").sets(&Params::ctrl_cost_weight);
    noise_option(o, 0.1);
    exclude_option(o, "Leave the root's x out of the observation.", &Params::exclude_positions);
  }
#endif
  static constexpr const char* kObservation = "Positions without the root's x, velocities.";
  ENVPOOL_FN static i64 obs_size(const Params& p) { return Model::kPositions + Model::kDofs - p.exclude_positions; }
  template <class Put>
  ENVPOOL_FN static void infos(const Params& p, const State& s, Put put) {
    put("x_position", s.qpos[0]);
    put("x_velocity", s.task.x_velocity);
    put("reward_run", s.task.reward_forward);
    if (p.v5()) put("reward_forward", s.task.reward_forward);
    put("reward_ctrl", s.task.reward_ctrl);
  }

  ENVPOOL_FN static void add_noise(State& s, const Params& p, Rng& rng) {
    noisy_positions(s, p.reset_noise_scale, rng);
    normal_velocities(s, p.reset_noise_scale, rng);
  }
  ENVPOOL_FN static void remember(const State& s, f64* before) { before[0] = s.qpos[0]; }
  ENVPOOL_FN static Outcome conclude(State& s, const Params& p, const f64* action, const f64* before) {
    s.task.x_velocity = (s.qpos[0] - before[0]) / p.dt;
    s.task.reward_forward = p.forward_reward_weight * s.task.x_velocity;
    const f64 cost = p.ctrl_cost_weight * sum_of_squares(action, Model::kActuators);
    s.task.reward_ctrl = -cost;
    return {.reward = f32(s.task.reward_forward - cost)};
  }
  ENVPOOL_FN static void write(const State& s, const Params& p, Writer out) {
    out.put(s.qpos + p.exclude_positions, Model::kPositions - p.exclude_positions);
    out.put(s.qvel, Model::kDofs);
  }
};

}  // namespace envpool::robots
