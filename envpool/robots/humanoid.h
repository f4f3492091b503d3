// SPDX-License-Identifier: Apache-2.0
//
// Humanoid: a humanoid that is rewarded for walking along x and for staying healthy.
//
//   Action       f64[17] in -0.4..0.4: torques of the joints
//   Observation  f64[348]: positions without the torso's x and y (22), velocities (23), the inertia (10) and the
//                velocity (6) of each body about the centre of mass, actuator forces (17), the contact forces of each
//                body (6)
//   Reward       forward_reward_weight * x velocity of the centre of mass + healthy_reward - ctrl_cost_weight * sum of
//                squared torques - contact_cost_weight * sum of squared contact forces, the last term within
//                contact_cost_min..max
//   Terminated   the torso's height is outside healthy_z_min..max
//   Truncated    after 1000 steps
//   Info         position, velocity, distance from the origin (of the centre of mass up to version 4), the terms of the
//                reward under the names of both versions, and tendons
//   Reset        uniform noise of size reset_noise_scale on positions and velocities
//
// Version 4 has no cost of contact forces. In version 3, contact forces are zeros, because mujoco-py did not compute
// them. Both versions give healthy_reward for the last step too, and observe the world body and the root's actuator
// forces, which are zeros.
//
// Reference: gymnasium 1.4.0, Humanoid-v4 and -v5, with MuJoCo 3.17.0; Tassa, Erez, Todorov (2012).
#pragma once

#include "envpool/robots/health.h"
#include "envpool/robots/humanoid_observation.h"
#include "envpool/robots/models/humanoid.h"

namespace envpool::robots {

struct HumanoidParams : RobotParams {
  HumanoidObservation<HumanoidModel> observation;
  f64 forward_reward_weight, ctrl_cost_weight, contact_cost_weight;
  bool use_contact_force, post_constraint;
  Health health;
  Range contact_cost;
  f64 mass;
};
struct HumanoidTask {
  f64 x_velocity, y_velocity, reward_forward, reward_ctrl, reward_contact, reward_survive;
};

struct Humanoid
    : RobotEnv<Humanoid, HumanoidModel, HumanoidParams, HumanoidTask, HumanoidResults<HumanoidModel>::kCount> {
  static constexpr const char* kName = "Humanoid";
  using Results = HumanoidResults<Model>;

#if ENVPOOL_HOST
  static constexpr View kView{0.3, 150, true, 1.0};

  static void options(OptionSpecs& o) {
    common_options(o, 5);
    o.real("forward_reward_weight", 1.25, "Reward per unit of velocity.").sets(&Params::forward_reward_weight);
    o.real("ctrl_cost_weight", 0.1, "Cost per unit of squared torque.").sets(&Params::ctrl_cost_weight);
    o.boolean("use_contact_force", true, "Contact forces have a cost.").sets(&Params::use_contact_force);
    o.boolean("post_constraint", true, "Compute contact forces after a step; otherwise they are zeros.")
        .sets(&Params::post_constraint);
    o.real("contact_cost_weight", 5e-7, "Cost per unit of squared contact force.").sets(&Params::contact_cost_weight);
    range_options(o, "contact_cost", {-kInfinity, 10.0}, "the contact cost", &Params::contact_cost);
    Health::options(o, 5.0, {1.0, 2.0}, &Params::health);
    noise_option(o, 1e-2);
    HumanoidObservation<Model>::options(o, &Params::observation);
  }
#endif
  static constexpr const char* kObservation = HumanoidObservation<Model>::kObservation;
  ENVPOOL_FN static i64 obs_size(const Params& p) { return p.observation.size(); }
  template <class Put>
  ENVPOOL_FN static void infos(const Params& p, const State& s, Put put) {
    const f64* const at = p.v5() ? s.qpos : s.results + Results::kCenter;
    put("x_position", at[0]);
    put("y_position", at[1]);
    put("distance_from_origin", norm(at[0], at[1]));
    put("x_velocity", s.task.x_velocity);
    put("y_velocity", s.task.y_velocity);
    put("reward_linvel", s.task.reward_forward);
    put("reward_quadctrl", s.task.reward_ctrl);
    put("reward_alive", s.task.reward_survive);
    put("reward_impact", s.task.reward_contact);
    if (!p.v5()) {
      put("forward_reward", s.task.reward_forward);
      return;
    }
    put("reward_forward", s.task.reward_forward);
    put("reward_ctrl", s.task.reward_ctrl);
    put("reward_survive", s.task.reward_survive);
    put("reward_contact", s.task.reward_contact);
    Results::tendon_infos(s.results, put);
  }

  ENVPOOL_FN static void add_noise(State& s, const Params& p, Rng& rng) {
    noisy_positions(s, p.reset_noise_scale, rng);
    uniform_velocities(s, p.reset_noise_scale, rng);
  }
  template <class Size, class T>
  ENVPOOL_ALWAYS_INLINE static void results(const Data<Size, T>& d, const Params& p, bool stepped, T* out) {
    const bool are_used = p.use_contact_force || p.observation.contact_forces;
    Results::write(d, p.mass, stepped && p.post_constraint && are_used, out);
  }
  ENVPOOL_FN static void remember(const State& s, f64* before) {
    for (int i = 0; i < 2; ++i) before[i] = s.results[Results::kCenter + i];
  }
  ENVPOOL_FN static Outcome conclude(State& s, const Params& p, const f64*, const f64* before) {
    s.task.x_velocity = (s.results[Results::kCenter] - before[0]) / p.dt;
    s.task.y_velocity = (s.results[Results::kCenter + 1] - before[1]) / p.dt;
    s.task.reward_forward = p.forward_reward_weight * s.task.x_velocity;
    const bool is_healthy = p.health.z.encloses(s.qpos[2]);
    s.task.reward_survive = p.health.reward_for(is_healthy);
    f64 cost = p.ctrl_cost_weight * Results::squared_control(s.results);
    s.task.reward_ctrl = -cost;
    if (p.use_contact_force) {
      const f64 contact = clip(p.contact_cost_weight * Results::squared_contact_force(s.results), p.contact_cost);
      s.task.reward_contact = -contact;
      cost += contact;
    }
    return {.reward = f32(s.task.reward_forward + s.task.reward_survive - cost),
            .terminated = p.health.terminates_episode(is_healthy)};
  }
  ENVPOOL_FN static void write(const State& s, const Params& p, Writer out) { p.observation.write(s, out); }
};

}  // namespace envpool::robots
