// SPDX-License-Identifier: Apache-2.0
//
// A chain of links in a viscous fluid that is rewarded for swimming along x.
//
// Observation: positions without the first link's x and y (3), velocities (5).
// Action: two joint torques in -1..1.
// Reward: forward_reward_weight * x velocity - ctrl_cost_weight * sum of squared torques.
// Terminated: never.
// Info: position, velocity, distance from the origin and the terms of the reward; version 4 calls reward_forward
// reward_fwd.
// Reset: uniform noise of size reset_noise_scale on positions and velocities.
// Source: gymnasium 1.4.0, Swimmer-v4 and -v5; Coulom (2002).
#pragma once

#include "envpool/mujoco/gym/gym_env.h"

namespace envpool::mujoco {

struct SwimmerParams : GymParams {
  f64 forward_reward_weight, ctrl_cost_weight;
  bool exclude_positions;
};
struct SwimmerExtraState {
  f64 x, y, x_velocity, y_velocity, reward_forward, reward_ctrl;
};

class Swimmer : public GymEnv<Swimmer, SwimmerParams, SwimmerExtraState> {
 public:
  static constexpr const char* kName = "Swimmer";
  using GymEnv::GymEnv;

  static void options(OptionSpecs& o) {
    common_options(o, "swimmer.xml", 4);
    o.real("forward_reward_weight", 1.0, "Reward per unit of velocity.");
    o.real("ctrl_cost_weight", 1e-4, "Cost per unit of squared torque.");
    noise_option(o, 0.1);
    exclude_option(o, "Leave the first link's x and y out of the observation.");
  }
  static Params params(const OptionValues& o) {
    Params p{};
    common_params(p, o);
    require_model(*p.model, {.positions = 2, .velocities = 2});
    p.reset_noise_scale = o.real("reset_noise_scale");
    p.forward_reward_weight = o.real("forward_reward_weight");
    p.ctrl_cost_weight = o.real("ctrl_cost_weight");
    p.exclude_positions = o.boolean("exclude_current_positions_from_observation");
    return p;
  }
  static constexpr const char* kObservation = "Positions without the first link's x and y, velocities.";
  static i64 obs_size(const Params& p) { return p.model->nq + p.model->nv - 2 * p.exclude_positions; }
  template <class Put>
  static void infos(const Params& p, const SwimmerExtraState& k, const mjModel*, const mjData*, Put put) {
    put("x_position", k.x);
    put("y_position", k.y);
    put("distance_from_origin", norm(k.x, k.y));
    put("x_velocity", k.x_velocity);
    put("y_velocity", k.y_velocity);
    put("reward_fwd", k.reward_forward);
    put(p.v5() ? "reward_forward" : "forward_reward", k.reward_forward);
    put("reward_ctrl", k.reward_ctrl);
  }

  void reset_state(Rng& rng) {
    noisy_positions(rng, p_.reset_noise_scale);
    uniform_velocities(rng, p_.reset_noise_scale);
  }
  void update_extra() {
    extra_.x = data()->qpos[0];
    extra_.y = data()->qpos[1];
  }
  Outcome advance(const f64* action) {
    const f64 x = data()->qpos[0], y = data()->qpos[1];
    simulate(action);
    update_extra();
    extra_.x_velocity = (extra_.x - x) / p_.dt();
    extra_.y_velocity = (extra_.y - y) / p_.dt();
    extra_.reward_forward = p_.forward_reward_weight * extra_.x_velocity;
    const f64 cost = p_.ctrl_cost_weight * sum_of_squares(action, model()->nu);
    extra_.reward_ctrl = -cost;
    return {.reward = f32(extra_.reward_forward - cost)};
  }
  void write(Writer out) const {
    const int skipped = 2 * p_.exclude_positions;
    out.put(data()->qpos + skipped, model()->nq - skipped);
    out.put(data()->qvel, model()->nv);
  }
};

}  // namespace envpool::mujoco
