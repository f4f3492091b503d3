// SPDX-License-Identifier: Apache-2.0
//
// The common part of Hopper and Walker2d: planar legs that are rewarded for moving along x and for staying healthy.
//
// Observation: positions without the root's x, velocities within -10..10.
// Action: joint torques in -1..1.
// Reward: forward_reward_weight * velocity + healthy_reward - ctrl_cost_weight * sum of squared torques. Up to version
// 4 the step that becomes unhealthy and terminates also has healthy_reward (legacy_healthy_reward).
// Terminated: when the height or angle of the torso, or for Hopper any other element of the state, is out of range.
// Info: x_position, x_velocity; since version 5 also z_distance_from_origin and the terms of the reward.
// Reset: uniform noise of size reset_noise_scale on positions and velocities.
// Source: gymnasium 1.4.0, Hopper-v4, Hopper-v5, Walker2d-v4, Walker2d-v5; Erez, Tassa, Todorov (2011).
#pragma once

#include "envpool/mujoco/gym/health.h"

namespace envpool::mujoco {

struct PlanarWalkerParams : GymParams {
  f64 forward_reward_weight, ctrl_cost_weight;
  bool exclude_positions;
  Health health;
  Pair healthy_state, healthy_angle, velocity;
};
struct PlanarWalkerExtraState {
  f64 x, z_distance, x_velocity, reward_forward, reward_ctrl, reward_survive;
};

// `Traits` defines the differences between the two.
template <class Traits>
class PlanarWalker : public GymEnv<PlanarWalker<Traits>, PlanarWalkerParams, PlanarWalkerExtraState> {
  using Base = GymEnv<PlanarWalker<Traits>, PlanarWalkerParams, PlanarWalkerExtraState>;
  using Base::data, Base::model, Base::p_, Base::extra_;

 public:
  static constexpr const char* kName = Traits::kName;
  using Params = PlanarWalkerParams;
  using Base::Base;

  static void options(OptionSpecs& o) {
    common_options(o, Traits::kModel, 4);
    o.real("forward_reward_weight", 1.0, "Reward per unit of velocity.");
    o.real("ctrl_cost_weight", 1e-3, "Cost per unit of squared torque.");
    Health::options(o, 1.0, {Traits::kLowest, Traits::kHighest});
    if constexpr (Traits::kHealthyState)
      range_options(o, "healthy_state", -100.0, 100.0, "the other elements of the state in a healthy state");
    range_options(o, "healthy_angle", -Traits::kAngle, Traits::kAngle, "the torso's angle in a healthy state");
    range_options(o, "velocity", -10.0, 10.0, "observed velocities");
    noise_option(o, 5e-3);
    exclude_option(o, "Leave the root's x out of the observation.");
  }
  static Params params(const OptionValues& o) {
    Params p{};
    common_params(p, o);
    require_model(*p.model, {.positions = 3, .velocities = 1});
    p.reset_noise_scale = o.real("reset_noise_scale");
    p.forward_reward_weight = o.real("forward_reward_weight");
    p.ctrl_cost_weight = o.real("ctrl_cost_weight");
    p.health = Health::params(o);
    if constexpr (Traits::kHealthyState) p.healthy_state = range(o, "healthy_state");
    p.healthy_angle = range(o, "healthy_angle");
    p.velocity = range(o, "velocity");
    p.exclude_positions = o.boolean("exclude_current_positions_from_observation");
    return p;
  }
  static constexpr const char* kObservation = "Positions without the root's x, velocities.";
  static i64 obs_size(const Params& p) { return p.model->nq + p.model->nv - p.exclude_positions; }
  template <class Put>
  static void infos(const Params& p, const PlanarWalkerExtraState& k, const mjModel*, const mjData*, Put put) {
    put("x_position", k.x);
    put("x_velocity", k.x_velocity);
    if (!p.v5()) return;
    put("z_distance_from_origin", k.z_distance);
    put("reward_forward", k.reward_forward);
    put("reward_ctrl", k.reward_ctrl);
    put("reward_survive", k.reward_survive);
  }

  void reset_state(Rng& rng) {
    this->noisy_positions(rng, p_.reset_noise_scale);
    this->uniform_velocities(rng, p_.reset_noise_scale);
  }
  void update_extra() {
    extra_.x = data()->qpos[0];
    extra_.z_distance = data()->qpos[1] - model()->qpos0[1];
  }
  Outcome advance(const f64* action) {
    const f64 before = data()->qpos[0];
    this->simulate(action);
    update_extra();
    extra_.x_velocity = (extra_.x - before) / p_.dt();
    extra_.reward_forward = p_.forward_reward_weight * extra_.x_velocity;
    const bool is_healthy = check_health();
    extra_.reward_survive = p_.health.reward_for(is_healthy);
    const f64 cost = p_.ctrl_cost_weight * sum_of_squares(action, model()->nu);
    extra_.reward_ctrl = -cost;
    return {.reward = f32(extra_.reward_forward + extra_.reward_survive - cost),
            .terminated = p_.health.terminates_episode(is_healthy)};
  }
  void write(Writer out) const {
    out.put(data()->qpos + p_.exclude_positions, model()->nq - p_.exclude_positions);
    out.put(data()->qvel, model()->nv, p_.velocity);
  }

 private:
  static bool inside(f64 x, Pair range) { return range.low < x && x < range.high; }
  bool check_health() const {
    const mjData* d = data();
    bool is_healthy = inside(d->qpos[1], p_.health.z) && inside(d->qpos[2], p_.healthy_angle);
    if constexpr (Traits::kHealthyState) {
      for (int i = 2; i < model()->nq; ++i) is_healthy &= inside(d->qpos[i], p_.healthy_state);
      for (int i = 0; i < model()->nv; ++i) is_healthy &= inside(d->qvel[i], p_.healthy_state);
    }
    return is_healthy;
  }
};

// Hopper has one leg.
struct HopperTraits {
  static constexpr const char* kName = "Hopper";
  static constexpr const char* kModel = "hopper.xml";
  static constexpr bool kHealthyState = true;
  static constexpr f64 kLowest = 0.7, kHighest = kInfinity, kAngle = 0.2;
};
using Hopper = PlanarWalker<HopperTraits>;

// Walker2d has two legs.
struct Walker2dTraits {
  static constexpr const char* kName = "Walker2d";
  static constexpr const char* kModel = "walker2d_v5.xml";
  static constexpr bool kHealthyState = false;
  static constexpr f64 kLowest = 0.8, kHighest = 2.0, kAngle = 1.0;
};
using Walker2d = PlanarWalker<Walker2dTraits>;

}  // namespace envpool::mujoco
