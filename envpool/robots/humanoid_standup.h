// SPDX-License-Identifier: Apache-2.0
//
// HumanoidStandup: a humanoid that lies on its back and is rewarded for the height of its torso.
//
//   Action       f64[17] in -0.4..0.4: torques of the joints
//   Observation  that of Humanoid
//   Reward       forward_reward_weight (gymnasium's uph_cost_weight) * height of the torso / timestep of the simulation
//                + healthy_reward - ctrl_cost_weight * sum of squared torques - contact_cost_weight
//                (impact_cost_weight) * sum of squared contact forces, the last term within contact_cost_min..max
//                (impact_cost_range)
//   Terminated   never
//   Truncated    after 1000 steps
//   Info         the terms of the reward; since version 5 also position and tendons
//   Reset        uniform noise of size reset_noise_scale on positions and velocities
//
// In version 2, contact forces are zeros, because mujoco-py did not compute them. gymnasium declares uph_cost_weight
// but ignores it. We use it.
//
// Reference: gymnasium 1.4.0, HumanoidStandup-v4 and -v5, with MuJoCo 3.17.0; Tassa, Erez, Todorov (2012).
#pragma once

#include "envpool/robots/humanoid_observation.h"
#include "envpool/robots/models/humanoidstandup.h"

namespace envpool::robots {

struct HumanoidStandupParams : RobotParams {
  HumanoidObservation<HumanoidStandupModel> observation;
  f64 forward_reward_weight, ctrl_cost_weight, contact_cost_weight, healthy_reward;
  bool post_constraint;
  Range contact_cost;
  f64 mass;
};
struct HumanoidStandupTask {
  f64 reward_linup, reward_quadctrl, reward_impact, reward_alive;
};

struct HumanoidStandup : RobotEnv<HumanoidStandup, HumanoidStandupModel, HumanoidStandupParams, HumanoidStandupTask,
                                  HumanoidResults<HumanoidStandupModel>::kCount> {
  static constexpr const char* kName = "HumanoidStandup";
  using Results = HumanoidResults<Model>;

#if ENVPOOL_HOST
  static constexpr View kView{0.3, 150, true, 0.6};

  static void options(OptionSpecs& o) {
    common_options(o, 5);
    o.real("forward_reward_weight", 1.0, "Reward per unit of height / timestep.").sets(&Params::forward_reward_weight);
    o.real("ctrl_cost_weight", 0.1, "Cost per unit of squared torque.").sets(&Params::ctrl_cost_weight);
    o.real("contact_cost_weight", 5e-7, "Cost per unit of squared contact force.").sets(&Params::contact_cost_weight);
    o.boolean("post_constraint", true, "Compute contact forces after a step; otherwise they are zeros.")
        .sets(&Params::post_constraint);
    range_options(o, "contact_cost", {-kInfinity, 10.0}, "the contact cost", &Params::contact_cost);
    o.real("healthy_reward", 1.0, "Reward for each step.").sets(&Params::healthy_reward);
    noise_option(o, 1e-2);
    HumanoidObservation<Model>::options(o, &Params::observation);
  }
#endif
  static constexpr const char* kObservation = HumanoidObservation<Model>::kObservation;
  ENVPOOL_FN static i64 obs_size(const Params& p) { return p.observation.size(); }
  template <class Put>
  ENVPOOL_FN static void infos(const Params& p, const State& s, Put put) {
    put("reward_linup", s.task.reward_linup);
    put("reward_quadctrl", s.task.reward_quadctrl);
    put("reward_alive", s.task.reward_alive);
    put("reward_impact", s.task.reward_impact);
    if (!p.v5()) return;
    put("x_position", s.qpos[0]);
    put("y_position", s.qpos[1]);
    put("z_distance_from_origin", s.qpos[2] - Model::initial(2));
    Results::tendon_infos(s.results, put);
  }

  ENVPOOL_FN static void add_noise(State& s, const Params& p, Rng& rng) {
    noisy_positions(s, p.reset_noise_scale, rng);
    uniform_velocities(s, p.reset_noise_scale, rng);
  }
  template <class Size, class T>
  ENVPOOL_ALWAYS_INLINE static void results(const Data<Size, T>& d, const Params& p, bool stepped, T* out) {
    Results::write(d, p.mass, stepped && p.post_constraint, out);
  }
  ENVPOOL_FN static void remember(const State&, f64*) {}
  ENVPOOL_FN static Outcome conclude(State& s, const Params& p, const f64*, const f64*) {
    const f64 up = p.forward_reward_weight * (s.qpos[2] / Model::kTimestep);
    const f64 torque = p.ctrl_cost_weight * Results::squared_control(s.results);
    const f64 impact = clip(p.contact_cost_weight * Results::squared_contact_force(s.results), p.contact_cost);
    s.task = {up, -torque, -impact, p.healthy_reward};
    return {.reward = f32(up - torque - impact + p.healthy_reward)};
  }
  ENVPOOL_FN static void write(const State& s, const Params& p, Writer out) { p.observation.write(s, out); }
};

}  // namespace envpool::robots
