// SPDX-License-Identifier: Apache-2.0
//
// A cup catches the ball that hangs from it.
//
// Observation: position, velocity.
// Reward: 1 while the ball is in the cup.
// Reset: the ball in a random position around the cup without contact.
// Source: dm_control 1.0.50, suite/ball_in_cup.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class BallInCup : public Task {
 public:
  explicit BallInCup(Physics& physics)
      : Task(physics),
        target_(physics.site("target")),
        ball_body_(physics.body("ball")),
        ball_(physics.geom("ball")),
        x_(physics.qpos("ball_x")),
        z_(physics.qpos("ball_z")) {}

  void randomize(Rng& rng) override {
    draw_without_contact([&] {
      d_->qpos[x_] = rng.uniform(-.2, .2);
      d_->qpos[z_] = rng.uniform(.2, .5);
      physics_.forward();
    });
  }
  void observe(Observer& out) const override {
    observe_positions(out);
    observe_velocities(out);
  }
  f64 reward() const override {
    for (const int axis : {0, 2}) {
      const f64 offset = std::fabs(d_->site_xpos[3 * target_ + axis] - d_->xpos[3 * ball_body_ + axis]);
      if (!(offset < m_->site_size[3 * target_ + axis] - m_->geom_size[3 * ball_])) return 0;
    }
    return 1;
  }

 private:
  int target_, ball_body_, ball_, x_, z_;
};

}  // namespace envpool::mujoco::dmc
