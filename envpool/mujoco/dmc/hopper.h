// SPDX-License-Identifier: Apache-2.0
//
// A planar one-legged hopper is to stand, or to hop at 2 m/s.
//
// Observation: position but for the root's x, velocity, touch (logarithms of toe's and heel's sensors).
// Reward: 1 while the torso is high enough above the foot, times small control or speed.
// Reset: joints with a range uniform in it, other hinges in a full turn. Source: dm_control 1.0.50, suite/hopper.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Hopper : public Task {
 public:
  struct Variant {
    bool hops = false;
  };

  Hopper(Stage& stage, Variant variant)
      : Task(stage),
        hopping_(variant.hops),
        torso_(stage.body("torso")),
        foot_(stage.body("foot")),
        speed_(stage.sensor("torso_subtreelinvel", 3)),
        touch_{stage.sensor("touch_toe"), stage.sensor("touch_heel")} {}

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
