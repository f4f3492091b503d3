// SPDX-License-Identifier: Apache-2.0
//
// A four-legged robot that is rewarded for walking along x and for staying healthy.
//
// Observation: positions without the torso's x and y (13), velocities (14), contact forces of each body within
// contact_force_min..max (6 each).
// Action: eight joint torques in -1..1.
// Reward: forward_reward_weight * x velocity of main_body + healthy_reward - ctrl_cost_weight * sum of squared torques
// - contact_cost_weight * sum of squared contact forces.
// Terminated: when the torso's height is outside healthy_z_min..max, or an element of the state is not finite.
// Versions: version 4 has contact forces only with use_contact_force. Observations then include those of the world
// body, and the cost of contact forces is reported as reward_ctrl. Version 3 always has contact forces, but they are
// zeros, because mujoco-py did not compute them. Both versions give healthy_reward for the last step too.
// Info: position, velocity, distance from the origin and the terms of the reward.
// Reset: uniform noise on positions, normal noise on velocities, both of size reset_noise_scale.
// Source: gymnasium 1.4.0, Ant-v4 and -v5; Schulman, Moritz, Levine, Jordan, Abbeel (2015).
#pragma once

#include "envpool/mujoco/gym/health.h"

namespace envpool::mujoco {

struct AntParams : GymParams {
  f64 forward_reward_weight, ctrl_cost_weight, contact_cost_weight;
  bool use_contact_force, show_contact_force, exclude_world, exclude_positions;
  Health health;
  Pair contact_force;
  int main_body;
};
struct AntExtraState {
  f64 body_x, body_y;  // of main_body after the last step
  f64 x, y, x_velocity, y_velocity, reward_forward, reward_ctrl, reward_contact, reward_survive;
};

class Ant : public GymEnv<Ant, AntParams, AntExtraState> {
 public:
  static constexpr const char* kName = "Ant";
  using GymEnv::GymEnv;

  static void options(OptionSpecs& o) {
    common_options(o, "ant.xml", 5);
    o.real("forward_reward_weight", 1.0, "Reward per unit of velocity.");
    o.real("ctrl_cost_weight", 0.5, "Cost per unit of squared torque.");
    o.real("contact_cost_weight", 5e-4, "Cost per unit of squared contact force.");
    Health::options(o, 1.0, {0.2, 1.0});
    o.text("main_body", "1", "Name or number of the body whose velocity is rewarded.");
    range_options(o, "contact_force", -1.0, 1.0, "contact forces");
    noise_option(o, 0.1);
    exclude_option(o, "Leave the torso's x and y out of the observation.");
    o.boolean("use_contact_force", true, "Contact forces have a cost and are observed.").changes_shapes();
    o.boolean("include_cfrc_ext_in_observation", true, "Observe contact forces, if use_contact_force is set.")
        .changes_shapes();
    o.boolean("exclude_worldbody_contact_forces", true,
              "Leave contact forces of the world body out of the observation.")
        .changes_shapes();
  }
  static Params params(const OptionValues& o) {
    Params p{};
    common_params(p, o);
    require_model(*p.model, {.positions = 3, .velocities = 1});
    p.main_body = find_body(*p.model, std::string(o.text("main_body")));
    p.forward_reward_weight = o.real("forward_reward_weight");
    p.ctrl_cost_weight = o.real("ctrl_cost_weight");
    p.contact_cost_weight = o.real("contact_cost_weight");
    p.health = Health::params(o);
    p.contact_force = range(o, "contact_force");
    p.reset_noise_scale = o.real("reset_noise_scale");
    p.exclude_positions = o.boolean("exclude_current_positions_from_observation");
    p.use_contact_force = o.boolean("use_contact_force");
    p.show_contact_force = p.use_contact_force && o.boolean("include_cfrc_ext_in_observation");
    p.exclude_world = o.boolean("exclude_worldbody_contact_forces");
    return p;
  }
  static constexpr const char* kObservation =
      "Positions without the torso's x and y, velocities, contact forces of each body.";
  static i64 obs_size(const Params& p) {
    const mjModel& m = *p.model;
    return m.nq + m.nv - 2 * p.exclude_positions + (p.show_contact_force ? 6 * (m.nbody - p.exclude_world) : 0);
  }
  template <class Put>
  static void infos(const Params& p, const AntExtraState& k, const mjModel*, const mjData*, Put put) {
    put("x_position", p.v5() ? k.x : k.body_x);
    put("y_position", p.v5() ? k.y : k.body_y);
    put("distance_from_origin", p.v5() ? norm(k.x, k.y) : norm(k.body_x, k.body_y));
    put("x_velocity", k.x_velocity);
    put("y_velocity", k.y_velocity);
    put("reward_forward", k.reward_forward);
    if (!p.v5()) put("forward_reward", k.reward_forward);
    put("reward_ctrl", p.info_version == 4 && p.use_contact_force ? k.reward_contact : k.reward_ctrl);
    put("reward_contact", k.reward_contact);
    put("reward_survive", k.reward_survive);
  }

