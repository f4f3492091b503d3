// SPDX-License-Identifier: Apache-2.0
//
// A planar arm is to bring a ball or a peg to a target, or to insert it into a cup or a slot.
//
// Observation: arm_pos (sine and cosine of 8 joints), arm_vel, touch (logarithms of 5 sensors); unless
// fully_observable is off also hand_pos, object_pos and target_pos (x, z, rotation) and object_vel.
// Reward: nearness of the object to the target; a peg pays a third for being grasped.
// Reset: the arm uniform; the object in the hand or in the target, one time in ten each, or anywhere; nothing touches.
// Source: dm_control 1.0.50, suite/manipulator.py.
#pragma once

#include <algorithm>

#include "envpool/mujoco/dmc/arm.h"

namespace envpool::mujoco::dmc {

class Manipulator : public ArmTask {
 public:
  struct Variant {
    bool peg = false;      // the object is a peg, not a ball
    bool insert = false;   // it goes into a slot or cup, not to a target
    bool partial = false;  // observations leave out the hand, the object and the target
  };

  Manipulator(Stage& stage, Variant variant)
      : ArmTask(stage),
        peg_(variant.peg),
        fully_observable_(!variant.partial),
        object_(stage.body(variant.peg ? "peg" : "ball")),
        target_(stage.body(variant.peg ? "target_peg" : "target_ball")),
        receptacle_(variant.insert ? stage.body(variant.peg ? "slot" : "cup") : -1),
        body_pos_(stage.randomize(&mjModel::body_pos, 3 * m_->nbody)),
        body_quat_(stage.randomize(&mjModel::body_quat, 4 * m_->nbody)) {
    constexpr const char* kSensors[kTouches] = {"palm_touch", "finger_touch", "thumb_touch", "fingertip_touch",
                                                "thumbtip_touch"};
    for (int i = 0; i < kTouches; ++i) touches_[i] = stage.sensor(kSensors[i]);
    for (int i = 0; i < 3; ++i) {
      const std::string joint = std::string(variant.peg ? "peg_" : "ball_") + "xzy"[i];
      object_qpos_[i] = stage.qpos(joint);
      object_qvel_[i] = stage.qvel(joint);
    }
    if (variant.peg) {
      pairs_[0] = {stage.site("peg_grasp"), grasp_};
      pairs_[1] = {stage.site("peg_pinch"), stage.site("pinch")};
      pairs_[2] = {stage.site("peg"), stage.site("target_peg")};
      pairs_[3] = {stage.site("target_peg_tip"), stage.site("peg_tip")};
    } else {
      pairs_[0] = {stage.site("ball"), stage.site("target_ball")};
    }
  }

  void randomize(Rng& rng) override {
    until_apart([&] {
      randomize_arm(rng);
      const f64 target_x = rng.uniform(-.4, .4), target_z = rng.uniform(.1, .4);
      const f64 target_angle = receptacle_ >= 0 ? rng.uniform(-kPi / 3, kPi / 3) : rng.uniform(-kPi, kPi);
      if (receptacle_ >= 0) place(receptacle_, target_x, target_z, target_angle);
      place(target_, target_x, target_z, target_angle);
      const f64 start = rng.uniform();
      f64 x = target_x, z = target_z, angle = target_angle;
      if (start < .1) {
        stage_.settle();
        x = d_->site_xpos[3 * grasp_];
        z = d_->site_xpos[3 * grasp_ + 2];
        const f64* frame = d_->site_xmat + 9 * grasp_;
        angle = kPi - atan2(frame[kZX], frame[kXX]);
      } else if (start >= .2) {
        x = rng.uniform(-.5, .5);
        z = rng.uniform(0, .7);
        angle = rng.uniform(0, 2 * kPi);
        d_->qvel[object_qvel_[0]] = rng.uniform(-5, 5);  // stays if this try fails, as in dm_control
      }
      d_->qpos[object_qpos_[0]] = x;
      d_->qpos[object_qpos_[1]] = z;
      d_->qpos[object_qpos_[2]] = angle;
      stage_.settle();
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
    if (!peg_) return close(0);
    const f64 grasping = (close(0) + close(1)) / 2;
    const f64 bringing = (close(2) + close(3)) / 2;
    return std::max(bringing, grasping / 3);
  }

 private:
  static constexpr int kTouches = 5;
  struct Pair {
    int site, other;
  };

  void place(int body, f64 x, f64 z, f64 angle) {
    body_pos_[3 * body] = x;
    body_pos_[3 * body + 2] = z;
    body_quat_[4 * body] = cos(angle / 2);
    body_quat_[4 * body + 2] = sin(angle / 2);
  }
  f64 close(int pair) const { return tolerance(distance(pairs_[pair].site, pairs_[pair].other), {0, .01}, .01 * 2); }

  bool peg_, fully_observable_;
  int object_, target_, receptacle_;
  f64 *body_pos_, *body_quat_;
  int touches_[kTouches], object_qpos_[3], object_qvel_[3];
  Pair pairs_[4]{};
};

}  // namespace envpool::mujoco::dmc
