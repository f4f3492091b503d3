// SPDX-License-Identifier: Apache-2.0
//
// An arm of seven joints that is rewarded for pushing a cylinder to a goal.
//
// Observation: angles (7) and velocities (7) of the joints, positions of the arm's tip, the cylinder and the goal (3
// each).
// Action: seven joint torques in -2..2.
// Reward: minus the sum of dist_cost_weight * distance from cylinder to goal, ctrl_cost_weight * sum of squared
// torques, and near_cost_weight * distance from tip to cylinder; gymnasium's names are reward_dist_weight,
// reward_control_weight and reward_near_weight. Up to version 4 it uses the distances before the step
// (reward_after_step), and infos are not weighted (weighted_reward_info).
// Terminated: never.
// Info: the terms of the reward.
// Reset: the cylinder uniform in a box, away from the goal; uniform noise on the arm's velocities.
// Versions: gymnasium refuses version 4 with MuJoCo 3, because the inertias of the model pusher.xml differ from those
// in MuJoCo 2. Our version 4 runs with that model and the rules of version 4 on the installed MuJoCo. Version 5 has a
// corrected model.
// Source: gymnasium 1.4.0, Pusher-v4 and -v5.
#pragma once

#include "envpool/core/text.h"
#include "envpool/mujoco/gym/gym_env.h"

namespace envpool::mujoco {

struct PusherParams : GymParams {
  f64 dist_cost_weight, ctrl_cost_weight, near_cost_weight, reset_qvel_scale, cylinder_dist_min;
  bool reward_after_step, weighted_info;
  Pair cylinder_x, cylinder_y;
  int tip, object, goal;
};
struct PusherExtraState {
  f64 near, distance;  // after the last step
  f64 reward_dist, reward_ctrl, reward_near;
};

class Pusher : public GymEnv<Pusher, PusherParams, PusherExtraState> {
 public:
  static constexpr const char* kName = "Pusher";
  using GymEnv::GymEnv;

  static void options(OptionSpecs& o) {
    common_options(o, "pusher_v5.xml", 5);
    o.real("dist_cost_weight", 1.0, "Cost per unit of distance from cylinder to goal.");
    o.real("ctrl_cost_weight", 0.1, "Cost per unit of squared torque.");
    o.real("near_cost_weight", 0.5, "Cost per unit of distance from tip to cylinder.");
    o.boolean("reward_after_step", true, "Use the distances after a step, not before it.");
    o.boolean("weighted_reward_info", true, "Apply the weights to the infos.");
    o.real("reset_qvel_scale", 0.005, "Scale of the noise on velocities at a reset.").between(0, 1e6);
    range_options(o, "cylinder_x", -0.3, 0.0, "the cylinder's initial x");
    range_options(o, "cylinder_y", -0.2, 0.2, "the cylinder's initial y");
    o.real("cylinder_dist_min", 0.17, "Minimum initial distance of the cylinder from the goal.").between(-1, 1e6);
  }
  static Params params(const OptionValues& o) {
    Params p{};
    common_params(p, o);
    require_model(*p.model, {.positions = kJoints + 4, .velocities = kJoints + 4});
    p.tip = body_named(*p.model, "tips_arm");
    p.object = body_named(*p.model, "object");
    p.goal = body_named(*p.model, "goal");
    p.dist_cost_weight = o.real("dist_cost_weight");
    p.ctrl_cost_weight = o.real("ctrl_cost_weight");
    p.near_cost_weight = o.real("near_cost_weight");
    p.reward_after_step = o.boolean("reward_after_step");
    p.weighted_info = o.boolean("weighted_reward_info");
    p.reset_qvel_scale = o.real("reset_qvel_scale");
    p.cylinder_x = range(o, "cylinder_x");
    p.cylinder_y = range(o, "cylinder_y");
    p.cylinder_dist_min = o.real("cylinder_dist_min");
    const f64 far_x = std::max(std::fabs(p.cylinder_x.low), std::fabs(p.cylinder_x.high));
    const f64 far_y = std::max(std::fabs(p.cylinder_y.low), std::fabs(p.cylinder_y.high));
    const f64 farthest = norm(far_x, far_y);
    if (!std::isfinite(farthest))
      throw std::invalid_argument("cylinder_x_min..cylinder_y_max: expected finite numbers");
    if (farthest <= p.cylinder_dist_min) {
      throw std::invalid_argument("cylinder_dist_min: no position of the cylinder is farther away than " +
                                  to_text(p.cylinder_dist_min) + ", the farthest is " + to_text(farthest));
    }
    return p;
  }
  static constexpr const char* kObservation =
      "Angles and velocities of the arm, positions of its tip, the cylinder and the goal.";
  static i64 obs_size(const Params&) { return 2 * kJoints + 9; }
  template <class Put>
  static void infos(const Params&, const PusherExtraState& k, const mjModel*, const mjData*, Put put) {
    put("reward_dist", k.reward_dist);
    put("reward_ctrl", k.reward_ctrl);
    put("reward_near", k.reward_near);
  }

  void reset_state(Rng& rng) {
    f64* position = data()->qpos + model()->nq - 4;
    for (int tries = 0;; ++tries) {
      position[0] = rng.uniform(p_.cylinder_x.low, p_.cylinder_x.high);
      position[1] = rng.uniform(p_.cylinder_y.low, p_.cylinder_y.high);
      if (norm(position[0], position[1]) > p_.cylinder_dist_min) break;
      if (tries == 100000) throw std::runtime_error("cylinder_dist_min: no initial position of the cylinder was found");
    }
    position[2] = position[3] = 0;
    uniform_velocities(rng, p_.reset_qvel_scale);
    std::memset(data()->qvel + model()->nv - 4, 0, 4 * sizeof(f64));
  }
  void update_extra() {
    extra_.near = distance(p_.object, p_.tip);
    extra_.distance = distance(p_.object, p_.goal);
  }
  Outcome advance(const f64* action) {
    f64 near = extra_.near, far = extra_.distance;
    simulate(action);
    update_extra();
    if (p_.reward_after_step) {
      near = extra_.near;
      far = extra_.distance;
    }
    const f64 torque = sum_of_squares(action, model()->nu);
    const f64 reward_dist = -far * p_.dist_cost_weight;
    const f64 reward_ctrl = -torque * p_.ctrl_cost_weight;
    const f64 reward_near = -near * p_.near_cost_weight;
    extra_.reward_dist = p_.weighted_info ? reward_dist : -far;
    extra_.reward_ctrl = p_.weighted_info ? reward_ctrl : -torque;
    extra_.reward_near = p_.weighted_info ? reward_near : -near;
    return {.reward = f32(reward_dist + reward_ctrl + reward_near)};
  }
  void write(Writer out) const {
    const mjData* d = data();
    out.put(d->qpos, kJoints);
    out.put(d->qvel, kJoints);
    for (int body : {p_.tip, p_.object, p_.goal}) out.put(d->xpos + 3 * body, 3);
  }

 private:
  static constexpr int kJoints = 7;

  f64 distance(int a, int b) const {
    f64 between[3];
    for (int i = 0; i < 3; ++i) between[i] = data()->xpos[3 * a + i] - data()->xpos[3 * b + i];
    return norm(between);
  }
};

}  // namespace envpool::mujoco
