// SPDX-License-Identifier: Apache-2.0
//
// A dog whose muscles have activation dynamics stands, walks, trots or runs at 1, 3 or 9 m/s, or fetches a thrown ball.
//
// Observation: joint_angles, joint_velocites (dm_control's spelling), torso_pelvis_height, z_projection (of skull,
// torso and pelvis), torso_com_velocity, inertial_sensors, foot_forces, touch_sensors, actuator_state; fetch also has
// ball_state and target_position.
// Reward: a product of heights, uprightness and weight on the feet; times speed or, to fetch, nearness of the mouth to
// the ball and of the ball to the target.
// Reset: any heading, random velocities and activations; the ball flies towards the middle.
// Source: dm_control 1.0.50, suite/dog.py.
#pragma once

#include <algorithm>
#include <vector>

#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Dog : public Task {
 public:
  struct Variant {
    f64 speed = 0;  // 0 for the task "stand"
  };

  Dog(Physics& physics, Variant variant)
      : Task(physics),
        target_speed_(variant.speed),
        torso_(physics.body("torso")),
        pelvis_(physics.body("pelvis")),
        skull_(physics.body("skull")),
        root_(physics.free_qpos("root")),
        velocity_(physics.sensor("torso_linvel", 3)) {
    for (int i = 0; i < m_->njnt; ++i) {
      if (m_->jnt_type[i] == mjJNT_HINGE) hinges_.push_back(i);
    }
    int count = 0;
    for (const char* name : {"accelerometer", "velocimeter", "gyro"}) inertial_[count++] = physics.sensor(name, 3);
    count = 0;
    for (const char* name : {"foot_L", "foot_R", "hand_L", "hand_R"}) forces_[count++] = physics.sensor(name, 3);
    count = 0;
    for (const char* name : {"palm_L", "palm_R", "sole_L", "sole_R"}) touches_[count++] = physics.sensor(name);
    physics.reset();
    measure();
  }

  void randomize(Rng& rng) override {
    measure();
    const f64 azimuth = rng.uniform(0, 2 * kPi);
    const f64 rotation[4] = {cos(azimuth / 2), 0, 0, sin(azimuth / 2)};
    std::memcpy(d_->qpos + root_ + 3, rotation, sizeof(rotation));
    for (const int i : {0, 1, 5}) d_->qvel[i] = 2 * normal(rng);
    for (int i = 0; i < std::min(m_->na, m_->nu); ++i) {
      d_->act[i] = rng.uniform(m_->actuator_ctrlrange[2 * i], m_->actuator_ctrlrange[2 * i + 1]);
    }
  }
  void observe(Observer& out) const override {
    f64* angles = out.array("joint_angles", {i64(hinges_.size())});
    for (const int joint : hinges_) *angles++ = d_->qpos[m_->jnt_qposadr[joint]];
    f64* velocities = out.array("joint_velocites", {i64(hinges_.size())});
    for (const int joint : hinges_) *velocities++ = d_->qvel[m_->jnt_dofadr[joint]];
    f64* heights = out.array("torso_pelvis_height", {2});
    heights[0] = height(torso_);
    heights[1] = height(pelvis_);
    f64* projection = out.array("z_projection", {9});
    for (const int body : {skull_, torso_, pelvis_}) {
      for (int i = 0; i < 3; ++i) *projection++ = d_->xmat[9 * body + kZX + i];
    }
    out.copy("torso_com_velocity", com_velocity());
    write_readings(out.array("inertial_sensors", {9}), inertial_);
    write_readings(out.array("foot_forces", {12}), forces_);
    f64* touch = out.array("touch_sensors", {4});
    for (const int sensor : touches_) *touch++ = d_->sensordata[sensor];
    out.copy("actuator_state", d_->act, m_->na);
  }
  f64 reward() const override {
    f64 reward = standing();
    if (target_speed_ == 0) return reward;
    const f64 forward = tolerance(com_velocity()[0], {target_speed_, 2 * target_speed_}, std::max(1.0, target_speed_),
                                  Sigmoid::kLinear, 0);
    return reward * ((4 * forward + 1) / 5);
  }

 protected:
  f64 standing() const {
    f64 reward = tolerance(height(torso_), {stand_height_[0], kInfinity}, stand_height_[0]);
    reward *= tolerance(height(pelvis_), {stand_height_[1], kInfinity}, stand_height_[1]);
    const f64 cosine = cos(30 * (kPi / 180));
    for (const int body : {skull_, torso_, pelvis_}) {
      reward *= tolerance(d_->xmat[9 * body + kZZ], {cosine, kInfinity}, cosine + 1, Sigmoid::kLinear, 0);
    }
    f64 touch = 0;
    for (const int sensor : touches_) touch += d_->sensordata[sensor];
    const f64 weight = -m_->opt.gravity[2] * m_->body_subtreemass[torso_];
    return reward * tolerance(touch, {weight, kInfinity}, weight, Sigmoid::kLinear, .9);
  }

 private:
  // Measures the heights of the model's initial state.
  void measure() {
    stand_height_[0] = height(torso_) * .9;
    stand_height_[1] = height(pelvis_) * .9;
  }
  f64 height(int body) const { return d_->xpos[3 * body + 2]; }
  Vec3 com_velocity() const {
    const f64* v = d_->sensordata + velocity_;
    return in_frame({{v[0], v[1], v[2]}}, d_->xmat + 9 * torso_);
  }
  template <int kCount>
  void write_readings(f64* out, const int (&sensors)[kCount]) const {
    for (const int sensor : sensors) {
      for (int i = 0; i < 3; ++i) *out++ = d_->sensordata[sensor + i];
    }
  }

  f64 target_speed_;
  int torso_, pelvis_, skull_, root_, velocity_, inertial_[3], forces_[4], touches_[4];
  f64 stand_height_[2];
  std::vector<int> hinges_;
};

