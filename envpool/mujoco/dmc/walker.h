// SPDX-License-Identifier: Apache-2.0
//
// A planar walker stands, walks at 1 m/s or runs at 8 m/s.
//
// Observation: orientations (two elements of each body's matrix), height of the torso, velocity.
// Reward: height and uprightness, times speed.
// Reset: limited joints uniform in their ranges, other hinges over a full turn.
// Source: dm_control 1.0.50, suite/walker.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Walker : public Task {
 public:
  struct Variant {
    f64 speed = 0;
  };

  Walker(Physics& physics, Variant variant)
      : Task(physics),
        target_speed_(variant.speed),
        torso_(physics.body("torso")),
        speed_(physics.sensor("torso_subtreelinvel", 3)) {}

  void randomize(Rng& rng) override { randomize_joints(rng); }
  void observe(Observer& out) const override {
    f64* orientations = out.array("orientations", {2 * (m_->nbody - 1)});
    for (int body = 1; body < m_->nbody; ++body) {
      *orientations++ = d_->xmat[9 * body + kXX];
      *orientations++ = d_->xmat[9 * body + kXZ];
    }
    out.scalar("height", height());
    observe_velocities(out);
  }
  f64 reward() const override {
    const f64 standing = tolerance(height(), {1.2, kInfinity}, 1.2 / 2);
    const f64 upright = (1 + d_->xmat[9 * torso_ + kZZ]) / 2;
    const f64 stand = (3 * standing + upright) / 4;
    if (target_speed_ == 0) return stand;
    const f64 move =
        tolerance(d_->sensordata[speed_], {target_speed_, kInfinity}, target_speed_ / 2, Sigmoid::kLinear, .5);
    return stand * (5 * move + 1) / 6;
  }

 private:
  f64 height() const { return d_->xpos[3 * torso_ + 2]; }

  f64 target_speed_;
  int torso_, speed_;
};

}  // namespace envpool::mujoco::dmc
