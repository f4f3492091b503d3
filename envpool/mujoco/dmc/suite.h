// SPDX-License-Identifier: Apache-2.0
//
// The DeepMind Control Suite: physics tasks with rewards from 0 to 1 a step and episodes of 1000 steps.
//
// Observation: a dict of float64 arrays, with dm_control's names and shapes. Action: controls of the model's actuators,
// within the ranges it gives them. It never terminates, but for LQR, where the state has come to rest. A physics state
// that MuJoCo warns of is an error, as in dm_control.
// Reset: each task's own; see the tasks.
// Source: dm_control 1.0.50, suite; Tassa et al. (2018), arXiv:1801.00690.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "envpool/core/api.h"
#include "envpool/mujoco/dmc/task.h"

namespace envpool::mujoco::dmc {

// By dm_control's names. Raises std::invalid_argument.
std::unique_ptr<Task> make_task(const std::string& domain, const std::string& task, Stage& stage);

class Suite {
 public:
  static constexpr const char* kName = "ControlSuite";
  static constexpr bool kBounded = true;
  struct Params {
    SharedModel model;
    std::string domain, task;
    i32 frame_skip = 1, frame_stack = 1;
    std::vector<Observer::Array> arrays;
    i64 size = 0;  // of an observation, in numbers
  };

  static void options(OptionSpecs& o) {
    o.text("domain_name", "", "dm_control's name of the domain, such as cheetah.").changes_shapes();
    o.text("task_name", "", "dm_control's name of the task, such as run.").changes_shapes();
    o.text("xml_file", "", "Model: empty for the suite's own, a path of your own, or XML itself.").changes_shapes();
    o.integer("frame_skip", 1, "Simulation steps that an action lasts.").between(1, 10000);
    o.integer("frame_stack", 1, "Observations returned together, the oldest first.").between(1, 1000).changes_shapes();
  }
  static Params params(const OptionValues& o) {
    Params p;
    p.model = load_model(std::string(o.text("xml_file")));
    p.domain = o.text("domain_name");
    p.task = o.text("task_name");
    p.frame_skip = i32(o.integer("frame_skip"));
    p.frame_stack = i32(o.integer("frame_stack"));
    Stage stage(p.model);
    Observer observer(p.arrays);
    make_task(p.domain, p.task, stage)->observe(observer);
    for (const auto& array : p.arrays) p.size += elements(array);
    return p;
  }
  static u64 identity(const Params& p) {
    u64 mark = identity_of(*p.model);
    for (const char c : p.domain + '-' + p.task) mark = (mark ^ u8(c)) * 0x100000001B3u;
    return mark;
  }
  static i64 heap_bytes(const Params& p) {
    return Simulation::heap_bytes(p.model) + p.size * p.frame_stack * i64(sizeof(f64));
  }
  static void spec(const Params& p, Spec& s) {
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
    s.action<f64>("action", {p.model->nu}).bounds(low, high).says(controls_of(*p.model));
  }

  explicit Suite(const Params& params, i32)
      : p_(params),
        stage_(params.model),
        task_(make_task(params.domain, params.task, stage_)),
        frames_(size_t(params.size * params.frame_stack)) {}

  void reset(Rng& rng) {
    stage_.reset();
    task_->randomize(rng);
    stage_.settle();
    see();
    for (i32 k = p_.frame_stack - 1; k > 0; --k) std::copy_n(newest(), p_.size, frames_.data() + (k - 1) * p_.size);
  }

  Outcome step(ActionRow row, Rng&) {
    std::memcpy(stage_.data()->ctrl, row.row_of<f64>(0), sizeof(f64) * size_t(p_.model->nu));
    stage_.step(p_.frame_skip);
    std::copy(frames_.begin() + p_.size, frames_.end(), frames_.begin());
    see();
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

  Simulation& simulation() { return stage_.simulation(); }

  i64 save_size() const { return stage_.save_size() + i64(frames_.size() * sizeof(f64)); }
  void save(void* out) const {
    stage_.save(static_cast<u8*>(out));
    std::memcpy(static_cast<u8*>(out) + stage_.save_size(), frames_.data(), frames_.size() * sizeof(f64));
  }
  void load(const void* saved, i64) {
    stage_.load(static_cast<const u8*>(saved));
    std::memcpy(frames_.data(), static_cast<const u8*>(saved) + stage_.save_size(), frames_.size() * sizeof(f64));
  }

 private:
  static i64 elements(const Observer::Array& array) {
    i64 count = 1;
    for (const i64 extent : array.shape) count *= extent;
    return count;
  }
  f64* newest() { return frames_.data() + (p_.frame_stack - 1) * p_.size; }
  void see() {
    Observer observer(newest());
    task_->observe(observer);
  }

  const Params& p_;
  Stage stage_;
  std::unique_ptr<Task> task_;
  std::vector<f64> frames_;
};

}  // namespace envpool::mujoco::dmc
