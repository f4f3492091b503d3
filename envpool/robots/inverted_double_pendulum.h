// SPDX-License-Identifier: Apache-2.0
//
// InvertedDoublePendulum: a cart that balances two poles, one on top of the other.
//
//   Action       f64[1] in -1..1: the force on the cart
//   Observation  f64[9]: the cart's position, sines and cosines of the poles' angles, velocities, and the first
//                constraint_obs_dim constraint forces within observation_min..max
//   Reward       healthy_reward - 0.01 x^2 - (z - 2)^2 - 0.001 v1^2 - 0.005 v2^2, with the tip's position (x, z) and
//                the poles' angular velocities; since version 5 the step that ends the episode has no healthy_reward
//                (reward_if_not_terminated)
//   Terminated   the tip is at healthy_z_max (EnvPool's name; 1) or lower
//   Truncated    after 1000 steps
//   Info         since version 5 the terms of the reward
//   Reset        uniform noise on positions, normal noise on velocities, both of size reset_noise_scale
//
// Reference: gymnasium 1.4.0, InvertedDoublePendulum-v4 and -v5, with MuJoCo 3.17.0.
#pragma once

#include "envpool/robots/models/inverted_double_pendulum.h"
#include "envpool/robots/robot_env.h"

namespace envpool::robots {

struct InvertedDoublePendulumParams : RobotParams {
  f64 healthy_reward, lowest;
  bool reward_if_not_terminated;
  i32 constraints;
  Range observation;
};
struct InvertedDoublePendulumTask {
  f64 reward_survive, distance_penalty, velocity_penalty;
};

// The results are the tip's x and z, and the constraint forces.
struct InvertedDoublePendulum : RobotEnv<InvertedDoublePendulum, InvertedDoublePendulumModel,
                                         InvertedDoublePendulumParams, InvertedDoublePendulumTask, 5> {
  static constexpr const char* kName = "InvertedDoublePendulum";

#if ENVPOOL_HOST
  static constexpr View kView{0.1, 150, false, 0.5};

  static void options(OptionSpecs& o) {
    common_options(o, 5);
    o.real("healthy_reward", 10.0, "Reward for a step, before penalties.").sets(&Params::healthy_reward);
    o.boolean("reward_if_not_terminated", true, "Give no healthy_reward for the step that ends the episode.")
        .sets(&Params::reward_if_not_terminated);
    o.integer("constraint_obs_dim", 1, "Number of observed constraint forces.")
        .between(0, Model::kDofs)
        .changes_shapes()
        .sets(&Params::constraints);
    o.real("healthy_z_max", 1.0, "Height of the tip at which the episode ends.").sets(&Params::lowest);
    range_options(o, "observation", {-10.0, 10.0}, "observed velocities and forces", &Params::observation);
    noise_option(o, 0.1);
  }
#endif
  static constexpr const char* kObservation =
      "The cart's position, sines and cosines of the poles' angles, velocities, constraint forces.";
  ENVPOOL_FN static i64 obs_size(const Params& p) { return 2 * Model::kPositions - 1 + Model::kDofs + p.constraints; }
  template <class Put>
  ENVPOOL_FN static void infos(const Params& p, const State& s, Put put) {
    if (!p.v5()) return;
    put("reward_survive", s.task.reward_survive);
    put("distance_penalty", s.task.distance_penalty);
    put("velocity_penalty", s.task.velocity_penalty);
  }

  ENVPOOL_FN static void add_noise(State& s, const Params& p, Rng& rng) {
    noisy_positions(s, p.reset_noise_scale, rng);
    normal_velocities(s, p.reset_noise_scale, rng);
  }
  template <class Size, class T>
  ENVPOOL_ALWAYS_INLINE static void results(const Data<Size, T>& d, const Params&, bool, T* out) {
    T tip[3];
    const Site& site = Model::site(0);
    global_position(d, site.body, site.same_frame, site.pos, tip);
    out[0] = tip[0];
    out[1] = tip[2];
    copy<Model::kDofs>(out + 2, d.qfrc_constraint);
  }
  ENVPOOL_FN static void remember(const State&, f64*) {}
  ENVPOOL_FN static Outcome conclude(State& s, const Params& p, const f64*, const f64*) {
    const f64 x = s.results[0], z = s.results[1], v1 = s.qvel[1], v2 = s.qvel[2];
    const bool ends = z <= p.lowest;
    const f64 distance = 0.01 * (x * x) + (z - 2) * (z - 2);
    const f64 velocity = 1e-3 * (v1 * v1) + 5e-3 * (v2 * v2);
    s.task.reward_survive = ends && p.reward_if_not_terminated ? 0 : p.healthy_reward;
    s.task.distance_penalty = -distance;
    s.task.velocity_penalty = -velocity;
    return {.reward = f32(s.task.reward_survive - distance - velocity), .terminated = ends};
  }
  ENVPOOL_FN static void write(const State& s, const Params& p, Writer out) {
    out.put(s.qpos[0]);
    for (i32 i = 1; i < Model::kPositions; ++i) out.put(sin(s.qpos[i]));
    for (i32 i = 1; i < Model::kPositions; ++i) out.put(cos(s.qpos[i]));
    out.put(s.qvel, Model::kDofs, p.observation);
    out.put(s.results + 2, p.constraints, p.observation);
  }
};

}  // namespace envpool::robots
