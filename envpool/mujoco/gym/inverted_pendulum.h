// SPDX-License-Identifier: Apache-2.0
//
// A cart that balances a pole.
//
// Observation: positions and velocities of cart and pole.
// Action: the force on the cart in -3..3.
// Reward: healthy_reward; since version 5 the step that ends the episode has none (reward_if_not_terminated).
// Terminated: when the pole's angle is outside healthy_z_min..max (EnvPool's names), or an element of the state is not
// finite.
// Info: since version 5 reward_survive.
// Reset: uniform noise on positions and velocities.
// Source: gymnasium 1.4.0, InvertedPendulum-v4 and -v5; Barto, Sutton, Anderson (1983).
#pragma once

#include "envpool/mujoco/gym/gym_env.h"

namespace envpool::mujoco {

struct InvertedPendulumParams : GymParams {
  f64 healthy_reward;
  bool reward_if_not_terminated;
  Pair healthy;
};
struct InvertedPendulumExtraState {
  f64 reward_survive;
};

class InvertedPendulum : public GymEnv<InvertedPendulum, InvertedPendulumParams, InvertedPendulumExtraState> {
 public:
  static constexpr const char* kName = "InvertedPendulum";
  using GymEnv::GymEnv;

  static void options(OptionSpecs& o) {
    common_options(o, "inverted_pendulum.xml", 2);
    o.real("healthy_reward", 1.0, "Reward for a step.");
    o.boolean("reward_if_not_terminated", true, "Give no reward for the step that ends the episode.");
    range_options(o, "healthy_z", -0.2, 0.2, "the pole's angle");
    noise_option(o, 0.01);
  }
  static Params params(const OptionValues& o) {
    Params p{};
    common_params(p, o);
    require_model(*p.model, {.positions = 2, .velocities = 1});
    p.reset_noise_scale = o.real("reset_noise_scale");
    p.healthy_reward = o.real("healthy_reward");
    p.reward_if_not_terminated = o.boolean("reward_if_not_terminated");
    p.healthy = range(o, "healthy_z");
    return p;
  }
  static constexpr const char* kObservation = "Positions and velocities of cart and pole.";
  static i64 obs_size(const Params& p) { return p.model->nq + p.model->nv; }
  template <class Put>
  static void infos(const Params& p, const InvertedPendulumExtraState& k, const mjModel*, const mjData*, Put put) {
    if (p.v5()) put("reward_survive", k.reward_survive);
  }

  void reset_state(Rng& rng) {
    noisy_positions(rng, p_.reset_noise_scale);
    uniform_velocities(rng, p_.reset_noise_scale);
  }
  void update_extra() {}
  Outcome advance(const f64* action) {
    simulate(action);
    const bool ends = !upright();
    extra_.reward_survive = ends && p_.reward_if_not_terminated ? 0 : p_.healthy_reward;
    return {.reward = f32(extra_.reward_survive), .terminated = ends};
  }
  void write(Writer out) const {
    out.put(data()->qpos, model()->nq);
    out.put(data()->qvel, model()->nv);
  }

 private:
  bool upright() const {
    const mjData* d = data();
    for (int i = 0; i < model()->nq; ++i) {
      if (!std::isfinite(d->qpos[i])) return false;
    }
    for (int i = 0; i < model()->nv; ++i) {
      if (!std::isfinite(d->qvel[i])) return false;
    }
    return p_.healthy.low <= d->qpos[1] && d->qpos[1] <= p_.healthy.high;
  }
};

}  // namespace envpool::mujoco
