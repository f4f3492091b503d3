// SPDX-License-Identifier: Apache-2.0
//
// A humanoid stands, walks at 1 m/s or runs at 10 m/s. There are two: the suite's, with 21 joints, and the humanoid of
// the CMU motion capture data, with 56.
//
// Observation: joint_angles, head_height, extremities (hands and feet in the torso's frame), torso_vertical,
// com_velocity, velocity; or the pure state: position, velocity.
// Reward: height of the head and uprightness, times small control, times stillness or speed.
// Reset: any pose without contacts.
// Source: dm_control 1.0.50, suite/humanoid.py and suite/humanoid_CMU.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Humanoid : public Task {
 public:
  struct Names {
    const char *torso, *velocity;
    const char* limbs[4];
    Element upright;  // the element of the torso's matrix that is 1 when the torso is upright
  };
  static constexpr Names kSuite{
      "torso", "torso_subtreelinvel", {"left_hand", "left_foot", "right_hand", "right_foot"}, kZZ};
  static constexpr Names kCmu{"thorax", "thorax_subtreelinvel", {"lhand", "lfoot", "rhand", "rfoot"}, kZY};

  struct Variant {
    Names names;
    f64 speed = 0;
    bool pure_state = false;
  };

  Humanoid(Physics& physics, Variant variant)
      : Task(physics),
        target_speed_(variant.speed),
        pure_state_(variant.pure_state),
        upright_(variant.names.upright),
        torso_(physics.body(variant.names.torso)),
        head_(physics.body("head")),
        velocity_(physics.sensor(variant.names.velocity, 3)) {
    for (int i = 0; i < 4; ++i) limbs_[i] = physics.body(variant.names.limbs[i]);
  }

  void randomize(Rng& rng) override { randomize_joints_without_contact(rng); }
  void observe(Observer& out) const override {
    if (pure_state_) {
      observe_positions(out);
      observe_velocities(out);
      return;
    }
    out.copy("joint_angles", d_->qpos + 7, m_->nq - 7);
    out.scalar("head_height", head_height());
    f64* extremities = out.array("extremities", {12});
    for (const int limb : limbs_) {
      const Vec3 position = in_frame(difference(d_->xpos + 3 * limb, d_->xpos + 3 * torso_), d_->xmat + 9 * torso_);
      for (int i = 0; i < 3; ++i) *extremities++ = position[i];
    }
    out.copy("torso_vertical", d_->xmat + 9 * torso_ + kZX, 3);
    out.copy("com_velocity", d_->sensordata + velocity_, 3);
    observe_velocities(out);
  }
  f64 reward() const override {
    const f64 standing = tolerance(head_height(), {1.4, kInfinity}, 1.4 / 4);
    const f64 upright = tolerance(d_->xmat[9 * torso_ + upright_], {.9, kInfinity}, 1.9, Sigmoid::kLinear, 0);
    const f64 stand = standing * upright;
    const f64* velocity = d_->sensordata + velocity_;
    if (target_speed_ == 0) {
      const f64 stillness = (tolerance(velocity[0], {}, 2) + tolerance(velocity[1], {}, 2)) / 2;
      return small_control() * stand * stillness;
    }
    const f64 move = tolerance(norm(velocity, 2), {target_speed_, kInfinity}, target_speed_, Sigmoid::kLinear, 0);
    return small_control() * stand * ((5 * move + 1) / 6);
  }

 private:
  f64 head_height() const { return d_->xpos[3 * head_ + 2]; }

  f64 target_speed_;
  bool pure_state_;
  Element upright_;
  int torso_, head_, velocity_, limbs_[4];
};

}  // namespace envpool::mujoco::dmc
