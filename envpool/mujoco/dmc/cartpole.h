// SPDX-License-Identifier: Apache-2.0
//
// A cart keeps one, two or three poles upright, or swings them up first.
//
// Observation: position (the cart's, then cosine and sine of each pole's angle to the vertical), velocity.
// Reward: uprightness, times centering, small control and small velocity; sparse: 1 within narrow bounds.
// Reset: poles nearly upright, or nearly down if the task is to swing them up, with small velocities.
// Source: dm_control 1.0.50, suite/cartpole.py.
#pragma once

#include <algorithm>

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Cartpole : public Task {
 public:
  struct Variant {
    bool swing_up = false;
    bool sparse = false;
  };

  Cartpole(Physics& physics, Variant variant)
      : Task(physics),
        swing_up_(variant.swing_up),
        sparse_(variant.sparse),
        slider_(physics.qpos("slider")),
        hinge_(physics.qpos("hinge_1")) {}

  void randomize(Rng& rng) override {
    if (swing_up_) {
      d_->qpos[slider_] = .01 * normal(rng);
      d_->qpos[hinge_] = kPi + .01 * normal(rng);
      for (int i = 2; i < m_->nq; ++i) d_->qpos[i] = .1 * normal(rng);
    } else {
      d_->qpos[slider_] = rng.uniform(-.1, .1);
      for (int i = 1; i < m_->nq; ++i) d_->qpos[i] = rng.uniform(-.034, .034);
    }
    for (int i = 0; i < m_->nv; ++i) d_->qvel[i] = .01 * normal(rng);
  }
  void observe(Observer& out) const override {
    f64* position = out.array("position", {1 + 2 * poles()});
    *position++ = d_->qpos[slider_];
    for (int i = 0; i < poles(); ++i) {
      *position++ = cosine(i);
      *position++ = d_->xmat[9 * (2 + i) + kXZ];
    }
    observe_velocities(out);
  }
  f64 reward() const override {
    if (sparse_) {
      f64 reward = tolerance(d_->qpos[slider_], {-.25, .25});
      for (int i = 0; i < poles(); ++i) reward *= tolerance(cosine(i), {.995, 1});
      return reward;
    }
    const f64 upright = numpy_mean(poles(), [&](i64 i) { return (cosine(int(i)) + 1) / 2; });
    const f64 centered = (1 + tolerance(d_->qpos[slider_], {}, 2)) / 2;
    const f64 small_control = (4 + tolerance(d_->ctrl[0], {}, 1, Sigmoid::kQuadratic, 0)) / 5;
    f64 slowness = 1;
    for (int i = 1; i < m_->nv; ++i) slowness = std::min(slowness, tolerance(d_->qvel[i], {}, 5));
    const f64 small_velocity = (1 + slowness) / 2;
    return upright * small_control * small_velocity * centered;
  }

 private:
  // Body 0 is the world, 1 the cart.
  int poles() const { return m_->nbody - 2; }
  f64 cosine(int pole) const { return d_->xmat[9 * (2 + pole) + kZZ]; }

  bool swing_up_, sparse_;
  int slider_, hinge_;
};

}  // namespace envpool::mujoco::dmc
