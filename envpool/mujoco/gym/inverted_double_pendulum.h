// SPDX-License-Identifier: Apache-2.0
//
// A cart that balances two poles, one on top of the other.
//
// Observation: the cart's position, sine and cosine of the poles' angles, velocities and the first constraint_obs_dim
// constraint forces within observation_min..max.
// Action: the force on the cart in -1..1.
// Reward: healthy_reward - 0.01 x^2 - (z - 2)^2 - 0.001 v1^2 - 0.005 v2^2, with the tip's position (x, z) and the
// angular velocities of the poles; since version 5 the step that ends the episode has no healthy_reward
// (reward_if_not_terminated).
// Terminated: when the tip is at healthy_z_max (EnvPool's name; 1) or lower.
// Info: since version 5 the terms of the reward.
// Reset: uniform noise on positions, normal noise on velocities.
// Source: gymnasium 1.4.0, InvertedDoublePendulum-v4 and -v5.
#pragma once

#include "envpool/mujoco/gym/gym_env.h"

namespace envpool::mujoco {

struct InvertedDoublePendulumParams : GymParams {
  f64 healthy_reward, lowest;
  bool reward_if_not_terminated;
  int constraints;
  Pair observation;
};
struct InvertedDoublePendulumExtraState {
  f64 reward_survive, distance_penalty, velocity_penalty;
};

class InvertedDoublePendulum
    : public GymEnv<InvertedDoublePendulum, InvertedDoublePendulumParams, InvertedDoublePendulumExtraState> {
 public:
  static constexpr const char* kName = "InvertedDoublePendulum";
  using GymEnv::GymEnv;

  static void options(OptionSpecs& o) {
    common_options(o, "inverted_double_pendulum.xml", 5);
    o.real("healthy_reward", 10.0, "Reward for a step, before penalties.");
    o.boolean("reward_if_not_terminated", true, "Give no healthy_reward for the step that ends the episode.");
    o.integer("constraint_obs_dim", 1, "Number of observed constraint forces.").between(0, 1000).changes_shapes();
    o.real("healthy_z_max", 1.0, "Height of the tip at which the episode ends.");
    range_options(o, "observation", -10.0, 10.0, "observed velocities and forces");
    noise_option(o, 0.1);
  }
  static Params params(const OptionValues& o) {
    Params p{};
    common_params(p, o);
    p.constraints = int(o.integer("constraint_obs_dim"));
    require_model(*p.model, {.positions = 3, .velocities = std::max(3, p.constraints), .sites = 1});
    p.reset_noise_scale = o.real("reset_noise_scale");
    p.healthy_reward = o.real("healthy_reward");
    p.reward_if_not_terminated = o.boolean("reward_if_not_terminated");
    p.lowest = o.real("healthy_z_max");
    p.observation = range(o, "observation");
    return p;
  }
  static constexpr const char* kObservation =
      "The cart's position, sines and cosines of the poles' angles, velocities, constraint forces.";
  static i64 obs_size(const Params& p) { return 2 * p.model->nq - 1 + p.model->nv + p.constraints; }
  template <class Put>
  static void infos(const Params& p, const InvertedDoublePendulumExtraState& k, const mjModel*, const mjData*,
                    Put put) {
    if (!p.v5()) return;
    put("reward_survive", k.reward_survive);
    put("distance_penalty", k.distance_penalty);
    put("velocity_penalty", k.velocity_penalty);
  }

  void reset_state(Rng& rng) {
    noisy_positions(rng, p_.reset_noise_scale);
    normal_velocities(rng, p_.reset_noise_scale);
  }
  void update_extra() {}
  Outcome advance(const f64* action) {
    simulate(action);
    const f64 x = data()->site_xpos[0], z = data()->site_xpos[2];
    const f64 v1 = data()->qvel[1], v2 = data()->qvel[2];
    const bool ends = z <= p_.lowest;
    const f64 distance = 0.01 * (x * x) + (z - 2) * (z - 2);
    const f64 velocity = 1e-3 * (v1 * v1) + 5e-3 * (v2 * v2);
    extra_.reward_survive = ends && p_.reward_if_not_terminated ? 0 : p_.healthy_reward;
    extra_.distance_penalty = -distance;
    extra_.velocity_penalty = -velocity;
    return {.reward = f32(extra_.reward_survive - distance - velocity), .terminated = ends};
  }
  void write(Writer out) const {
    const mjData* d = data();
    const int nq = model()->nq;
    out.put(d->qpos[0]);
    for (int i = 1; i < nq; ++i) out.put(envpool::sin(d->qpos[i]));
    for (int i = 1; i < nq; ++i) out.put(envpool::cos(d->qpos[i]));
    out.put(d->qvel, model()->nv, p_.observation);
    out.put(d->qfrc_constraint, p_.constraints, p_.observation);
  }
};

}  // namespace envpool::mujoco
