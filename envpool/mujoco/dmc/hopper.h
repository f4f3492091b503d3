// SPDX-License-Identifier: Apache-2.0
//
// A planar one-legged hopper stands, or hops at 2 m/s.
//
// Observation: position without the root's x, velocity, touch (logarithms of two sensors, toe and heel).
// Reward: 1 while the torso is high enough above the foot, times small control or speed.
// Reset: limited joints uniform in their ranges, other hinges over a full turn.
// Source: dm_control 1.0.50, suite/hopper.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Hopper : public Task {
 public:
  struct Variant {
    bool hop = false;
  };

  Hopper(Physics& physics, Variant variant)
      : Task(physics),
        hopping_(variant.hop),
        torso_(physics.body("torso")),
        foot_(physics.body("foot")),
        speed_(physics.sensor("torso_subtreelinvel", 3)),
        touch_{physics.sensor("touch_toe"), physics.sensor("touch_heel")} {}

  void randomize(Rng& rng) override { randomize_joints(rng); }
  void observe(Observer& out) const override {
    out.copy("position", d_->qpos + 1, m_->nq - 1);
    observe_velocities(out);
    f64* touch = out.array("touch", {2});
    for (int i = 0; i < 2; ++i) touch[i] = std::log1p(d_->sensordata[touch_[i]]);
  }
  f64 reward() const override {
    const f64 standing = tolerance(d_->xipos[3 * torso_ + 2] - d_->xipos[3 * foot_ + 2], {.6, 2});
    if (!hopping_) return standing * small_control();
    return standing * tolerance(d_->sensordata[speed_], {2, kInfinity}, 1, Sigmoid::kLinear, .5);
  }

 private:
  bool hopping_;
  int torso_, foot_, speed_, touch_[2];
};

}  // namespace envpool::mujoco::dmc
