// SPDX-License-Identifier: Apache-2.0
//
// A planar two-legged cheetah runs at 10 m/s.
//
// Observation: position without the root's x, velocity.
// Reward: speed as a fraction of 10 m/s.
// Reset: limited joints uniform in their ranges, then 200 simulation steps to settle.
// Source: dm_control 1.0.50, suite/cheetah.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Cheetah : public Task {
 public:
  explicit Cheetah(Physics& physics) : Task(physics), speed_(physics.sensor("torso_subtreelinvel", 3)) {}

  void randomize(Rng& rng) override {
    for (int i = 0; i < m_->njnt; ++i) {
      const f64* range = m_->jnt_range + 2 * i;
      if (m_->jnt_limited[i]) d_->qpos[m_->jnt_qposadr[i]] = rng.uniform(range[0], range[1]);
    }
    physics_.step(200);
    d_->time = 0;
  }
  void observe(Observer& out) const override {
    out.copy("position", d_->qpos + 1, m_->nq - 1);
    observe_velocities(out);
  }
  f64 reward() const override { return tolerance(d_->sensordata[speed_], {10, kInfinity}, 10, Sigmoid::kLinear, 0); }

 private:
  int speed_;
};

}  // namespace envpool::mujoco::dmc
