// SPDX-License-Identifier: Apache-2.0
//
// A task of the suite: its resets, observations and rewards. suite.h makes an environment of it.
#pragma once

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "envpool/core/math/normal.h"
#include "envpool/core/table/spec.h"
#include "envpool/mujoco/dmc/physics.h"
#include "envpool/mujoco/dmc/rewards.h"

namespace envpool::mujoco::dmc {

// Receives an observation array by array, with names, shapes and values. An Observer either records the names and
// shapes, or writes the values one after the other.
class Observer {
 public:
  struct Array {
    std::string name;
    std::vector<i64> shape;
  };
  explicit Observer(std::vector<Array>& arrays) : arrays_(&arrays) {}
  explicit Observer(f64* out) : out_(out) {}

  // Returns the memory for the values of an array, in row-major order.
  f64* array(const char* name, std::initializer_list<i64> shape) {
    i64 count = 1;
    for (const i64 extent : shape) {
      if (extent < 0) throw std::invalid_argument("xml_file: the model is too small for the task");
      count *= extent;
    }
    if (arrays_ != nullptr) {
      arrays_->push_back({name, shape});
      scratch_.resize(size_t(count));
      return scratch_.data();
    }
    f64* values = out_;
    out_ += count;
    return values;
  }
  void copy(const char* name, const f64* values, i64 count) {
    f64* out = array(name, {count});
    std::memcpy(out, values, sizeof(f64) * size_t(count));
  }
  void copy(const char* name, const Vec3& values) { copy(name, values.x, 3); }
  void scalar(const char* name, f64 value) { *array(name, {}) = value; }

 private:
  std::vector<Array>* arrays_ = nullptr;
  std::vector<f64> scratch_;
  f64* out_ = nullptr;
};

class Task {
 public:
  explicit Task(Physics& physics) : physics_(physics), m_(physics.model()), d_(physics.data()) {}
  virtual ~Task() = default;

  // Draws the first state of an episode, starting from the model's initial state. Derived quantities are computed
  // afterwards.
  virtual void randomize(Rng& rng) = 0;
  virtual void observe(Observer& out) const = 0;
  virtual f64 reward() const = 0;
  virtual bool terminated() const { return false; }

 protected:
  // Draws limited joints uniformly from their ranges, and other hinges from a full turn. The quaternion of a free joint
  // has four positive components, as in dm_control, so that not all rotations occur. No model has ball joints.
  void randomize_joints(Rng& rng) {
    for (int i = 0; i < m_->njnt; ++i) {
      f64* q = d_->qpos + m_->jnt_qposadr[i];
      if (m_->jnt_type[i] == mjJNT_FREE) {
        for (int k = 3; k < 7; ++k) q[k] = rng.uniform();
        normalize(q + 3, 4);
      } else if (m_->jnt_limited[i]) {
        *q = rng.uniform(m_->jnt_range[2 * i], m_->jnt_range[2 * i + 1]);
      } else if (m_->jnt_type[i] == mjJNT_HINGE) {
        *q = rng.uniform(-kPi, kPi);
      }
    }
  }
  // Repeats randomize_joints() until there are no contacts.
  void randomize_joints_without_contact(Rng& rng) {
    draw_without_contact([&] {
      randomize_joints(rng);
      physics_.forward();
    });
  }
  // Repeats `draw` until there are no contacts. The number of attempts is limited, because a restored model may have no
  // such state.
  template <class Draw>
  void draw_without_contact(Draw&& draw) {
    for (int attempt = 0; attempt < 10000; ++attempt) {
      draw();
      if (d_->ncon == 0) return;
    }
    throw std::runtime_error("no state without collisions was found in 10000 attempts");
  }
  static void normalize(f64* x, int count) {
    const f64 size = norm(x, count);
    for (int i = 0; i < count; ++i) x[i] /= size;
  }
  static void random_unit(f64* out, int count, Rng& rng) {
    for (int i = 0; i < count; ++i) out[i] = normal(rng);
    normalize(out, count);
  }
  void observe_positions(Observer& out) const { out.copy("position", d_->qpos, m_->nq); }
  void observe_velocities(Observer& out) const { out.copy("velocity", d_->qvel, m_->nv); }

  // Returns a mean over controls that is near 1 if they are small.
  f64 small_control() const {
    const f64 mean = numpy_mean(m_->nu, [&](i64 i) { return tolerance(d_->ctrl[i], {}, 1, Sigmoid::kQuadratic, 0); });
    return (mean + 4) / 5;
  }

  Physics& physics_;
  const mjModel* m_;
  mjData* d_;
};

// Elements of the rotation matrix of a body, by dm_control's names.
enum Element { kXX, kXY, kXZ, kYX, kYY, kYZ, kZX, kZY, kZZ };

}  // namespace envpool::mujoco::dmc