class DogFetch : public Dog {
 public:
  explicit DogFetch(Physics& physics)
      : Dog(physics, {}),
        floor_(physics.geom("floor")),
        ball_(physics.geom("ball")),
        target_(physics.geom("target")),
        head_(physics.site("head")),
        upper_bite_(physics.site("upper_bite")),
        lower_bite_(physics.site("lower_bite")),
        ball_root_(physics.free_qpos("ball_root")),
        ball_velocity_(physics.free_qvel("ball_root")) {}

  void randomize(Rng& rng) override {
    Dog::randomize(rng);
    const f64 radius = .75 * m_->geom_size[3 * floor_];
    const f64 azimuth = rng.uniform(0, 2 * kPi);
    f64* position = d_->qpos + ball_root_;
    position[0] = radius * sin(azimuth);
    position[1] = radius * cos(azimuth);
    position[2] = .05;
    const f64 height = rng.uniform(0, 3), speed = rng.uniform(0, 5);
    f64* velocity = d_->qvel + ball_velocity_;
    velocity[0] = speed * (-sin(azimuth) + .05 * normal(rng));
    velocity[1] = speed * (-cos(azimuth) + .05 * normal(rng));
    velocity[2] = sqrt(2 * -m_->opt.gravity[2] * height);
  }
  void observe(Observer& out) const override {
    Dog::observe(out);
    const f64 *frame = d_->site_xmat + 9 * head_, *head = d_->site_xpos + 3 * head_;
    f64 ball_velocity[6], head_velocity[6];  // angular velocity first
    mj_objectVelocity(m_, d_, mjOBJ_SITE, head_, head_velocity, 0);
    mj_objectVelocity(m_, d_, mjOBJ_GEOM, ball_, ball_velocity, 0);
    const Vec3 parts[2] = {in_frame(difference(d_->geom_xpos + 3 * ball_, head), frame),
                           in_frame(difference(ball_velocity + 3, head_velocity + 3), frame)};
    f64* state = out.array("ball_state", {6});
    for (int i = 0; i < 6; ++i) state[i] = parts[i / 3][i % 3];
    out.copy("target_position", in_frame(difference(d_->geom_xpos + 3 * target_, head), frame));
  }
  f64 reward() const override {
    const f64* ball = d_->geom_xpos + 3 * ball_;
    const f64 to_mouth = .5 * (difference(ball, d_->site_xpos + 3 * upper_bite_).norm() +
                               difference(ball, d_->site_xpos + 3 * lower_bite_).norm());
    f64 reach = tolerance(to_mouth, {0, m_->site_size[3 * upper_bite_]}, 2, Sigmoid::kReciprocal);
    reach = (6 * reach + 1) / 7;
    const f64 to_target = difference(ball, d_->geom_xpos + 3 * target_).norm();
    const f64 radius = m_->geom_size[3 * target_];
    const f64 near = tolerance(to_target, {0, radius}, m_->geom_size[3 * floor_], Sigmoid::kReciprocal);
    const f64 fetch = (near + 1) / 2;
    if (to_target < 2 * radius) reach = 1;  // the dog may release a ball that it has fetched
    return standing() * reach * fetch;
  }

 private:
  int floor_, ball_, target_, head_, upper_bite_, lower_bite_, ball_root_, ball_velocity_;
};

}  // namespace envpool::mujoco::dmc
