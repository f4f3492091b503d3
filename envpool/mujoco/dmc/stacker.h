// SPDX-License-Identifier: Apache-2.0
//
// A planar arm is to stack two or four boxes.
//
// Observation: arm_pos (sine and cosine of 8 joints), arm_vel, touch (logarithms of the sensors); unless
// fully_observable is off also hand_pos and box_pos (x, z, rotation), box_vel and target_pos.
// Reward: nearness of a box to the target, while the hand is away from it. Reset: the arm uniform, the target at some
// height of the stack, the boxes anywhere; nothing touches. Source: dm_control 1.0.50, suite/stacker.py.
#pragma once

#include <algorithm>

#include "envpool/mujoco/dmc/arm.h"

namespace envpool::mujoco::dmc {

class Stacker : public ArmTask {
 public:
  struct Variant {
    int boxes = 2;
    bool partial = false;
  };

  Stacker(Stage& stage, Variant variant)
      : ArmTask(stage),
        boxes_(variant.boxes),
        fully_observable_(!variant.partial),
        target_body_(stage.body("target")),
        target_(stage.site("target")),
        box_size_(m_->geom_size[3 * stage.geom("target")]),
        body_pos_(stage.randomize(&mjModel::body_pos, 3 * m_->nbody)) {
    for (int box = 0; box < variant.boxes; ++box) {
      const std::string name = "box" + std::to_string(box);
      box_[box] = {stage.body(name), stage.site(name), {}, {}};
      for (int i = 0; i < 3; ++i) {
        box_[box].qpos[i] = stage.qpos(name + "_" + "xyz"[i]);
        box_[box].qvel[i] = stage.qvel(name + "_" + "xyz"[i]);
      }
    }
  }

  void randomize(Rng& rng) override {
    until_apart([&] {
      randomize_arm(rng);
      body_pos_[3 * target_body_ + 2] = box_size_ * (2 * rng.below(u32(boxes_)) + 1);
      body_pos_[3 * target_body_] = rng.uniform(-.37, .37);
      for (int box = 0; box < boxes_; ++box) {
        d_->qpos[box_[box].qpos[0]] = rng.uniform(.1, .3);
        d_->qpos[box_[box].qpos[2]] = rng.uniform(0, .7);
        d_->qpos[box_[box].qpos[1]] = rng.uniform(0, 2 * kPi);
      }
      stage_.settle();
    });
  }
  void observe(Observer& out) const override {
    observe_arm(out);
    f64* touch = out.array("touch", {m_->nsensordata});
    for (int i = 0; i < m_->nsensordata; ++i) touch[i] = std::log1p(d_->sensordata[i]);
    if (!fully_observable_) return;
    write_pose(out.array("hand_pos", {4}), hand_);
    f64* poses = out.array("box_pos", {boxes_, 4});
    for (int box = 0; box < boxes_; ++box) write_pose(poses + 4 * box, box_[box].body);
    f64* velocities = out.array("box_vel", {3 * boxes_});
    for (int box = 0; box < boxes_; ++box) {
      for (const int joint : box_[box].qvel) *velocities++ = d_->qvel[joint];
    }
    f64* target = out.array("target_pos", {2});
    target[0] = d_->xpos[3 * target_body_];
    target[1] = d_->xpos[3 * target_body_ + 2];
  }
  f64 reward() const override {
    f64 nearest = kInfinity;
    for (int box = 0; box < boxes_; ++box) nearest = std::min(nearest, distance(box_[box].site, target_));
    const f64 hand_is_far = tolerance(distance(grasp_, target_), {.1, kInfinity}, .01);
    return tolerance(nearest, {}, 2 * box_size_) * hand_is_far;
  }

 private:
  struct Box {
    int body, site, qpos[3], qvel[3];  // joints x, y (the rotation) and z
  };
  int boxes_;
  bool fully_observable_;
  int target_body_, target_;
  f64 box_size_;
  f64* body_pos_;
  Box box_[4]{};
};

}  // namespace envpool::mujoco::dmc
