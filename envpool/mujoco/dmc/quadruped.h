// SPDX-License-Identifier: Apache-2.0
//
// A four-legged walker walks at 0.5 m/s, runs at 5 m/s, escapes from a bowl with bumps, or fetches a ball.
//
// Observation: egocentric_state (hinges, their velocities, actuators), torso_velocity, torso_upright, imu, force_torque
// (asinh of the sensors of the toes); escape also has origin and rangefinder (tanh), and fetch ball_state and
// target_position.
// Reward: uprightness, times speed, distance from the middle, or nearness to the ball and of the ball to the target.
// Reset: any rotation (for fetch, any heading and position) just above the ground; a new terrain; a thrown ball.
// Source: dm_control 1.0.50, suite/quadruped.py.
#pragma once

#include <algorithm>
#include <vector>

#include "envpool/mujoco/dmc/spline_zoom.h"
#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

class Quadruped : public Task {
 public:
  explicit Quadruped(Physics& physics)
      : Task(physics),
        torso_(physics.body("torso")),
        root_(physics.free_qpos("root")),
        velocimeter_(physics.sensor("velocimeter", 3)) {
    for (int i = 0; i < m_->njnt; ++i) {
      if (m_->jnt_type[i] == mjJNT_HINGE) hinges_.push_back(i);
    }
    imu_ = readings(mjSENS_GYRO, mjSENS_ACCELEROMETER);
    force_torque_ = readings(mjSENS_FORCE, mjSENS_TORQUE);
    rangefinders_ = readings(mjSENS_RANGEFINDER, mjSENS_RANGEFINDER);
  }

  void observe(Observer& out) const override {
    const int hinges = int(hinges_.size());
    f64* state = out.array("egocentric_state", {2 * hinges + m_->na});
    for (const int joint : hinges_) *state++ = d_->qpos[m_->jnt_qposadr[joint]];
    for (const int joint : hinges_) *state++ = d_->qvel[m_->jnt_dofadr[joint]];
    for (int i = 0; i < m_->na; ++i) *state++ = d_->act[i];
    out.copy("torso_velocity", d_->sensordata + velocimeter_, 3);
    out.scalar("torso_upright", upright());
    f64* imu = out.array("imu", {i64(imu_.size())});
    for (const int reading : imu_) *imu++ = d_->sensordata[reading];
    f64* force = out.array("force_torque", {i64(force_torque_.size())});
    for (const int reading : force_torque_) *force++ = std::asinh(d_->sensordata[reading]);
  }

 protected:
  f64 upright() const { return d_->xmat[9 * torso_ + kZZ]; }
  // Returns 1 if the torso leans by less than this angle. Beyond it, the value decreases linearly, to 0 upside down.
  f64 upright_reward(f64 degrees = 0) const {
    const f64 cosine = cos(degrees * (kPi / 180));
    return tolerance(upright(), {cosine, kInfinity}, 1 + cosine, Sigmoid::kLinear, 0);
  }
  Vec3 to_torso_frame(const Vec3& v) const { return in_frame(v, d_->xmat + 9 * torso_); }
  static f64 linear(f64 x, Bounds bounds, f64 margin, f64 at_margin = 0) {
    return tolerance(x, bounds, margin, Sigmoid::kLinear, at_margin);
  }

  // Raises the walker in steps of a centimetre until it has no contact.
  void set_pose(const f64* rotation, f64 x = 0, f64 y = 0) {
    const auto set_root = [&](f64 z) {
      f64* root = d_->qpos + root_;
      root[0] = x, root[1] = y, root[2] = z;
      std::memcpy(root + 3, rotation, 4 * sizeof(f64));
    };
    f64 z = 0;
    physics_.simulation().reset();
    for (int attempt = 0;; ++attempt, z += .01) {
      if (attempt == 10000) throw std::runtime_error("no state without collisions was found in 10000 attempts");
      set_root(z);
      guarded([&] { mj_fwdPosition(m_, d_); });
      if (d_->ncon == 0) break;
    }
    physics_.reset();
    set_root(z);
    physics_.forward();
  }
  void draw_pose(Rng& rng) {
    f64 rotation[4];
    random_unit(rotation, 4, rng);
    set_pose(rotation);
  }

  int torso_, root_, velocimeter_;
  std::vector<int> hinges_, imu_, force_torque_, rangefinders_;

 private:
  std::vector<int> readings(int type, int other) const {
    std::vector<int> addresses;
    for (int i = 0; i < m_->nsensor; ++i) {
      if (m_->sensor_type[i] != type && m_->sensor_type[i] != other) continue;
      for (int k = 0; k < m_->sensor_dim[i]; ++k) addresses.push_back(m_->sensor_adr[i] + k);
    }
    return addresses;
  }
};

class QuadrupedMove : public Quadruped {
 public:
  struct Variant {
    f64 speed = 0;
  };

  QuadrupedMove(Physics& physics, Variant variant) : Quadruped(physics), target_speed_(variant.speed) {}

  void randomize(Rng& rng) override { draw_pose(rng); }
  f64 reward() const override {
    return upright_reward() * linear(d_->sensordata[velocimeter_], {target_speed_, kInfinity}, target_speed_, .5);
  }

 private:
  f64 target_speed_;
};

