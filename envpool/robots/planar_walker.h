// SPDX-License-Identifier: Apache-2.0
//
// The common part of Hopper and Walker2d: planar legs that are rewarded for moving along x and for staying healthy.
// Source: gymnasium 1.4.0, Hopper-v4, Hopper-v5, Walker2d-v4, Walker2d-v5; Erez, Tassa, Todorov (2011).
#pragma once

#include "envpool/robots/health.h"

namespace envpool::robots {

struct PlanarWalkerParams : RobotParams {
  f64 forward_reward_weight, ctrl_cost_weight;
  bool exclude_positions;
  Health health;
  Range healthy_state, healthy_angle, velocity;
};
struct PlanarWalkerTask {
  f64 x_velocity, reward_forward, reward_ctrl, reward_survive;
};

// `Traits` defines the differences between the two.
template <class Robot, class Traits>
struct PlanarWalker : RobotEnv<Robot, typename Traits::Model, PlanarWalkerParams, PlanarWalkerTask> {
  using Base = RobotEnv<Robot, typename Traits::Model, PlanarWalkerParams, PlanarWalkerTask>;
  using typename Base::Model, typename Base::Params, typename Base::State;

#if ENVPOOL_HOST
  static constexpr View kView{0.15, 150, true, 0.9};

  static void options(OptionSpecs& o) {
    Base::common_options(o, 4);
    o.real("forward_reward_weight", 1.0, "Reward per unit of velocity.").sets(&Params::forward_reward_weight);
    o.real("ctrl_cost_weight", 1e-3, "Cost per unit of squared torque.").sets(&Params::ctrl_cost_weight);
    Health::options(o, 1.0, {Traits::kLowest, Traits::kHighest}, &Params::health);
    if constexpr (Traits::kHealthyState) {
      range_options(o, "healthy_state", {-100.0, 100.0}, "the other elements of the state in a healthy state",
                    &Params::healthy_state);
    }
    range_options(o, "healthy_angle", {-Traits::kAngle, Traits::kAngle}, "the torso's angle in a healthy state",
                  &Params::healthy_angle);
    range_options(o, "velocity", {-10.0, 10.0}, "observed velocities", &Params::velocity);
    noise_option(o, 5e-3);
    exclude_option(o, "Leave the root's x out of the observation.", &Params::exclude_positions);
  }
#endif
  static constexpr const char* kObservation = "Positions without the root's x, velocities.";
  ENVPOOL_FN static i64 obs_size(const Params& p) { return Model::kPositions + Model::kDofs - p.exclude_positions; }
  template <class Put>
  ENVPOOL_FN static void infos(const Params& p, const State& s, Put put) {
    put("x_position", s.qpos[0]);
    put("x_velocity", s.task.x_velocity);
    if (!p.v5()) return;
    put("z_distance_from_origin", s.qpos[1] - Model::initial(1));
    put("reward_forward", s.task.reward_forward);
    put("reward_ctrl", s.task.reward_ctrl);
    put("reward_survive", s.task.reward_survive);
  }

  ENVPOOL_FN static void add_noise(State& s, const Params& p, Rng& rng) {
    Base::noisy_positions(s, p.reset_noise_scale, rng);
    Base::uniform_velocities(s, p.reset_noise_scale, rng);
  }
  ENVPOOL_FN static void remember(const State& s, f64* before) { before[0] = s.qpos[0]; }
  ENVPOOL_FN static Outcome conclude(State& s, const Params& p, const f64* action, const f64* before) {
    s.task.x_velocity = (s.qpos[0] - before[0]) / p.dt;
    s.task.reward_forward = p.forward_reward_weight * s.task.x_velocity;
    const bool is_healthy = check_health(s, p);
    s.task.reward_survive = p.health.reward_for(is_healthy);
    const f64 cost = p.ctrl_cost_weight * sum_of_squares(action, Model::kActuators);
    s.task.reward_ctrl = -cost;
    return {.reward = f32(s.task.reward_forward + s.task.reward_survive - cost),
            .terminated = p.health.terminates_episode(is_healthy)};
  }
  ENVPOOL_FN static void write(const State& s, const Params& p, Writer out) {
    out.put(s.qpos + p.exclude_positions, Model::kPositions - p.exclude_positions);
    out.put(s.qvel, Model::kDofs, p.velocity);
  }

 private:
  ENVPOOL_FN static bool check_health(const State& s, const Params& p) {
    bool is_healthy = p.health.z.encloses(s.qpos[1]) && p.healthy_angle.encloses(s.qpos[2]);
    if constexpr (Traits::kHealthyState) {
      for (i32 i = 2; i < Model::kPositions; ++i) is_healthy &= p.healthy_state.encloses(s.qpos[i]);
      for (const f64 v : s.qvel) is_healthy &= p.healthy_state.encloses(v);
    }
    return is_healthy;
  }
};

}  // namespace envpool::robots
