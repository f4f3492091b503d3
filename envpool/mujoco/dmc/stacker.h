// SPDX-License-Identifier: Apache-2.0
//
// A planar arm stacks two or four boxes.
//
// Observation: arm_pos (sine and cosine of 8 joints), arm_vel, touch (logarithms of the sensors); with fully_observable
// also hand_pos and box_pos (x, z, rotation), box_vel and target_pos.
// Reward: nearness of a box to the target while the hand is away from it.
// Reset: the arm uniform, the target at a random level of the stack, the boxes anywhere; no contacts.
// Source: dm_control 1.0.50, suite/stacker.py.
#pragma once

#include <algorithm>

#include "envpool/mujoco/dmc/arm.h"

namespace envpool::mujoco::dmc {

class Stacker : public ArmTask {
 public:
  struct Variant {
    int boxes = 2;
    bool partial = false;  // observations omit the hand, the boxes and the target
  };

  Stacker(Physics& physics, Variant variant)
      : ArmTask(physics),
        boxes_(variant.boxes),
        fully_observable_(!variant.partial),
        target_body_(physics.body("target")),
        target_(physics.site("target")),
        size_of_(physics.geom("target")),
        body_pos_(physics.copy_drawn_array(&mjModel::body_pos, 3 * m_->nbody)) {
    for (int box = 0; box < variant.boxes; ++box) {
      const std::string name = "box" + std::to_string(box);
      box_[box] = {physics.body(name), physics.site(name), {}, {}};
      for (int i = 0; i < 3; ++i) {
        box_[box].qpos[i] = physics.qpos(name + "_" + "xyz"[i]);
        box_[box].qvel[i] = physics.qvel(name + "_" + "xyz"[i]);
      }
    }
  }

  void randomize(Rng& rng) override {
    draw_without_contact([&] {
      randomize_arm(rng);
      body_pos_[3 * target_body_ + 2] = box_size() * (2 * rng.below(u32(boxes_)) + 1);
      body_pos_[3 * target_body_] = rng.uniform(-.37, .37);
      for (int box = 0; box < boxes_; ++box) {
        d_->qpos[box_[box].qpos[0]] = rng.uniform(.1, .3);
        d_->qpos[box_[box].qpos[2]] = rng.uniform(0, .7);
        d_->qpos[box_[box].qpos[1]] = rng.uniform(0, 2 * kPi);
      }
      physics_.forward();
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
    return tolerance(nearest, {}, 2 * box_size()) * hand_is_far;
  }

 private:
  struct Box {
    int body, site, qpos[3], qvel[3];  // the joints x, y (which rotates the box) and z
  };
  f64 box_size() const { return m_->geom_size[3 * size_of_]; }

  int boxes_;
  bool fully_observable_;
  int target_body_, target_;
  int size_of_;  // the geom that has the size of the boxes
  f64* body_pos_;
  Box box_[4]{};
};

}  // namespace envpool::mujoco::dmc
