// SPDX-License-Identifier: Apache-2.0
//
// Legs in a plane that are paid for moving along x, and for not falling: what Hopper and Walker2d have in common.
//
// Observation: positions but for the root's x, velocities within -10..10. Action: joint torques in -1..1.
// Reward: forward_reward_weight * velocity + healthy_reward - ctrl_cost_weight * sum of squared torques. Up to version
// 4 healthy_reward is also paid for the step that ends unhealthy, where that terminates (legacy_healthy_reward). Ends:
// height or angle of the torso out of range; a Hopper's also with any other number of its state out of range. Info:
// x_position, x_velocity; from version 5 on z_distance_from_origin and the reward's terms. Reset: uniform noise of size
// reset_noise_scale on positions and velocities. Source: gymnasium 1.4.0, Hopper-v4, Hopper-v5, Walker2d-v4,
// Walker2d-v5; Erez, Tassa, Todorov (2011).
#pragma once

#include "envpool/mujoco/gym/health.h"

namespace envpool::mujoco {

struct PlanarWalkerParams : GymParams {
  f64 forward_reward_weight, ctrl_cost_weight;
  bool exclude_positions;
  Health health;
  Pair healthy_state, healthy_angle, velocity;
};
struct PlanarWalkerKept {
  f64 x, z_distance, x_velocity, reward_forward, reward_ctrl, reward_survive;
};

// `Of` says what differs.
template <class Of>
class PlanarWalker : public GymEnv<PlanarWalker<Of>, PlanarWalkerParams, PlanarWalkerKept> {
  using Base = GymEnv<PlanarWalker<Of>, PlanarWalkerParams, PlanarWalkerKept>;
  using Base::data, Base::model, Base::p_, Base::kept_;

 public:
  static constexpr const char* kName = Of::kName;
  using Params = PlanarWalkerParams;
  using Base::Base;

  static void options(OptionSpecs& o) {
    common_options(o, Of::kModel, 4);
    o.real("forward_reward_weight", 1.0, "What a unit of velocity pays.");
    o.real("ctrl_cost_weight", 1e-3, "What a unit of squared torque costs.");
    Health::options(o, 1.0, {Of::kLowest, Of::kHighest});
    if constexpr (Of::kHealthyState) range_options(o, "healthy_state", -100.0, 100.0, "Health: every other number,");
    range_options(o, "healthy_angle", -Of::kAngle, Of::kAngle, "Health: the torso's angle,");
    range_options(o, "velocity", -10.0, 10.0, "Velocities are shown");
    noise_option(o, 5e-3);
    exclude_option(o, "The observation leaves out the root's x.");
  }
  static Params params(const OptionValues& o) {
    Params p{};
    common_params(p, o);
    require_model(*p.model, {.positions = 3, .velocities = 1});
    p.reset_noise_scale = o.real("reset_noise_scale");
    p.forward_reward_weight = o.real("forward_reward_weight");
    p.ctrl_cost_weight = o.real("ctrl_cost_weight");
    p.health = Health::params(o);
    if constexpr (Of::kHealthyState) p.healthy_state = range(o, "healthy_state");
    p.healthy_angle = range(o, "healthy_angle");
    p.velocity = range(o, "velocity");
    p.exclude_positions = o.boolean("exclude_current_positions_from_observation");
    return p;
  }
  static constexpr const char* kObservation = "Positions but for the root's x, velocities.";
  static i64 observed(const Params& p) { return p.model->nq + p.model->nv - p.exclude_positions; }
  template <class Put>
  static void infos(const Params& p, const PlanarWalkerKept& k, const mjModel*, const mjData*, Put put) {
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
  void start() {
    kept_.x = data()->qpos[0];
    kept_.z_distance = data()->qpos[1] - model()->qpos0[1];
  }
  Outcome move(const f64* action) {
    const f64 before = data()->qpos[0];
    this->simulate(action);
    start();
    kept_.x_velocity = (kept_.x - before) / p_.dt();
    kept_.reward_forward = p_.forward_reward_weight * kept_.x_velocity;
    const bool well = healthy();
    kept_.reward_survive = p_.health.pays(well);
    const f64 cost = p_.ctrl_cost_weight * sum_of_squares(action, model()->nu);
    kept_.reward_ctrl = -cost;
    return {.reward = f32(kept_.reward_forward + kept_.reward_survive - cost), .terminated = p_.health.ends(well)};
  }
  void write(Writer out) const {
    out.put(data()->qpos + p_.exclude_positions, model()->nq - p_.exclude_positions);
    out.put(data()->qvel, model()->nv, p_.velocity);
  }

 private:
  static bool inside(f64 x, Pair range) { return range.low < x && x < range.high; }
  bool healthy() const {
    const mjData* d = data();
    bool well = inside(d->qpos[1], p_.health.z) && inside(d->qpos[2], p_.healthy_angle);
    if constexpr (Of::kHealthyState) {
      for (int i = 2; i < model()->nq; ++i) well &= inside(d->qpos[i], p_.healthy_state);
      for (int i = 0; i < model()->nv; ++i) well &= inside(d->qvel[i], p_.healthy_state);
    }
    return well;
  }
};

// One leg.
struct HopperFacts {
  static constexpr const char* kName = "Hopper";
  static constexpr const char* kModel = "hopper.xml";
  static constexpr bool kHealthyState = true;
  static constexpr f64 kLowest = 0.7, kHighest = kInfinity, kAngle = 0.2;
};
using Hopper = PlanarWalker<HopperFacts>;

// Two.
struct Walker2dFacts {
  static constexpr const char* kName = "Walker2d";
  static constexpr const char* kModel = "walker2d_v5.xml";
  static constexpr bool kHealthyState = false;
  static constexpr f64 kLowest = 0.8, kHighest = 2.0, kAngle = 1.0;
};
using Walker2d = PlanarWalker<Walker2dFacts>;

}  // namespace envpool::mujoco
