// SPDX-License-Identifier: Apache-2.0
//
// InvertedPendulum: a cart that balances a pole.
//
//   Action       f64[1] in -3..3: the force on the cart
//   Observation  f64[4]: positions and velocities of cart and pole
//   Reward       healthy_reward; since version 5 the step that ends the episode has none (reward_if_not_terminated)
//   Terminated   the pole's angle is outside healthy_z_min..max (EnvPool's names), or an element of the state is not
//                finite
//   Truncated    after 1000 steps
//   Info         since version 5 reward_survive
//   Reset        uniform noise of size reset_noise_scale on positions and velocities
//
// Reference: gymnasium 1.4.0, InvertedPendulum-v4 and -v5, with MuJoCo 3.17.0; Barto, Sutton, Anderson (1983).
#pragma once

#include "envpool/robots/models/inverted_pendulum.h"
#include "envpool/robots/robot_env.h"

namespace envpool::robots {

struct InvertedPendulumParams : RobotParams {
  f64 healthy_reward;
  bool reward_if_not_terminated;
  Range healthy;
};
struct InvertedPendulumTask {
  f64 reward_survive;
};

struct InvertedPendulum
    : RobotEnv<InvertedPendulum, InvertedPendulumModel, InvertedPendulumParams, InvertedPendulumTask> {
  static constexpr const char* kName = "InvertedPendulum";

#if ENVPOOL_HOST
  static constexpr View kView{0.1, 180, false, 0.3};

  static void options(OptionSpecs& o) {
    common_options(o, 2);
    o.real("healthy_reward", 1.0, "Reward for a step.").sets(&Params::healthy_reward);
    o.boolean("reward_if_not_terminated", true, "Give no reward for the step that ends the episode.")
        .sets(&Params::reward_if_not_terminated);
    range_options(o, "healthy_z", {-0.2, 0.2}, "the pole's angle", &Params::healthy);
    noise_option(o, 0.01);
  }
#endif
  static constexpr const char* kObservation = "Positions and velocities of cart and pole.";
  ENVPOOL_FN static i64 obs_size(const Params&) { return Model::kPositions + Model::kDofs; }
  template <class Put>
  ENVPOOL_FN static void infos(const Params& p, const State& s, Put put) {
    if (p.v5()) put("reward_survive", s.task.reward_survive);
  }

  ENVPOOL_FN static void add_noise(State& s, const Params& p, Rng& rng) {
    noisy_positions(s, p.reset_noise_scale, rng);
    uniform_velocities(s, p.reset_noise_scale, rng);
  }
  ENVPOOL_FN static void remember(const State&, f64*) {}
  ENVPOOL_FN static Outcome conclude(State& s, const Params& p, const f64*, const f64*) {
    bool ends = !(p.healthy.low <= s.qpos[1] && s.qpos[1] <= p.healthy.high);
    for (const f64 q : s.qpos) ends |= !is_finite(q);
    for (const f64 v : s.qvel) ends |= !is_finite(v);
    s.task.reward_survive = ends && p.reward_if_not_terminated ? 0 : p.healthy_reward;
    return {.reward = f32(s.task.reward_survive), .terminated = ends};
  }
  ENVPOOL_FN static void write(const State& s, const Params&, Writer out) {
    out.put(s.qpos, Model::kPositions);
    out.put(s.qvel, Model::kDofs);
  }
};

}  // namespace envpool::robots
