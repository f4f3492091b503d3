// SPDX-License-Identifier: Apache-2.0
//
// A chain of 6 or 15 links in a fluid moves its nose to a target.
//
// Observation: joints, to_target (from the nose, in the head's frame), body_velocities (x, y and rotation of each
// link).
// Reward: nearness to the target.
// Reset: joints uniform, the target in a box, which is small with probability 0.2.
// Source: dm_control 1.0.50, suite/swimmer.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Swimmer : public Task {
 public:
  explicit Swimmer(Physics& physics)
      : Task(physics),
        head_(physics.body("head")),
        nose_(physics.geom("nose")),
        target_(physics.geom("target")),
        velocities_(physics.sensor("head_vel", 3)),
        position_(physics.copy_drawn_array(&mjModel::geom_pos, 3 * m_->ngeom) + 3 * target_),
        light_(physics.copy_drawn_array(&mjModel::light_pos, 3 * m_->nlight) +
               3 * physics.id(mjOBJ_LIGHT, "target_light")) {}

  void randomize(Rng& rng) override {
    randomize_joints(rng);
    const f64 box = rng.uniform() < .2 ? .3 : 2;
    for (int i = 0; i < 2; ++i) light_[i] = position_[i] = rng.uniform(-box, box);
  }
  void observe(Observer& out) const override {
    out.copy("joints", d_->qpos + 3, m_->nq - 3);
    out.copy("to_target", to_target().x, 2);
    const int links = (m_->nsensordata - velocities_) / 6;
    f64* velocities = out.array("body_velocities", {3 * links});
    for (int link = 0; link < links; ++link) {
      for (const int i : {0, 1, 5}) *velocities++ = d_->sensordata[velocities_ + 6 * link + i];
    }
  }
  f64 reward() const override {
    const f64 size = m_->geom_size[3 * target_];
    return tolerance(norm(to_target().x, 2), {0, size}, 5 * size, Sigmoid::kLongTail);
  }

 private:
  Vec3 to_target() const {
    return in_frame(difference(d_->geom_xpos + 3 * target_, d_->geom_xpos + 3 * nose_), d_->xmat + 9 * head_);
  }

  int head_, nose_, target_, velocities_;
  f64 *position_, *light_;
};

}  // namespace envpool::mujoco::dmc
