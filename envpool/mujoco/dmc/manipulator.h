// SPDX-License-Identifier: Apache-2.0
//
// A planar arm brings a ball or a peg to a target, or inserts it into a cup or a slot.
//
// Observation: arm_pos (sine and cosine of 8 joints), arm_vel, touch (logarithms of 5 sensors); with
// fully_observable also hand_pos, object_pos and target_pos (x, z, rotation) and object_vel.
// Reward: nearness of the object to the target; for a peg, up to a third for grasping it.
// Reset: the arm uniform; the object in the hand or in the target, with probability 0.1 each, or anywhere; no contacts.
// Source: dm_control 1.0.50, suite/manipulator.py.
#pragma once

#include <algorithm>

#include "envpool/mujoco/dmc/arm.h"

namespace envpool::mujoco::dmc {

class Manipulator : public ArmTask {
 public:
  struct Variant {
    bool peg = false;      // the object is a peg, not a ball
    bool insert = false;   // the target is in a slot or cup
    bool partial = false;  // observations omit the hand, the object and the target
  };

  Manipulator(Physics& physics, Variant variant)
      : ArmTask(physics),
        peg_(variant.peg),
        fully_observable_(!variant.partial),
        object_(physics.body(variant.peg ? "peg" : "ball")),
        target_(physics.body(variant.peg ? "target_peg" : "target_ball")),
        receptacle_(variant.insert ? physics.body(variant.peg ? "slot" : "cup") : -1),
        body_pos_(physics.copy_drawn_array(&mjModel::body_pos, 3 * m_->nbody)),
        body_quat_(physics.copy_drawn_array(&mjModel::body_quat, 4 * m_->nbody)) {
    constexpr const char* kSensors[kTouches] = {"palm_touch", "finger_touch", "thumb_touch", "fingertip_touch",
                                                "thumbtip_touch"};
    for (int i = 0; i < kTouches; ++i) touches_[i] = physics.sensor(kSensors[i]);
    for (int i = 0; i < 3; ++i) {
      const std::string joint = std::string(variant.peg ? "peg_" : "ball_") + "xzy"[i];
      object_qpos_[i] = physics.qpos(joint);
      object_qvel_[i] = physics.qvel(joint);
    }
    if (variant.peg) {
      pairs_[0] = {physics.site("peg_grasp"), grasp_};
      pairs_[1] = {physics.site("peg_pinch"), physics.site("pinch")};
      pairs_[2] = {physics.site("peg"), physics.site("target_peg")};
      pairs_[3] = {physics.site("target_peg_tip"), physics.site("peg_tip")};
    } else {
      pairs_[0] = {physics.site("ball"), physics.site("target_ball")};
    }
  }

  void randomize(Rng& rng) override {
    draw_without_contact([&] {
      randomize_arm(rng);
      const f64 target_x = rng.uniform(-.4, .4), target_z = rng.uniform(.1, .4);
      const f64 target_angle = receptacle_ >= 0 ? rng.uniform(-kPi / 3, kPi / 3) : rng.uniform(-kPi, kPi);
      if (receptacle_ >= 0) set_pose(receptacle_, target_x, target_z, target_angle);
      set_pose(target_, target_x, target_z, target_angle);
      const f64 start = rng.uniform();
      f64 x = target_x, z = target_z, angle = target_angle;
      if (start < .1) {
        physics_.forward();
        x = d_->site_xpos[3 * grasp_];
        z = d_->site_xpos[3 * grasp_ + 2];
        const f64* frame = d_->site_xmat + 9 * grasp_;
        angle = kPi - atan2(frame[kZX], frame[kXX]);
      } else if (start >= .2) {
        x = rng.uniform(-.5, .5);
        z = rng.uniform(0, .7);
        angle = rng.uniform(0, 2 * kPi);
        d_->qvel[object_qvel_[0]] = rng.uniform(-5, 5);  // not undone if this attempt fails, as in dm_control
      }
      d_->qpos[object_qpos_[0]] = x;
      d_->qpos[object_qpos_[1]] = z;
      d_->qpos[object_qpos_[2]] = angle;
      physics_.forward();
    });
  }
  void observe(Observer& out) const override {
    observe_arm(out);
    f64* touch = out.array("touch", {kTouches});
    for (const int sensor : touches_) *touch++ = std::log1p(d_->sensordata[sensor]);
    if (!fully_observable_) return;
    write_pose(out.array("hand_pos", {4}), hand_);
    write_pose(out.array("object_pos", {4}), object_);
    f64* velocity = out.array("object_vel", {3});
    for (const int joint : object_qvel_) *velocity++ = d_->qvel[joint];
    write_pose(out.array("target_pos", {4}), target_);
  }
  f64 reward() const override {
    if (!peg_) return closeness(0);
    const f64 grasping = (closeness(0) + closeness(1)) / 2;
    const f64 bringing = (closeness(2) + closeness(3)) / 2;
    return std::max(bringing, grasping / 3);
  }

 private:
  static constexpr int kTouches = 5;
  struct Pair {
    int site, other;
  };

  void set_pose(int body, f64 x, f64 z, f64 angle) {
    body_pos_[3 * body] = x;
    body_pos_[3 * body + 2] = z;
    body_quat_[4 * body] = cos(angle / 2);
    body_quat_[4 * body + 2] = sin(angle / 2);
  }
  f64 closeness(int pair) const {
    return tolerance(distance(pairs_[pair].site, pairs_[pair].other), {0, .01}, .01 * 2);
  }

  bool peg_, fully_observable_;
  int object_, target_, receptacle_;
  f64 *body_pos_, *body_quat_;
  int touches_[kTouches], object_qpos_[3], object_qvel_[3];
  Pair pairs_[4]{};
};

}  // namespace envpool::mujoco::dmc
