// SPDX-License-Identifier: Apache-2.0
//
// A pendulum with a weak motor swings up and stays upright.
//
// Observation: orientation (cosine and sine), velocity.
// Reward: 1 within 8 degrees of upright.
// Reset: the angle uniform over a full turn.
// Source: dm_control 1.0.50, suite/pendulum.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Pendulum : public Task {
 public:
  explicit Pendulum(Physics& physics)
      : Task(physics), pole_(physics.body("pole")), hinge_(physics.qpos("hinge")), velocity_(physics.qvel("hinge")) {}

  void randomize(Rng& rng) override { d_->qpos[hinge_] = rng.uniform(-kPi, kPi); }
  void observe(Observer& out) const override {
    f64* orientation = out.array("orientation", {2});
    orientation[0] = d_->xmat[9 * pole_ + kZZ];
    orientation[1] = d_->xmat[9 * pole_ + kXZ];
    out.copy("velocity", d_->qvel + velocity_, 1);
  }
  f64 reward() const override { return tolerance(d_->xmat[9 * pole_ + kZZ], {cos(8 * (kPi / 180)), 1}); }

 private:
  int pole_, hinge_, velocity_;
};

}  // namespace envpool::mujoco::dmc
