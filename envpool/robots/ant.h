// SPDX-License-Identifier: Apache-2.0
//
// Ant: a four-legged robot that is rewarded for walking along x and for staying healthy.
//
//   Action       f64[8] in -1..1: torques of the joints
//   Observation  f64[105]: positions without the torso's x and y (13), velocities (14), contact forces of each body
//                within contact_force_min..max (6 each)
//   Reward       forward_reward_weight * x velocity of main_body + healthy_reward - ctrl_cost_weight * sum of squared
//                torques - contact_cost_weight * sum of squared contact forces
//   Terminated   the torso's height is outside healthy_z_min..max, or an element of the state is not finite
//   Truncated    after 1000 steps
//   Info         position, velocity, distance from the origin and the terms of the reward
//   Reset        uniform noise on positions, normal noise on velocities, both of size reset_noise_scale
//
// Version 4 has contact forces only with use_contact_force. Observations then include those of the world body, and the
// cost of contact forces is reported as reward_ctrl. Version 3 always has contact forces, but they are zeros, because
// mujoco-py did not compute them. Both versions give healthy_reward for the last step too.
//
// Reference: gymnasium 1.4.0, Ant-v4 and -v5, with MuJoCo 3.17.0; Schulman, Moritz, Levine, Jordan, Abbeel (2015).
#pragma once

#include "envpool/robots/contact_force.h"
#include "envpool/robots/health.h"
#include "envpool/robots/models/ant.h"

namespace envpool::robots {

struct AntParams : RobotParams {
  f64 forward_reward_weight, ctrl_cost_weight, contact_cost_weight;
  bool use_contact_force, show_contact_force, post_constraint, exclude_world, exclude_positions;
  Health health;
  Range contact_force;
  i32 main_body;
};
struct AntTask {
  f64 x_velocity, y_velocity, reward_forward, reward_ctrl, reward_contact, reward_survive;
};

// The results are x and y of main_body, and the contact forces.
struct Ant : RobotEnv<Ant, AntModel, AntParams, AntTask, 2 + 6 * AntModel::kBodies> {
  static constexpr const char* kName = "Ant";

#if ENVPOOL_HOST
  static constexpr View kView{0.5, 110, true, 0.5};

  static void options(OptionSpecs& o) {
    common_options(o, 5);
    o.real("forward_reward_weight", 1.0, "Reward per unit of velocity.").sets(&Params::forward_reward_weight);
    o.real("ctrl_cost_weight", 0.5, "Cost per unit of squared torque.").sets(&Params::ctrl_cost_weight);
    o.real("contact_cost_weight", 5e-4, "Cost per unit of squared contact force.").sets(&Params::contact_cost_weight);
    Health::options(o, 1.0, {0.2, 1.0}, &Params::health);
    o.integer("main_body", 1, "Number of the body whose velocity is rewarded; 1 is the torso.")
        .between(0, Model::kBodies - 1)
        .sets(&Params::main_body);
    range_options(o, "contact_force", {-1.0, 1.0}, "contact forces", &Params::contact_force);
    noise_option(o, 0.1);
    exclude_option(o, "Leave the torso's x and y out of the observation.", &Params::exclude_positions);
    o.boolean("use_contact_force", true, "Contact forces have a cost and are observed.")
        .changes_shapes()
        .sets(&Params::use_contact_force);
    o.boolean("post_constraint", true, "Compute contact forces after a step; otherwise they are zeros.")
        .sets(&Params::post_constraint);
    o.boolean("include_cfrc_ext_in_observation", true, "Observe contact forces, if use_contact_force is set.")
        .changes_shapes();
    o.boolean("exclude_worldbody_contact_forces", true,
              "Leave contact forces of the world body out of the observation.")
        .changes_shapes()
        .sets(&Params::exclude_world);
  }
  static Params params(const OptionValues& o) {
    Params p{};
    p.show_contact_force = o.boolean("use_contact_force") && o.boolean("include_cfrc_ext_in_observation");
    return p;
  }
#endif
  static constexpr const char* kObservation =
      "Positions without the torso's x and y, velocities, contact forces of each body.";
  ENVPOOL_FN static i64 obs_size(const Params& p) {
    const i32 bodies = p.show_contact_force ? Model::kBodies - p.exclude_world : 0;
    return Model::kPositions + Model::kDofs - 2 * p.exclude_positions + 6 * bodies;
  }
  template <class Put>
  ENVPOOL_FN static void infos(const Params& p, const State& s, Put put) {
    const f64 x = p.v5() ? s.qpos[0] : s.results[0], y = p.v5() ? s.qpos[1] : s.results[1];
    put("x_position", x);
    put("y_position", y);
    put("distance_from_origin", norm(x, y));
    put("x_velocity", s.task.x_velocity);
    put("y_velocity", s.task.y_velocity);
    put("reward_forward", s.task.reward_forward);
    if (!p.v5()) put("forward_reward", s.task.reward_forward);
    put("reward_ctrl", p.info_version == 4 && p.use_contact_force ? s.task.reward_contact : s.task.reward_ctrl);
    put("reward_contact", s.task.reward_contact);
    put("reward_survive", s.task.reward_survive);
  }

