// SPDX-License-Identifier: Apache-2.0
//
// A two-legged cat in a plane that is paid for running.
//
// Observation: positions but for the root's x (8), velocities (9). Action: six joint torques in -1..1.
// Reward: forward_reward_weight * velocity - ctrl_cost_weight * sum of squared torques. It never terminates.
// Reset: uniform noise on positions, normal noise on velocities, both of size reset_noise_scale.
// Source: gymnasium 1.4.0, HalfCheetah-v4 and -v5 (which differ in names of infos alone); Wawrzynski (2009).
#pragma once

#include "envpool/mujoco/gym/gym_env.h"

namespace envpool::mujoco {

struct HalfCheetahInfo {
  f64 x_velocity, reward_forward, reward_ctrl;
};

class HalfCheetah : public GymEnv<HalfCheetahInfo> {
 public:
  static constexpr const char* kName = "HalfCheetah";
  struct Params : GymParams {
    f64 forward_reward_weight, ctrl_cost_weight;
    bool exclude_positions;
  };

  static void options(OptionSpecs& o) {
    common_options(o, "half_cheetah.xml", 5);
    o.real("forward_reward_weight", 1.0, "What a unit of velocity pays.");
    o.real("ctrl_cost_weight", 0.1, "What a unit of squared torque costs.");
    o.real("reset_noise_scale", 0.1, "Size of the noise at a reset.").between(0, 1e6);
    o.boolean("exclude_current_positions_from_observation", true, "The observation leaves out the root's x.")
        .changes_shapes();
  }
  static Params params(const OptionValues& o) {
    Params p{};
    common_params(p, o);
    p.reset_noise_scale = o.real("reset_noise_scale");
    p.forward_reward_weight = o.real("forward_reward_weight");
    p.ctrl_cost_weight = o.real("ctrl_cost_weight");
    p.exclude_positions = o.boolean("exclude_current_positions_from_observation");
    return p;
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<f64>("obs", {p.model->nq + p.model->nv - p.exclude_positions});
    s.info<f64>("x_position");
    s.info<f64>("x_velocity");
    s.info<f64>("reward_forward");
    s.info<f64>("reward_ctrl");
    add_action(p, s);
  }

  explicit HalfCheetah(const Params& params, i32) : GymEnv(params), p_(params) {}

  void reset(Rng& rng) {
    reset_with_noise(rng);
    kept_ = {};
  }

  Outcome step(ActionRow row, Rng&) {
    const f64* action = row.row_of<f64>(0);
    const f64 before = sim_.data()->qpos[0];
    simulate(action);
    kept_.x_velocity = (sim_.data()->qpos[0] - before) / p_.dt();
    kept_.reward_forward = p_.forward_reward_weight * kept_.x_velocity;
    const f64 cost = p_.ctrl_cost_weight * sum_of_squares(action, sim_.model()->nu);
    kept_.reward_ctrl = -cost;
    return {.reward = f32(kept_.reward_forward - cost)};
  }

  void observe(Row row) const {
    const mjData* d = sim_.data();
    f64* out = row.at<f64>(0);
    const i64 skipped = p_.exclude_positions, kept = sim_.model()->nq - skipped;
    std::memcpy(out, d->qpos + skipped, sizeof(f64) * size_t(kept));
    std::memcpy(out + kept, d->qvel, sizeof(f64) * size_t(sim_.model()->nv));
    *row.at<f64>(1) = d->qpos[0];
    *row.at<f64>(2) = kept_.x_velocity;
    *row.at<f64>(3) = kept_.reward_forward;
    *row.at<f64>(4) = kept_.reward_ctrl;
  }

 private:
  const Params& p_;
};

}  // namespace envpool::mujoco
