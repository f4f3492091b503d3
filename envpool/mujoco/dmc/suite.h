// SPDX-License-Identifier: Apache-2.0
//
// The DeepMind Control Suite: physics tasks with rewards from 0 to 1 per step and episodes of 1000 steps.
//
// Observation: a dict of float64 arrays, with dm_control's names and shapes.
// Action: controls of the model's actuators, within their ranges. Only LQR terminates, when the state has come to rest.
// A state for which MuJoCo issues a warning is an error, as in dm_control.
// Reset: see the tasks.
// Source: dm_control 1.0.50, suite; Tassa et al. (2018), arXiv:1801.00690.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "envpool/core/api.h"
#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

// Takes dm_control's names. Throws std::invalid_argument if they are unknown or the model does not fit.
std::unique_ptr<Task> make_task(const std::string& domain, const std::string& task, Physics& physics);

class Suite {
 public:
  static constexpr const char* kName = "ControlSuite";
  static constexpr bool kBounded = true;
  struct Params {
    SharedModel model;
    std::string domain, task;
    i32 frame_skip = 1, frame_stack = 1;
    std::vector<Observer::Array> arrays;
    i64 size = 0;  // number of elements of an observation
  };

  static void options(OptionSpecs& o) {
    o.text("domain_name", "", "Name of the domain in dm_control, such as cheetah.").changes_shapes();
    o.text("task_name", "", "Name of the task in dm_control, such as run.").changes_shapes();
    o.text("xml_file", "", "Model: a path or XML; empty for the suite's model.").changes_shapes();
    o.integer("frame_skip", 1, "Simulation steps for each action.").between(1, 10000);
    o.integer("frame_stack", 1, "Number of stacked observations, the oldest first.").between(1, 1000).changes_shapes();
  }
  static Params params(const OptionValues& o) {
    Params p;
    p.model = load_model(std::string(o.text("xml_file")));
    p.domain = o.text("domain_name");
    p.task = o.text("task_name");
    p.frame_skip = i32(o.integer("frame_skip"));
    p.frame_stack = i32(o.integer("frame_stack"));
    Physics physics(p.model);
    Observer observer(p.arrays);
    make_task(p.domain, p.task, physics)->observe(observer);
    for (const auto& array : p.arrays) p.size += elements(array);
    return p;
  }
  static u64 identity(const Params& p) {
    u64 hash = identity_of(*p.model);
    for (const char c : p.domain + '-' + p.task) hash = (hash ^ u8(c)) * 0x100000001B3u;
    return hash;
  }
  // The fields that resets draw belong to the state, and are no options.
  static void changing_options(const Params& p, OptionSpecs& o) {
    Physics physics(p.model);
    const std::unique_ptr<Task> task = make_task(p.domain, p.task, physics);
    declare_fields(*physics.model(), o, physics.drawn_fields());
  }
  static SharedModel setup(const Params& p, const f64* values) {
    Physics physics(p.model);
    const std::unique_ptr<Task> task = make_task(p.domain, p.task, physics);
    return changed_model(*physics.model(), values, physics.drawn_fields());
  }
  void use(const SharedModel& model) { physics_.use(model); }
  static i64 heap_bytes(const Params& p) {
    return Simulation::heap_bytes(p.model) + p.size * p.frame_stack * i64(sizeof(f64));
  }
  static void spec(const Params& p, Spec& s) {
    s.render_fps = std::round(1 / (p.model->opt.timestep * p.frame_skip));
    for (const auto& array : p.arrays) {
      std::vector<i64> shape = array.shape;
      if (p.frame_stack > 1) shape.insert(shape.begin(), p.frame_stack);
      s.obs<f64>(array.name, shape);
    }
    std::vector<f64> low, high;
    for (int i = 0; i < p.model->nu; ++i) {
      const bool limited = p.model->actuator_ctrllimited[i];
      low.push_back(limited ? p.model->actuator_ctrlrange[2 * i] : -mjMAXVAL);
      high.push_back(limited ? p.model->actuator_ctrlrange[2 * i + 1] : mjMAXVAL);
    }
    s.action<f64>("action", {p.model->nu}).bounds(low, high).doc(controls_of(*p.model));
  }

  explicit Suite(const Params& params, i32)
      : p_(params),
        physics_(params.model),
        task_(make_task(params.domain, params.task, physics_)),
        frames_(size_t(params.size * params.frame_stack)) {}

  // Later episodes begin with the arrays of the episode before, as in dm_control.
  void reset(Rng& rng) {
    if (rng.episode == 0) physics_.restore_arrays();
    physics_.reset();
    task_->randomize(rng);
    physics_.forward();
    observe_state();
    for (i32 k = p_.frame_stack - 1; k > 0; --k) std::copy_n(newest(), p_.size, frames_.data() + (k - 1) * p_.size);
  }

  Outcome step(ActionRow row, Rng&) {
    std::memcpy(physics_.data()->ctrl, row.row_of<f64>(0), sizeof(f64) * size_t(p_.model->nu));
    physics_.step(p_.frame_skip);
    std::copy(frames_.begin() + p_.size, frames_.end(), frames_.begin());
    observe_state();
    return {.reward = f32(task_->reward()), .terminated = task_->terminated()};
  }

  void observe(Row row) const {
    const f64* frame = frames_.data();
    for (i32 k = 0; k < p_.frame_stack; ++k) {
      for (size_t field = 0; field < p_.arrays.size(); ++field) {
        const i64 count = elements(p_.arrays[field]);
        std::copy_n(frame, count, row.at<f64>(int(field)) + k * count);
        frame += count;
      }
    }
  }

  Simulation& simulation() { return physics_.simulation(); }

  i64 save_size() const { return physics_.save_size() + i64(frames_.size() * sizeof(f64)); }
  void save(void* out) const {
    physics_.save(static_cast<u8*>(out));
    std::memcpy(static_cast<u8*>(out) + physics_.save_size(), frames_.data(), frames_.size() * sizeof(f64));
  }
  void load(const void* saved, i64) {
    physics_.load(static_cast<const u8*>(saved));
    std::memcpy(frames_.data(), static_cast<const u8*>(saved) + physics_.save_size(), frames_.size() * sizeof(f64));
  }

 private:
  static i64 elements(const Observer::Array& array) {
    i64 count = 1;
    for (const i64 extent : array.shape) count *= extent;
    return count;
  }
  f64* newest() { return frames_.data() + (p_.frame_stack - 1) * p_.size; }
  void observe_state() {
    Observer observer(newest());
    task_->observe(observer);
  }

  const Params& p_;
  Physics physics_;
  std::unique_ptr<Task> task_;
  std::vector<f64> frames_;
};

}  // namespace envpool::mujoco::dmc