  ENVPOOL_FN static void add_noise(State& s, const Params& p, Rng& rng) {
    noisy_positions(s, p.reset_noise_scale, rng);
    normal_velocities(s, p.reset_noise_scale, rng);
  }
  template <class Size, class T>
  ENVPOOL_ALWAYS_INLINE static void results(const Data<Size, T>& d, const Params& p, bool stepped, T* out) {
    out[0] = d.xpos[p.main_body][0];
    out[1] = d.xpos[p.main_body][1];
    if (stepped && p.use_contact_force && p.post_constraint) {
      T forces[Model::kBodies][6];
      contact_forces(d, forces);
      copy<6 * Model::kBodies>(out + 2, forces[0]);
    } else {
      zero<6 * Model::kBodies>(out + 2);
    }
  }
  ENVPOOL_FN static void remember(const State& s, f64* before) {
    before[0] = s.results[0];
    before[1] = s.results[1];
  }
  ENVPOOL_FN static Outcome conclude(State& s, const Params& p, const f64* action, const f64* before) {
    s.task.x_velocity = (s.results[0] - before[0]) / p.dt;
    s.task.y_velocity = (s.results[1] - before[1]) / p.dt;
    s.task.reward_forward = p.forward_reward_weight * s.task.x_velocity;
    const bool is_healthy = check_health(s, p);
    s.task.reward_survive = p.health.reward_for(is_healthy);
    f64 cost = p.ctrl_cost_weight * sum_of_squares(action, Model::kActuators);
    s.task.reward_ctrl = -cost;
    if (p.use_contact_force) {
      const f64 contact = p.contact_cost_weight * numpy_sum(6 * Model::kBodies, [&](i64 i) {
                            const f64 force = clip(s.results[2 + i], p.contact_force);
                            return force * force;
                          });
      s.task.reward_contact = -contact;
      cost += contact;
    }
    return {.reward = f32(s.task.reward_forward + s.task.reward_survive - cost),
            .terminated = p.health.terminates_episode(is_healthy)};
  }
  ENVPOOL_FN static void write(const State& s, const Params& p, Writer out) {
    const i32 skipped = 2 * p.exclude_positions, world = p.exclude_world;
    out.put(s.qpos + skipped, Model::kPositions - skipped);
    out.put(s.qvel, Model::kDofs);
    if (!p.show_contact_force) return;
    out.put(s.results + 2 + 6 * world, 6 * (Model::kBodies - world), p.contact_force);
  }

 private:
  ENVPOOL_FN static bool check_health(const State& s, const Params& p) {
    for (const f64 q : s.qpos) {
      if (!is_finite(q)) return false;
    }
    for (const f64 v : s.qvel) {
      if (!is_finite(v)) return false;
    }
    return p.health.z.low <= s.qpos[2] && s.qpos[2] <= p.health.z.high;
  }
};

}  // namespace envpool::robots
