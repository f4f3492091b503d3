// SPDX-License-Identifier: Apache-2.0
//
// A row of masses on springs comes to rest, driven by forces on the first masses: a linear system with quadratic costs.
//
// Observation: position, velocity.
// Action: unbounded forces, that is, within +-1e10.
// Reward: 1 minus half the squared norm of the positions, minus 0.05 times the squared norm of the controls.
// Terminated: when the norm of the state is below 1e-6.
// Reset: positions uniform on a sphere. The stiffness of the springs is drawn once for each environment, from 15 to 25.
// dm_control has no time limit; the id has EnvPool's limit of 1000 steps.
// Source: dm_control 1.0.50, suite/lqr.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Lqr : public Task {
 public:
  explicit Lqr(Physics& physics)
      : Task(physics), stiffness_(physics.copy_drawn_array(&mjModel::jnt_stiffness, m_->njnt)) {}

  void randomize(Rng& rng) override {
    Rng once = rng;  // a separate stream, which is the same in every episode
    once.begin_episode(0);
    once.agent = 1;
    for (int i = 0; i < m_->njnt; ++i) stiffness_[i] = once.uniform(15, 25);
    random_unit(d_->qpos, m_->nq, rng);
    for (int i = 0; i < m_->nq; ++i) d_->qpos[i] *= sqrt(2.0);
  }
  void observe(Observer& out) const override {
    observe_positions(out);
    observe_velocities(out);
  }
  f64 reward() const override {
    const f64 state = .5 * square(d_->qpos, m_->nq), control = .5 * square(d_->ctrl, m_->nu);
    return 1 - (state + control * .1);
  }
  bool terminated() const override { return sqrt(square(d_->qpos, m_->nq) + square(d_->qvel, m_->nv)) < 1e-6; }

 private:
  static f64 square(const f64* x, int count) {
    f64 sum = 0;
    for (int i = 0; i < count; ++i) sum += x[i] * x[i];
    return sum;
  }
  f64* stiffness_;
};

}  // namespace envpool::mujoco::dmc
