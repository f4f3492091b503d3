// SPDX-License-Identifier: Apache-2.0
//
// A two-legged, two-armed body that is paid for walking along x, and for staying up.
//
// Observation: humanoid_body.h. Action: seventeen joint torques in -0.4..0.4.
// Reward: forward_reward_weight * x velocity of the centre of mass + healthy_reward - ctrl_cost_weight * sum of squared
// torques - contact_cost_weight * sum of squared contact forces, that within contact_cost_min..max.
// Ends: the torso's height out of healthy_z_min..max.
// Versions: 4 has no cost of contact; in 3 mujoco-py computed no contact forces: they are zeros. Both pay
// healthy_reward for the last step too. Info: position, velocity, distance from the origin (of the centre of mass up to
// version 4) and the reward's terms under the names of both versions, tendons. Reset: uniform noise on positions and
// velocities. Source: gymnasium 1.4.0, Humanoid-v4 and -v5; Tassa, Erez, Todorov (2012).
#pragma once

#include "envpool/mujoco/gym/health.h"
#include "envpool/mujoco/gym/humanoid_body.h"

namespace envpool::mujoco {

struct HumanoidParams : GymParams {
  HumanoidShown shown;
  f64 forward_reward_weight, ctrl_cost_weight, contact_cost_weight;
  bool use_contact_force;
  Health health;
  Pair contact_cost;
  f64 mass;
};
struct HumanoidKept {
  f64 centre_x, centre_y;  // of mass, as of the last step
  f64 x, y, x_velocity, y_velocity, reward_forward, reward_ctrl, reward_contact, reward_survive;
};

class Humanoid : public GymEnv<Humanoid, HumanoidParams, HumanoidKept> {
 public:
  static constexpr const char* kName = "Humanoid";
  using GymEnv::GymEnv;

  static void options(OptionSpecs& o) {
    common_options(o, "humanoid.xml", 5);
    o.real("forward_reward_weight", 1.25, "What a unit of velocity pays.");
    o.real("ctrl_cost_weight", 0.1, "What a unit of squared torque costs.");
    o.boolean("use_contact_force", true, "Contact forces cost.");
    o.real("contact_cost_weight", 5e-7, "What a unit of squared contact force costs.");
    range_options(o, "contact_cost", -kInfinity, 10.0, "Contact costs");
    Health::options(o, 5.0, {1.0, 2.0});
    noise_option(o, 1e-2);
    HumanoidShown::options(o);
  }
  static Params params(const OptionValues& o) {
    Params p{};
    common_params(p, o);
    require_model(*p.model, HumanoidShown::kNeeds);
    p.shown = HumanoidShown::params(o);
    p.reset_noise_scale = o.real("reset_noise_scale");
    p.forward_reward_weight = o.real("forward_reward_weight");
    p.ctrl_cost_weight = o.real("ctrl_cost_weight");
    p.contact_cost_weight = o.real("contact_cost_weight");
    p.use_contact_force = o.boolean("use_contact_force");
    p.contact_cost = range(o, "contact_cost");
    p.health = Health::params(o);
    p.mass = numpy_sum(p.model->nbody, [&](i64 i) { return p.model->body_mass[i]; });
    return p;
  }
  static constexpr const char* kObservation = HumanoidShown::kObservation;
  static i64 observed(const Params& p) { return p.shown.observed(*p.model); }
  template <class Put>
  static void infos(const Params& p, const HumanoidKept& k, const mjModel* m, const mjData* d, Put put) {
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
  void start() {
    kept_.x = data()->qpos[0];
    kept_.y = data()->qpos[1];
    f64 x = 0, y = 0;
    for (int body = 0; body < model()->nbody; ++body) {
      x += model()->body_mass[body] * data()->xipos[3 * body];
      y += model()->body_mass[body] * data()->xipos[3 * body + 1];
    }
    kept_.centre_x = x / p_.mass;
    kept_.centre_y = y / p_.mass;
  }
  Outcome move(const f64* action) {
    const f64 x = kept_.centre_x, y = kept_.centre_y;
    simulate(action, p_.use_contact_force || p_.shown.cfrc_ext);
    start();
    kept_.x_velocity = (kept_.centre_x - x) / p_.dt();
    kept_.y_velocity = (kept_.centre_y - y) / p_.dt();
    kept_.reward_forward = p_.forward_reward_weight * kept_.x_velocity;
    const bool well = p_.health.z.low < data()->qpos[2] && data()->qpos[2] < p_.health.z.high;
    kept_.reward_survive = p_.health.pays(well);
    f64 cost = p_.ctrl_cost_weight * sum_of_squares(data()->ctrl, model()->nu);
    kept_.reward_ctrl = -cost;
    if (p_.use_contact_force) {
      const f64 contact = contact_cost(*model(), *data(), p_.contact_cost_weight, p_.contact_cost);
      kept_.reward_contact = -contact;
      cost += contact;
    }
    return {.reward = f32(kept_.reward_forward + kept_.reward_survive - cost), .terminated = p_.health.ends(well)};
  }
  void write(Writer out) const { p_.shown.write(*model(), *data(), out); }
};

}  // namespace envpool::mujoco
