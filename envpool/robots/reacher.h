// SPDX-License-Identifier: Apache-2.0
//
// Reacher: an arm with two links that is rewarded for holding its tip near a target.
//
//   Action       f64[2] in -1..1: torques of the joints
//   Observation  f64[10]: cosines and sines of the angles, position of the target, velocities of the joints, vector
//                from the target to the tip; up to version 4 also its z
//   Reward       -dist_cost_weight * distance between tip and target - ctrl_cost_weight * sum of squared torques. Up to
//                version 4, the distance is that before the step (reward_after_step)
//   Terminated   never
//   Truncated    after 50 steps
//   Info         the terms of the reward
//   Reset        uniform noise on positions and velocities; a target in a disc
//
// Reference: gymnasium 1.4.0, Reacher-v4 and -v5, with MuJoCo 3.17.0.
#pragma once

#include "envpool/robots/models/reacher.h"
#include "envpool/robots/robot_env.h"

namespace envpool::robots {

struct ReacherParams : RobotParams {
  f64 dist_cost_weight, ctrl_cost_weight, reset_qpos_scale, reset_qvel_scale, reset_goal_scale;
  bool reward_after_step, show_height;
};
struct ReacherTask {
  f64 reward_dist, reward_ctrl;
};

// The results are the vector from the target to the tip.
struct Reacher : RobotEnv<Reacher, ReacherModel, ReacherParams, ReacherTask, 3> {
  static constexpr const char* kName = "Reacher";
  static constexpr i32 kFingertip = 3, kTarget = 4;  // bodies

#if ENVPOOL_HOST
  static constexpr View kView{1, 800, false, 0};

  static void options(OptionSpecs& o) {
    common_options(o, 2);
    o.real("dist_cost_weight", 1.0, "Cost per unit of distance.").sets(&Params::dist_cost_weight);
    o.real("ctrl_cost_weight", 1.0, "Cost per unit of squared torque.").sets(&Params::ctrl_cost_weight);
    o.boolean("reward_after_step", true, "Use the distance after a step, not before it.")
        .sets(&Params::reward_after_step);
    o.boolean("obs_include_z_distance", false, "Observe the height of the tip above the target.")
        .changes_shapes()
        .sets(&Params::show_height);
    o.real("reset_qpos_scale", 0.1, "Scale of the noise on positions at a reset.")
        .between(0, 1e6)
        .sets(&Params::reset_qpos_scale);
    o.real("reset_qvel_scale", 0.005, "Scale of the noise on velocities at a reset.")
        .between(0, 1e6)
        .sets(&Params::reset_qvel_scale);
    o.real("reset_goal_scale", 0.2, "Radius of the disc from which the target is drawn.")
        .between(0, 1e6)
        .sets(&Params::reset_goal_scale);
  }
#endif
  static constexpr const char* kObservation =
      "Cosines and sines of the angles, position of the target, velocities, vector from the target to the tip.";
  ENVPOOL_FN static i64 obs_size(const Params& p) { return 10 + p.show_height; }
  template <class Put>
  ENVPOOL_FN static void infos(const Params&, const State& s, Put put) {
    put("reward_dist", s.task.reward_dist);
    put("reward_ctrl", s.task.reward_ctrl);
  }

  ENVPOOL_FN static void add_noise(State& s, const Params& p, Rng& rng) {
    noisy_positions(s, p.reset_qpos_scale, rng);
    f64* const goal = s.qpos + 2;
    const f64 radius = p.reset_goal_scale;
    do {
      goal[0] = rng.uniform(-radius, radius);
      goal[1] = rng.uniform(-radius, radius);
    } while (radius > 0 && norm(goal[0], goal[1]) >= radius);
    uniform_velocities(s, p.reset_qvel_scale, rng);
    s.qvel[2] = s.qvel[3] = 0;
  }
  template <class Size, class T>
  ENVPOOL_ALWAYS_INLINE static void results(const Data<Size, T>& d, const Params&, bool, T* out) {
    for (int i = 0; i < 3; ++i) out[i] = d.xpos[kFingertip][i] - d.xpos[kTarget][i];
  }
  ENVPOOL_FN static void remember(const State& s, f64* before) { before[0] = distance(s); }
  ENVPOOL_FN static Outcome conclude(State& s, const Params& p, const f64* action, const f64* before) {
    s.task.reward_dist = -(p.reward_after_step ? distance(s) : before[0]) * p.dist_cost_weight;
    s.task.reward_ctrl = -sum_of_squares(action, Model::kActuators) * p.ctrl_cost_weight;
    return {.reward = f32(s.task.reward_dist + s.task.reward_ctrl)};
  }
  ENVPOOL_FN static void write(const State& s, const Params& p, Writer out) {
    for (i32 i = 0; i < 2; ++i) out.put(cos(s.qpos[i]));
    for (i32 i = 0; i < 2; ++i) out.put(sin(s.qpos[i]));
    out.put(s.qpos + 2, 2);
    out.put(s.qvel, 2);
    out.put(s.results, 2 + p.show_height);
  }

 private:
  ENVPOOL_FN static f64 distance(const State& s) {
    return sqrt(s.results[0] * s.results[0] + s.results[1] * s.results[1] + s.results[2] * s.results[2]);
  }
};

}  // namespace envpool::robots
