// SPDX-License-Identifier: Apache-2.0
//
// A humanoid that lies on its back and is rewarded for the height of its torso.
//
// Observation: see humanoid_observation.h.
// Action: seventeen joint torques in -0.4..0.4.
// Reward: forward_reward_weight (gymnasium's uph_cost_weight) * height of the torso / timestep of the simulation +
// healthy_reward - ctrl_cost_weight * sum of squared torques - contact_cost_weight (impact_cost_weight) * sum of
// squared contact forces, the last term within contact_cost_min..max (impact_cost_range).
// Terminated: never.
// Versions: in version 2, contact forces are zeros, because mujoco-py did not compute them. gymnasium declares
// uph_cost_weight but ignores it. We use it.
// Info: the terms of the reward; since version 5 also position and tendons.
// Reset: uniform noise on positions and velocities.
// Source: gymnasium 1.4.0, HumanoidStandup-v4 and -v5; Tassa, Erez, Todorov (2012).
#pragma once

#include "envpool/mujoco/gym/humanoid_observation.h"

namespace envpool::mujoco {

struct HumanoidStandupParams : GymParams {
  HumanoidObservation observation;
  f64 forward_reward_weight, ctrl_cost_weight, contact_cost_weight, healthy_reward;
  Pair contact_cost;
};
struct HumanoidStandupExtraState {
  f64 x, y, z_distance, reward_linup, reward_quadctrl, reward_impact, reward_alive;
};

class HumanoidStandup : public GymEnv<HumanoidStandup, HumanoidStandupParams, HumanoidStandupExtraState> {
 public:
  static constexpr const char* kName = "HumanoidStandup";
  using GymEnv::GymEnv;

  static void options(OptionSpecs& o) {
    common_options(o, "humanoidstandup.xml", 5);
    o.real("forward_reward_weight", 1.0, "Reward per unit of height / timestep.");
    o.real("ctrl_cost_weight", 0.1, "Cost per unit of squared torque.");
    o.real("contact_cost_weight", 5e-7, "Cost per unit of squared contact force.");
    range_options(o, "contact_cost", -kInfinity, 10.0, "the contact cost");
    o.real("healthy_reward", 1.0, "Reward for each step.");
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
    p.contact_cost = range(o, "contact_cost");
    p.healthy_reward = o.real("healthy_reward");
    return p;
  }
  static constexpr const char* kObservation = HumanoidObservation::kObservation;
  static i64 obs_size(const Params& p) { return p.observation.obs_size(*p.model); }
  template <class Put>
  static void infos(const Params& p, const HumanoidStandupExtraState& k, const mjModel* m, const mjData* d, Put put) {
    put("reward_linup", k.reward_linup);
    put("reward_quadctrl", k.reward_quadctrl);
    put("reward_alive", k.reward_alive);
    put("reward_impact", k.reward_impact);
    if (!p.v5()) return;
    put("x_position", k.x);
    put("y_position", k.y);
    put("z_distance_from_origin", k.z_distance);
    tendon_infos(m, d, put);
  }

  void reset_state(Rng& rng) {
    noisy_positions(rng, p_.reset_noise_scale);
    uniform_velocities(rng, p_.reset_noise_scale);
  }
  void update_extra() {
    extra_.x = data()->qpos[0];
    extra_.y = data()->qpos[1];
    extra_.z_distance = data()->qpos[2] - model()->qpos0[2];
  }
  Outcome advance(const f64* action) {
    simulate(action, /*forces=*/true);
    update_extra();
    const f64 up = p_.forward_reward_weight * (data()->qpos[2] / model()->opt.timestep);
    const f64 torque = p_.ctrl_cost_weight * sum_of_squares(data()->ctrl, model()->nu);
    const f64 impact = contact_cost(*model(), *data(), p_.contact_cost_weight, p_.contact_cost);
    extra_.reward_linup = up;
    extra_.reward_quadctrl = -torque;
    extra_.reward_impact = -impact;
    extra_.reward_alive = p_.healthy_reward;
    return {.reward = f32(up - torque - impact + p_.healthy_reward)};
  }
  void write(Writer out) const { p_.observation.write(*model(), *data(), out); }
};

}  // namespace envpool::mujoco
