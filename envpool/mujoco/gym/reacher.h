// SPDX-License-Identifier: Apache-2.0
//
// A planar arm of two links that is rewarded for holding its tip near a target.
//
// Observation: cosines and sines of the joints' angles (4), the target's position (2), the joints' velocities (2), the
// vector from the target to the tip (2; up to version 4 with its height, which is 0).
// Action: two joint torques in -1..1.
// Reward: -dist_cost_weight * distance - ctrl_cost_weight * sum of squared torques; gymnasium's names are
// reward_dist_weight and reward_control_weight. Up to version 4 it uses the distance before the step
// (reward_after_step).
// Terminated: never.
// Info: the terms of the reward.
// Reset: uniform noise on angles and velocities, the target uniform in a disc.
// Source: gymnasium 1.4.0, Reacher-v4 and -v5.
#pragma once

#include "envpool/mujoco/gym/gym_env.h"

namespace envpool::mujoco {

struct ReacherParams : GymParams {
  f64 dist_cost_weight, ctrl_cost_weight, reset_qpos_scale, reset_qvel_scale, reset_goal_scale;
  bool reward_after_step, show_height;
  int fingertip, target;
};
struct ReacherExtraState {
  f64 distance;  // after the last step
  f64 reward_dist, reward_ctrl;
};

class Reacher : public GymEnv<Reacher, ReacherParams, ReacherExtraState> {
 public:
  static constexpr const char* kName = "Reacher";
  using GymEnv::GymEnv;

  static void options(OptionSpecs& o) {
    common_options(o, "reacher.xml", 2);
    o.real("dist_cost_weight", 1.0, "Cost per unit of distance.");
    o.real("ctrl_cost_weight", 1.0, "Cost per unit of squared torque.");
    o.boolean("reward_after_step", true, "Use the distance after a step, not before it.");
    o.boolean("obs_include_z_distance", false, "Observe the height of the tip above the target.").changes_shapes();
    o.real("reset_qpos_scale", 0.1, "Scale of the noise on positions at a reset.").between(0, 1e6);
    o.real("reset_qvel_scale", 0.005, "Scale of the noise on velocities at a reset.").between(0, 1e6);
    o.real("reset_goal_scale", 0.2, "Radius of the disc from which the target is drawn.").between(0, 1e6);
  }
  static Params params(const OptionValues& o) {
    Params p{};
    common_params(p, o);
    require_model(*p.model, {.positions = 4, .velocities = 4});
    p.fingertip = body_named(*p.model, "fingertip");
    p.target = body_named(*p.model, "target");
    p.dist_cost_weight = o.real("dist_cost_weight");
    p.ctrl_cost_weight = o.real("ctrl_cost_weight");
    p.reward_after_step = o.boolean("reward_after_step");
    p.show_height = o.boolean("obs_include_z_distance");
    p.reset_qpos_scale = o.real("reset_qpos_scale");
    p.reset_qvel_scale = o.real("reset_qvel_scale");
    p.reset_goal_scale = o.real("reset_goal_scale");
    return p;
  }
  static constexpr const char* kObservation =
      "Cosines and sines of the angles, position of the target, velocities, vector from the target to the tip.";
  static i64 obs_size(const Params& p) { return 4 + (p.model->nq - 2) + 2 + 2 + p.show_height; }
  template <class Put>
  static void infos(const Params&, const ReacherExtraState& k, const mjModel*, const mjData*, Put put) {
    put("reward_dist", k.reward_dist);
    put("reward_ctrl", k.reward_ctrl);
  }

  void reset_state(Rng& rng) {
    noisy_positions(rng, p_.reset_qpos_scale);
    f64* goal = data()->qpos + model()->nq - 2;
    const f64 radius = p_.reset_goal_scale;
    do {
      goal[0] = rng.uniform(-radius, radius);
      goal[1] = rng.uniform(-radius, radius);
    } while (radius > 0 && norm(goal[0], goal[1]) >= radius);
    uniform_velocities(rng, p_.reset_qvel_scale);
    std::memset(data()->qvel + model()->nv - 2, 0, 2 * sizeof(f64));
  }
  void update_extra() {
    f64 between[3];
    target_to_tip(between);
    extra_.distance = norm(between);
  }
  Outcome advance(const f64* action) {
    const f64 before = extra_.distance;
    simulate(action);
    update_extra();
    extra_.reward_dist = -(p_.reward_after_step ? extra_.distance : before) * p_.dist_cost_weight;
    extra_.reward_ctrl = -sum_of_squares(action, model()->nu) * p_.ctrl_cost_weight;
    return {.reward = f32(extra_.reward_dist + extra_.reward_ctrl)};
  }
  void write(Writer out) const {
    const mjData* d = data();
    for (int i = 0; i < 2; ++i) out.put(envpool::cos(d->qpos[i]));
    for (int i = 0; i < 2; ++i) out.put(envpool::sin(d->qpos[i]));
    out.put(d->qpos + 2, model()->nq - 2);
    out.put(d->qvel, 2);
    f64 between[3];
    target_to_tip(between);
    out.put(between, 2 + p_.show_height);
  }

 private:
  void target_to_tip(f64 (&between)[3]) const {
    for (int i = 0; i < 3; ++i) between[i] = data()->xpos[3 * p_.fingertip + i] - data()->xpos[3 * p_.target + i];
  }
};

}  // namespace envpool::mujoco
