// SPDX-License-Identifier: Apache-2.0
//
// A planar arm of two links keeps its finger on a target.
//
// Observation: position, to_target, velocity.
// Reward: 1 while finger and target touch.
// Reset: joints uniform; the target at a uniformly random angle and distance.
// Source: dm_control 1.0.50, suite/reacher.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Reacher : public Task {
 public:
  struct Variant {
    f64 target_size = .05;
  };

  Reacher(Physics& physics, Variant variant)
      : Task(physics),
        target_(physics.geom("target")),
        finger_(physics.geom("finger")),
        position_(physics.copy_drawn_array(&mjModel::geom_pos, 3 * m_->ngeom) + 3 * target_) {
    physics.copy_array(&mjModel::geom_size, 3 * m_->ngeom)[3 * target_] = variant.target_size;
  }

  void randomize(Rng& rng) override {
    randomize_joints(rng);
    const f64 angle = rng.uniform(0, 2 * kPi);
    const f64 radius = rng.uniform(.05, .20);
    position_[0] = radius * sin(angle);
    position_[1] = radius * cos(angle);
  }
  void observe(Observer& out) const override {
    observe_positions(out);
    out.copy("to_target", to_target().x, 2);
    observe_velocities(out);
  }
  f64 reward() const override {
    const f64 radii = m_->geom_size[3 * target_] + m_->geom_size[3 * finger_];
    return tolerance(norm(to_target().x, 2), {0, radii});
  }

 private:
  Vec3 to_target() const { return difference(d_->geom_xpos + 3 * target_, d_->geom_xpos + 3 * finger_); }

  int target_, finger_;
  f64* position_;
};

}  // namespace envpool::mujoco::dmc