  void reset_state(Rng& rng) {
    noisy_positions(rng, p_.reset_noise_scale);
    normal_velocities(rng, p_.reset_noise_scale);
  }
  void update_extra() {
    extra_.x = data()->qpos[0];
    extra_.y = data()->qpos[1];
    extra_.body_x = data()->xpos[3 * p_.main_body];
    extra_.body_y = data()->xpos[3 * p_.main_body + 1];
  }
  Outcome advance(const f64* action) {
    const f64 x = extra_.body_x, y = extra_.body_y;
    simulate(action, p_.use_contact_force);
    update_extra();
    extra_.x_velocity = (extra_.body_x - x) / p_.dt();
    extra_.y_velocity = (extra_.body_y - y) / p_.dt();
    extra_.reward_forward = p_.forward_reward_weight * extra_.x_velocity;
    const bool is_healthy = check_health();
    extra_.reward_survive = p_.health.reward_for(is_healthy);
    f64 cost = p_.ctrl_cost_weight * sum_of_squares(action, model()->nu);
    extra_.reward_ctrl = -cost;
    if (p_.use_contact_force) {
      const f64 contact = p_.contact_cost_weight * numpy_sum(6 * model()->nbody, [this](i64 i) {
                            const f64 force = clip(data()->cfrc_ext[i], p_.contact_force);
                            return force * force;
                          });
      extra_.reward_contact = -contact;
      cost += contact;
    }
    return {.reward = f32(extra_.reward_forward + extra_.reward_survive - cost),
            .terminated = p_.health.terminates_episode(is_healthy)};
  }
  void write(Writer out) const {
    const int skipped = 2 * p_.exclude_positions;
    out.put(data()->qpos + skipped, model()->nq - skipped);
    out.put(data()->qvel, model()->nv);
    if (!p_.show_contact_force) return;
    out.put(data()->cfrc_ext + 6 * p_.exclude_world, 6 * (model()->nbody - p_.exclude_world), p_.contact_force);
  }

 private:
  static int find_body(const mjModel& model, const std::string& main_body) {
    const int named = mj_name2id(&model, mjOBJ_BODY, main_body.c_str());
    if (named >= 0) return named;
    const bool number =
        !main_body.empty() && main_body.size() < 9 && main_body.find_first_not_of("0123456789") == std::string::npos;
    if (number && std::stoi(main_body) < model.nbody) return std::stoi(main_body);
    throw std::invalid_argument("main_body: expected the name of a body of the model, or a number from 0 to " +
                                std::to_string(model.nbody - 1) + ", got '" + main_body + "'");
  }
  bool check_health() const {
    const mjData* d = data();
    for (int i = 0; i < model()->nq; ++i) {
      if (!std::isfinite(d->qpos[i])) return false;
    }
    for (int i = 0; i < model()->nv; ++i) {
      if (!std::isfinite(d->qvel[i])) return false;
    }
    return p_.health.z.low <= d->qpos[2] && d->qpos[2] <= p_.health.z.high;
  }
};

}  // namespace envpool::mujoco
