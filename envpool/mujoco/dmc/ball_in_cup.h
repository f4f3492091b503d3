// SPDX-License-Identifier: Apache-2.0
//
// A cup is to catch the ball that hangs from it.
//
// Observation: position, velocity. Reward: 1 while the ball is in the cup. Reset: the ball anywhere below or above the
// cup that it touches nothing. Source: dm_control 1.0.50, suite/ball_in_cup.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class BallInCup : public Task {
 public:
  explicit BallInCup(Stage& stage)
      : Task(stage),
        target_(stage.site("target")),
        ball_body_(stage.body("ball")),
        ball_(stage.geom("ball")),
        x_(stage.qpos("ball_x")),
        z_(stage.qpos("ball_z")) {}

  void randomize(Rng& rng) override {
    until_apart([&] {
      d_->qpos[x_] = rng.uniform(-.2, .2);
      d_->qpos[z_] = rng.uniform(.2, .5);
      stage_.settle();
    });
  }
  void observe(Observer& out) const override {
    observe_positions(out);
    observe_velocities(out);
  }
  f64 reward() const override {
    for (const int axis : {0, 2}) {
      const f64 off = std::fabs(d_->site_xpos[3 * target_ + axis] - d_->xpos[3 * ball_body_ + axis]);
      if (!(off < m_->site_size[3 * target_ + axis] - m_->geom_size[3 * ball_])) return 0;
    }
    return 1;
  }

 private:
  int target_, ball_body_, ball_, x_, z_;
};

}  // namespace envpool::mujoco::dmc
