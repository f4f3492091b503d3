// SPDX-License-Identifier: Apache-2.0
//
// A finger of two links spins a body on a hinge, or turns the body's tip to a target.
//
// Observation: position (both joints, the tip relative to the hinge), velocity, touch (logarithms of two sensors);
// the turn tasks also have target_position and dist_to_target (from the tip to the target's surface; negative inside).
// Reward: 1 while the body spins fast enough, or the tip is in the target.
// Reset: joints uniform, drawn again until nothing is in contact; the target at a random angle around the hinge.
// Source: dm_control 1.0.50, suite/finger.py.
#pragma once

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Finger : public Task {
 public:
  struct Variant {
    f64 target_radius = 0;  // 0 for the task "spin", which has no target
  };

  Finger(Physics& physics, Variant variant)
      : Task(physics),
        spin_(variant.target_radius == 0),
        tip_(physics.sensor("tip", 3)),
        spinner_(physics.sensor("spinner", 3)),
        target_(physics.sensor("target", 3)),
        joints_{physics.sensor("proximal"), physics.sensor("distal")},
        velocities_{physics.sensor("proximal_velocity"), physics.sensor("distal_velocity"),
                    physics.sensor("hinge_velocity")},
        touch_{physics.sensor("touchtop"), physics.sensor("touchbottom")},
        hinge_(physics.id(mjOBJ_JOINT, "hinge")),
        cap_(physics.geom("cap1")),
        site_(physics.site("target")) {
    if (spin_) {
      float* rgba = physics.copy_array(&mjModel::site_rgba, 4 * m_->nsite);
      rgba[4 * site_ + 3] = rgba[4 * physics.site("tip") + 3] = 0;
      physics.copy_array(&mjModel::dof_damping, m_->nv)[m_->jnt_dofadr[hinge_]] = .03;
    } else {
      position_ = physics.copy_drawn_array(&mjModel::site_pos, 3 * m_->nsite) + 3 * site_;
      physics.copy_array(&mjModel::site_size, 3 * m_->nsite)[3 * site_] = variant.target_radius;
    }
  }

  void randomize(Rng& rng) override {
    if (!spin_) {
      const f64 angle = rng.uniform(-kPi, kPi);
      const f64* size = m_->geom_size + 3 * cap_;
      const f64 radius = size[0] + size[1] + size[2];
      position_[0] = d_->xanchor[3 * hinge_] + radius * sin(angle);
      position_[2] = d_->xanchor[3 * hinge_ + 2] + radius * cos(angle);
    }
    for (int attempt = 0; attempt < 1000; ++attempt) {
      randomize_joints(rng);
      physics_.forward();
      if (d_->ncon == 0) return;
    }
    throw std::runtime_error("no state without collisions was found in 1000 attempts");
  }
  void observe(Observer& out) const override {
    f64* position = out.array("position", {4});
    for (int i = 0; i < 2; ++i) position[i] = d_->sensordata[joints_[i]];
    for (int i = 0; i < 2; ++i) position[2 + i] = relative(tip_, i);
    f64* velocity = out.array("velocity", {3});
    for (int i = 0; i < 3; ++i) velocity[i] = d_->sensordata[velocities_[i]];
    f64* touch = out.array("touch", {2});
    for (int i = 0; i < 2; ++i) touch[i] = std::log1p(d_->sensordata[touch_[i]]);
    if (spin_) return;
    f64* target = out.array("target_position", {2});
    for (int i = 0; i < 2; ++i) target[i] = relative(target_, i);
    out.scalar("dist_to_target", distance());
  }
  f64 reward() const override { return spin_ ? d_->sensordata[velocities_[2]] <= -15 : distance() <= 0; }

 private:
  // Returns x or z of a sensed position relative to the hinge.
  f64 relative(int sensor, int i) const { return d_->sensordata[sensor + 2 * i] - d_->sensordata[spinner_ + 2 * i]; }
  f64 distance() const {
    const f64 to_target[2] = {relative(target_, 0) - relative(tip_, 0), relative(target_, 1) - relative(tip_, 1)};
    return norm(to_target, 2) - m_->site_size[3 * site_];
  }

  bool spin_;
  int tip_, spinner_, target_, joints_[2], velocities_[3], touch_[2], hinge_, cap_, site_;
  f64* position_ = nullptr;
};

}  // namespace envpool::mujoco::dmc
