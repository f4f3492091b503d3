// SPDX-License-Identifier: Apache-2.0
//
// A planar two-legged cheetah that is rewarded for running.
//
// Observation: positions without the root's x (8), velocities (9).
// Action: six joint torques in -1..1.
// Reward: forward_reward_weight * velocity - ctrl_cost_weight * sum of squared torques.
// Terminated: never.
// Info: x_position, x_velocity and the terms of the reward. Version 4 calls reward_forward reward_run.
// Reset: uniform noise on positions, normal noise on velocities, both of size reset_noise_scale.
// Source: gymnasium 1.4.0, HalfCheetah-v4 and -v5; Wawrzynski (2009).
#pragma once

#include "envpool/mujoco/gym/gym_env.h"

namespace envpool::mujoco {

struct HalfCheetahParams : GymParams {
  f64 forward_reward_weight, ctrl_cost_weight;
  bool exclude_positions;
};
struct HalfCheetahExtraState {
  f64 x, x_velocity, reward_forward, reward_ctrl;
};

class HalfCheetah : public GymEnv<HalfCheetah, HalfCheetahParams, HalfCheetahExtraState> {
 public:
  static constexpr const char* kName = "HalfCheetah";
  using GymEnv::GymEnv;

  static void options(OptionSpecs& o) {
    common_options(o, "half_cheetah.xml", 5);
    o.real("forward_reward_weight", 1.0, "Reward per unit of velocity.");
    o.real("ctrl_cost_weight", 0.1, "Cost per unit of squared torque.");
    noise_option(o, 0.1);
    exclude_option(o, "Leave the root's x out of the observation.");
  }
  static Params params(const OptionValues& o) {
    Params p{};
    common_params(p, o);
    require_model(*p.model, {.positions = 1, .velocities = 1});
    p.reset_noise_scale = o.real("reset_noise_scale");
    p.forward_reward_weight = o.real("forward_reward_weight");
    p.ctrl_cost_weight = o.real("ctrl_cost_weight");
    p.exclude_positions = o.boolean("exclude_current_positions_from_observation");
    return p;
  }
  static constexpr const char* kObservation = "Positions without the root's x, velocities.";
  static i64 obs_size(const Params& p) { return p.model->nq + p.model->nv - p.exclude_positions; }
  template <class Put>
  static void infos(const Params& p, const HalfCheetahExtraState& k, const mjModel*, const mjData*, Put put) {
    put("x_position", k.x);
    put("x_velocity", k.x_velocity);
    put("reward_run", k.reward_forward);
    if (p.v5()) put("reward_forward", k.reward_forward);
    put("reward_ctrl", k.reward_ctrl);
  }

  void reset_state(Rng& rng) {
    noisy_positions(rng, p_.reset_noise_scale);
    normal_velocities(rng, p_.reset_noise_scale);
  }
  void update_extra() { extra_.x = data()->qpos[0]; }
  Outcome advance(const f64* action) {
    const f64 before = data()->qpos[0];
    simulate(action);
    extra_.x = data()->qpos[0];
    extra_.x_velocity = (extra_.x - before) / p_.dt();
    extra_.reward_forward = p_.forward_reward_weight * extra_.x_velocity;
    const f64 cost = p_.ctrl_cost_weight * sum_of_squares(action, model()->nu);
    extra_.reward_ctrl = -cost;
    return {.reward = f32(extra_.reward_forward - cost)};
  }
  void write(Writer out) const {
    out.put(data()->qpos + p_.exclude_positions, model()->nq - p_.exclude_positions);
    out.put(data()->qvel, model()->nv);
  }
};

}  // namespace envpool::mujoco
