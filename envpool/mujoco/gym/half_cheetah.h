// SPDX-License-Identifier: Apache-2.0
//
// A two-legged cat in a plane that is paid for running.
//
// Observation: positions but for the root's x (8), velocities (9). Action: six joint torques in -1..1.
// Reward: forward_reward_weight * velocity - ctrl_cost_weight * sum of squared torques. It never terminates.
// Info: x_position, x_velocity and the reward's terms. reward_run is what version 4 calls reward_forward.
// Reset: uniform noise on positions, normal noise on velocities, both of size reset_noise_scale.
// Source: gymnasium 1.4.0, HalfCheetah-v4 and -v5; Wawrzynski (2009).
#pragma once

#include "envpool/mujoco/gym/gym_env.h"

namespace envpool::mujoco {

struct HalfCheetahParams : GymParams {
  f64 forward_reward_weight, ctrl_cost_weight;
  bool exclude_positions;
};
struct HalfCheetahKept {
  f64 x, x_velocity, reward_forward, reward_ctrl;
};

class HalfCheetah : public GymEnv<HalfCheetah, HalfCheetahParams, HalfCheetahKept> {
 public:
  static constexpr const char* kName = "HalfCheetah";
  using GymEnv::GymEnv;

  static void options(OptionSpecs& o) {
    common_options(o, "half_cheetah.xml", 5);
    o.real("forward_reward_weight", 1.0, "What a unit of velocity pays.");
    o.real("ctrl_cost_weight", 0.1, "What a unit of squared torque costs.");
    noise_option(o, 0.1);
    exclude_option(o, "The observation leaves out the root's x.");
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
  static constexpr const char* kObservation = "Positions but for the root's x, velocities.";
  static i64 observed(const Params& p) { return p.model->nq + p.model->nv - p.exclude_positions; }
  template <class Put>
  static void infos(const Params& p, const HalfCheetahKept& k, const mjModel*, const mjData*, Put put) {
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
  void start() { kept_.x = data()->qpos[0]; }
  Outcome move(const f64* action) {
    const f64 before = data()->qpos[0];
    simulate(action);
    kept_.x = data()->qpos[0];
    kept_.x_velocity = (kept_.x - before) / p_.dt();
    kept_.reward_forward = p_.forward_reward_weight * kept_.x_velocity;
    const f64 cost = p_.ctrl_cost_weight * sum_of_squares(action, model()->nu);
    kept_.reward_ctrl = -cost;
    return {.reward = f32(kept_.reward_forward - cost)};
  }
  void write(Writer out) const {
    out.put(data()->qpos + p_.exclude_positions, model()->nq - p_.exclude_positions);
    out.put(data()->qvel, model()->nv);
  }
};

}  // namespace envpool::mujoco