class QuadrupedEscape : public Quadruped {
 public:
  explicit QuadrupedEscape(Physics& physics)
      : Quadruped(physics),
        workspace_(physics.site("workspace")),
        size_(hfield_size(m_)),
        bumps_(int(2 * m_->hfield_size[0] / 2)),
        zoom_(bumps_, size_),
        heights_(physics.copy_drawn_array(&mjModel::hfield_data, m_->nhfielddata) + m_->hfield_adr[0]) {}

  void randomize(Rng& rng) override {
    std::vector<f64> bumps(size_t(bumps_) * size_t(bumps_));
    for (f64& bump : bumps) bump = rng.uniform(.15, 1);
    const std::vector<f64> smooth = zoom_(std::move(bumps));
    for (int row = 0; row < size_; ++row) {
      for (int column = 0; column < size_; ++column) {
        const f64 x = -1 + 2 * f64(column) / (size_ - 1), y = -1 + 2 * f64(row) / (size_ - 1);
        const f64 radius = std::min(std::max(sqrt(x * x + y * y), .04), 1.0);
        const f64 bowl = .5 - cos(2 * kPi * radius) / 2;
        heights_[row * size_ + column] = f32(bowl * smooth[size_t(row * size_ + column)]);
      }
    }
    draw_pose(rng);
  }
  void observe(Observer& out) const override {
    Quadruped::observe(out);
    const f64* torso = d_->xpos + 3 * torso_;
    out.copy("origin", to_torso_frame({{-torso[0], -torso[1], -torso[2]}}));
    f64* range = out.array("rangefinder", {i64(rangefinders_.size())});
    for (const int reading : rangefinders_) {
      const f64 distance = d_->sensordata[reading];
      *range++ = distance == -1 ? 1 : std::tanh(distance);  // -1 if the ray hits nothing
    }
  }
  f64 reward() const override {
    const f64 size = m_->hfield_size[0];
    return upright_reward(20) * linear(norm(d_->site_xpos + 3 * workspace_, 3), {size, kInfinity}, size);
  }

 private:
  static int hfield_size(const mjModel* m) {
    if (m->nhfield < 1 || m->hfield_nrow[0] != m->hfield_ncol[0] || m->hfield_nrow[0] < 2 || m->hfield_size[0] < 2) {
      throw std::invalid_argument("xml_file: the model has no square height field");
    }
    return m->hfield_nrow[0];
  }
  int workspace_, size_, bumps_;
  SplineZoom zoom_;
  float* heights_;
};

class QuadrupedFetch : public Quadruped {
 public:
  explicit QuadrupedFetch(Physics& physics)
      : Quadruped(physics),
        workspace_(physics.site("workspace")),
        target_(physics.site("target")),
        floor_(physics.geom("floor")),
        ball_(physics.body("ball")),
        ball_geom_(physics.geom("ball")),
        ball_root_(physics.free_qpos("ball_root")),
        ball_velocity_(physics.free_qvel("ball_root")),
        velocity_(physics.free_qvel("root")) {}

  void randomize(Rng& rng) override {
    const f64 azimuth = rng.uniform(0, 2 * kPi);
    const f64 rotation[4] = {cos(azimuth / 2), 0, 0, sin(azimuth / 2)};
    const f64 radius = .9 * m_->geom_size[3 * floor_];
    const f64 x = rng.uniform(-radius, radius), y = rng.uniform(-radius, radius);
    set_pose(rotation, x, y);
    for (int i = 0; i < 2; ++i) d_->qpos[ball_root_ + i] = rng.uniform(-radius, radius);
    d_->qpos[ball_root_ + 2] = 2;
    for (int i = 0; i < 2; ++i) d_->qvel[ball_velocity_ + i] = 5 * normal(rng);
  }
  void observe(Observer& out) const override {
    Quadruped::observe(out);
    const f64* angular_velocity = d_->qvel + ball_velocity_ + 3;
    const Vec3 parts[3] = {difference(d_->xpos + 3 * ball_, d_->xpos + 3 * torso_),
                           difference(d_->qvel + ball_velocity_, d_->qvel + velocity_),
                           {{angular_velocity[0], angular_velocity[1], angular_velocity[2]}}};
    f64* ball = out.array("ball_state", {9});
    for (const Vec3& part : parts) {
      const Vec3 local = to_torso_frame(part);
      for (int i = 0; i < 3; ++i) *ball++ = local[i];
    }
    out.copy("target_position", to_torso_frame(difference(d_->site_xpos + 3 * target_, d_->xpos + 3 * torso_)));
  }
  f64 reward() const override {
    const f64 arena = m_->geom_size[3 * floor_] * sqrt(2.0);
    const f64* ball = d_->xpos + 3 * ball_;
    const f64 near = m_->site_size[3 * workspace_] + m_->geom_size[3 * ball_geom_];
    const f64 reach = linear(norm(difference(d_->site_xpos + 3 * workspace_, ball).x, 2), {0, near}, arena);
    const f64 fetch =
        linear(norm(difference(d_->site_xpos + 3 * target_, ball).x, 2), {0, m_->site_size[3 * target_]}, arena);
    return upright_reward() * (reach * (.5 + .5 * fetch));
  }

 private:
  int workspace_, target_, floor_, ball_, ball_geom_, ball_root_, ball_velocity_, velocity_;
};

}  // namespace envpool::mujoco::dmc
