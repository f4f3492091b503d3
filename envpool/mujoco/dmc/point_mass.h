// SPDX-License-Identifier: Apache-2.0
//
// A point in a plane moves to the target in the middle; the hard task draws the directions of its two controls for each
// episode.
//
// Observation: position, velocity.
// Reward: nearness to the target, times small control.
// Reset: position uniform; hard: random directions of the two controls, which are not nearly parallel.
// Source: dm_control 1.0.50, suite/point_mass.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class PointMass : public Task {
 public:
  struct Variant {
    bool hard = false;
  };

  PointMass(Physics& physics, Variant variant)
      : Task(physics), target_(physics.geom("target")), mass_(physics.geom("pointmass")) {
    if (variant.hard && m_->nwrap < 4)
      throw std::invalid_argument("xml_file: expected a model with two tendons over two joints, got one without them");
    if (variant.hard) gains_ = physics.copy_drawn_array(&mjModel::wrap_prm, m_->nwrap);
  }

  void randomize(Rng& rng) override {
    randomize_joints(rng);
    if (gains_ == nullptr) return;
    random_unit(gains_, 2, rng);
    do {
      random_unit(gains_ + 2, 2, rng);
    } while (fabs(gains_[0] * gains_[2] + gains_[1] * gains_[3]) > .9);
  }
  void observe(Observer& out) const override {
    observe_positions(out);
    observe_velocities(out);
  }
  f64 reward() const override {
    const f64 size = m_->geom_size[3 * target_];
    const f64 distance = difference(d_->geom_xpos + 3 * target_, d_->geom_xpos + 3 * mass_).norm();
    return tolerance(distance, {0, size}, size) * small_control();
  }

 private:
  int target_, mass_;
  f64* gains_ = nullptr;
};

}  // namespace envpool::mujoco::dmc
