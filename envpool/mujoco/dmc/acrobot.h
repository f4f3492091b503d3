// SPDX-License-Identifier: Apache-2.0
//
// Two links with a motor at the elbow balance upright.
//
// Observation: orientations (x of both links' z-axes, then z), velocity.
// Reward: nearness of the tip to the target above, sparse or smooth.
// Reset: both angles uniform over a full turn.
// Source: dm_control 1.0.50, suite/acrobot.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Acrobot : public Task {
 public:
  struct Variant {
    bool sparse = false;
  };

  Acrobot(Physics& physics, Variant variant)
      : Task(physics),
        margin_(variant.sparse ? 0 : 1),
        arms_{physics.body("upper_arm"), physics.body("lower_arm")},
        target_(physics.site("target")),
        tip_(physics.site("tip")),
        joints_{physics.qpos("shoulder"), physics.qpos("elbow")} {}

  void randomize(Rng& rng) override {
    for (const int joint : joints_) d_->qpos[joint] = rng.uniform(-kPi, kPi);
  }
  void observe(Observer& out) const override {
    f64* orientations = out.array("orientations", {4});
    for (int i = 0; i < 2; ++i) {
      orientations[i] = d_->xmat[9 * arms_[i] + kXZ];
      orientations[2 + i] = d_->xmat[9 * arms_[i] + kZZ];
    }
    observe_velocities(out);
  }
  f64 reward() const override {
    const f64 distance = difference(d_->site_xpos + 3 * target_, d_->site_xpos + 3 * tip_).norm();
    return tolerance(distance, {0, m_->site_size[3 * target_]}, margin_);
  }

 private:
  f64 margin_;
  int arms_[2], target_, tip_, joints_[2];
};

}  // namespace envpool::mujoco::dmc
