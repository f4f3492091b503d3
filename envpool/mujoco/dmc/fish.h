// SPDX-License-Identifier: Apache-2.0
//
// A fish in a fluid stays upright, or swims to a target.
//
// Observation: joint_angles of tail and fins, upright (z of the torso's z-axis), velocity; the task swim also has
// target, relative to the mouth and in its frame.
// Reward: uprightness; for swim, a mean of nearness and uprightness with weights 7 and 1.
// Reset: any rotation, joints within 0.2, the target in a box.
// Source: dm_control 1.0.50, suite/fish.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Fish : public Task {
 public:
  struct Variant {
    bool swim = false;
  };

  Fish(Physics& physics, Variant variant)
      : Task(physics),
        torso_(physics.body("torso")),
        root_(physics.free_qpos("root")),
        mouth_(physics.geom("mouth")),
        target_(physics.geom("target")) {
    constexpr const char* kJoints[kCount] = {"tail1",          "tail_twist",   "tail2",        "finright_roll",
                                             "finright_pitch", "finleft_roll", "finleft_pitch"};
    for (int i = 0; i < kCount; ++i) joints_[i] = physics.qpos(kJoints[i]);
    if (variant.swim) {
      position_ = physics.copy_drawn_array(&mjModel::geom_pos, 3 * m_->ngeom) + 3 * target_;
    } else {
      physics.copy_array(&mjModel::geom_rgba, 4 * m_->ngeom)[4 * target_ + 3] = 0;
    }
  }

  void randomize(Rng& rng) override {
    random_unit(d_->qpos + root_ + 3, 4, rng);
    for (const int joint : joints_) d_->qpos[joint] = rng.uniform(-.2, .2);
    if (position_ == nullptr) return;
    position_[0] = rng.uniform(-.4, .4);
    position_[1] = rng.uniform(-.4, .4);
    position_[2] = rng.uniform(.1, .3);
  }
  void observe(Observer& out) const override {
    f64* angles = out.array("joint_angles", {kCount});
    for (int i = 0; i < kCount; ++i) angles[i] = d_->qpos[joints_[i]];
    out.scalar("upright", upright());
    if (position_ != nullptr) out.copy("target", mouth_to_target());
    observe_velocities(out);
  }
  f64 reward() const override {
    if (position_ == nullptr) return tolerance(upright(), {1, 1}, 1);
    const f64 radii = m_->geom_size[3 * mouth_] + m_->geom_size[3 * target_];
    const f64 in_target = tolerance(mouth_to_target().norm(), {0, radii}, 2 * radii);
    return (7 * in_target + .5 * (upright() + 1)) / 8;
  }

 private:
  static constexpr int kCount = 7;

  f64 upright() const { return d_->xmat[9 * torso_ + kZZ]; }
  Vec3 mouth_to_target() const {
    return in_frame(difference(d_->geom_xpos + 3 * target_, d_->geom_xpos + 3 * mouth_), d_->geom_xmat + 9 * mouth_);
  }

  int torso_, root_, mouth_, target_, joints_[kCount];
  f64* position_ = nullptr;
};

}  // namespace envpool::mujoco::dmc
