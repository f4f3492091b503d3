// SPDX-License-Identifier: Apache-2.0
//
// A humanoid that is rewarded for walking along x and for staying healthy.
//
// Observation: see humanoid_observation.h.
// Action: seventeen joint torques in -0.4..0.4.
// Reward: forward_reward_weight * x velocity of the centre of mass + healthy_reward - ctrl_cost_weight * sum of squared
// torques - contact_cost_weight * sum of squared contact forces, the last term within contact_cost_min..max.
// Terminated: when the torso's height is outside healthy_z_min..max.
// Versions: version 4 has no cost of contact forces. In version 3, contact forces are zeros, because mujoco-py did not
// compute them. Both versions give healthy_reward for the last step too.
// Info: position, velocity, distance from the origin (of the centre of mass up to version 4), the terms of the reward
// under the names of both versions, and tendons.
// Reset: uniform noise on positions and velocities.
// Source: gymnasium 1.4.0, Humanoid-v4 and -v5; Tassa, Erez, Todorov (2012).
#pragma once

#include "envpool/mujoco/gym/health.h"
#include "envpool/mujoco/gym/humanoid_observation.h"

namespace envpool::mujoco {

struct HumanoidParams : GymParams {
  HumanoidObservation observation;
  f64 forward_reward_weight, ctrl_cost_weight, contact_cost_weight;
  bool use_contact_force;
  Health health;
  Pair contact_cost;
  f64 mass;  // of the model that make() loaded
};
struct HumanoidExtraState {
  f64 centre_x, centre_y;  // of mass after the last step
  f64 x, y, x_velocity, y_velocity, reward_forward, reward_ctrl, reward_contact, reward_survive;
};

class Humanoid : public GymEnv<Humanoid, HumanoidParams, HumanoidExtraState> {
 public:
  static constexpr const char* kName = "Humanoid";
  using GymEnv::GymEnv;

  static void options(OptionSpecs& o) {
    common_options(o, "humanoid.xml", 5);
    o.real("forward_reward_weight", 1.25, "Reward per unit of velocity.");
    o.real("ctrl_cost_weight", 0.1, "Cost per unit of squared torque.");
    o.boolean("use_contact_force", true, "Contact forces have a cost.");
    o.real("contact_cost_weight", 5e-7, "Cost per unit of squared contact force.");
    range_options(o, "contact_cost", -kInfinity, 10.0, "the contact cost");
    Health::options(o, 5.0, {1.0, 2.0});
    noise_option(o, 1e-2);
    HumanoidObservation::options(o);
  }
  static Params params(const OptionValues& o) {
    Params p{};
    common_params(p, o);
    require_model(*p.model, HumanoidObservation::kRequired);
    p.observation = HumanoidObservation::params(o);
    p.reset_noise_scale = o.real("reset_noise_scale");
    p.forward_reward_weight = o.real("forward_reward_weight");
    p.ctrl_cost_weight = o.real("ctrl_cost_weight");
    p.contact_cost_weight = o.real("contact_cost_weight");
    p.use_contact_force = o.boolean("use_contact_force");
    p.contact_cost = range(o, "contact_cost");
    p.health = Health::params(o);
    p.mass = mass_of(*p.model);
    return p;
  }
  static constexpr const char* kObservation = HumanoidObservation::kObservation;
  static i64 obs_size(const Params& p) { return p.observation.obs_size(*p.model); }
  template <class Put>
  static void infos(const Params& p, const HumanoidExtraState& k, const mjModel* m, const mjData* d, Put put) {
    put("x_position", p.v5() ? k.x : k.centre_x);
    put("y_position", p.v5() ? k.y : k.centre_y);
    put("distance_from_origin", p.v5() ? norm(k.x, k.y) : norm(k.centre_x, k.centre_y));
    put("x_velocity", k.x_velocity);
    put("y_velocity", k.y_velocity);
    put("reward_linvel", k.reward_forward);
    put("reward_quadctrl", k.reward_ctrl);
    put("reward_alive", k.reward_survive);
    put("reward_impact", k.reward_contact);
    if (!p.v5()) {
      put("forward_reward", k.reward_forward);
      return;
    }
    put("reward_forward", k.reward_forward);
    put("reward_ctrl", k.reward_ctrl);
    put("reward_survive", k.reward_survive);
    put("reward_contact", k.reward_contact);
    tendon_infos(m, d, put);
  }

  void reset_state(Rng& rng) {
    noisy_positions(rng, p_.reset_noise_scale);
    uniform_velocities(rng, p_.reset_noise_scale);
  }
  void update_extra() {
    extra_.x = data()->qpos[0];
    extra_.y = data()->qpos[1];
    f64 x = 0, y = 0;
    for (int body = 0; body < model()->nbody; ++body) {
      x += model()->body_mass[body] * data()->xipos[3 * body];
      y += model()->body_mass[body] * data()->xipos[3 * body + 1];
    }
    extra_.centre_x = x / mass();
    extra_.centre_y = y / mass();
  }
  Outcome advance(const f64* action) {
    const f64 x = extra_.centre_x, y = extra_.centre_y;
    simulate(action, p_.use_contact_force || p_.observation.cfrc_ext);
    update_extra();
    extra_.x_velocity = (extra_.centre_x - x) / p_.dt();
    extra_.y_velocity = (extra_.centre_y - y) / p_.dt();
    extra_.reward_forward = p_.forward_reward_weight * extra_.x_velocity;
    const bool is_healthy = p_.health.z.low < data()->qpos[2] && data()->qpos[2] < p_.health.z.high;
    extra_.reward_survive = p_.health.reward_for(is_healthy);
    f64 cost = p_.ctrl_cost_weight * sum_of_squares(data()->ctrl, model()->nu);
    extra_.reward_ctrl = -cost;
    if (p_.use_contact_force) {
      const f64 contact = contact_cost(*model(), *data(), p_.contact_cost_weight, p_.contact_cost);
      extra_.reward_contact = -contact;
      cost += contact;
    }
    return {.reward = f32(extra_.reward_forward + extra_.reward_survive - cost),
            .terminated = p_.health.terminates_episode(is_healthy)};
  }
  void write(Writer out) const { p_.observation.write(*model(), *data(), out); }

 private:
  static f64 mass_of(const mjModel& m) {
    return numpy_sum(m.nbody, [&](i64 i) { return m.body_mass[i]; });
  }
  f64 mass() const { return model() == p_.model.get() ? p_.mass : mass_of(*model()); }
};

}  // namespace envpool::mujoco
