// SPDX-License-Identifier: Apache-2.0
//
// The common part of manipulator and stacker: a planar arm with a hand of two fingers.
#pragma once

#include <string>

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class ArmTask : public Task {
 protected:
  explicit ArmTask(Physics& physics) : Task(physics), hand_(physics.body("hand")), grasp_(physics.site("grasp")) {
    constexpr const char* kNames[kJoints] = {"arm_root", "arm_shoulder", "arm_elbow", "arm_wrist",
                                             "finger",   "fingertip",    "thumb",     "thumbtip"};
    for (int i = 0; i < kJoints; ++i) joints_[i] = physics.id(mjOBJ_JOINT, kNames[i]);
  }

  // Draws limited joints uniformly from their ranges, and others from a full turn; the finger mirrors the thumb.
  void randomize_arm(Rng& rng) {
    for (const int joint : joints_) {
      const f64* range = m_->jnt_range + 2 * joint;
      const bool limited = m_->jnt_limited[joint];
      d_->qpos[m_->jnt_qposadr[joint]] = rng.uniform(limited ? range[0] : -kPi, limited ? range[1] : kPi);
    }
    d_->qpos[m_->jnt_qposadr[joints_[kFinger]]] = d_->qpos[m_->jnt_qposadr[joints_[kThumb]]];
  }
  void observe_arm(Observer& out) const {
    f64* positions = out.array("arm_pos", {kJoints, 2});
    for (const int joint : joints_) {
      *positions++ = sin(d_->qpos[m_->jnt_qposadr[joint]]);
      *positions++ = cos(d_->qpos[m_->jnt_qposadr[joint]]);
    }
    f64* velocities = out.array("arm_vel", {kJoints});
    for (const int joint : joints_) *velocities++ = d_->qvel[m_->jnt_dofadr[joint]];
  }
  // Writes x, z and the rotation in the plane.
  void write_pose(f64* out, int body) const {
    out[0] = d_->xpos[3 * body];
    out[1] = d_->xpos[3 * body + 2];
    out[2] = d_->xquat[4 * body];
    out[3] = d_->xquat[4 * body + 2];
  }
  f64 distance(int site, int other) const {
    return difference(d_->site_xpos + 3 * site, d_->site_xpos + 3 * other).norm();
  }

  static constexpr int kJoints = 8, kFinger = 4, kThumb = 6;
  int hand_, grasp_, joints_[kJoints];
};

}  // namespace envpool::mujoco::dmc
