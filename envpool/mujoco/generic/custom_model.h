// SPDX-License-Identifier: Apache-2.0
//
// A custom model: any robot that MuJoCo can load, without a task.
//
// Observation: the arrays that `observation` names, as a dict or, with `flat`, as one vector; by default positions,
// velocities and sensors. Their values are those after mj_step: sensors and other derived quantities belong to the
// state before the last integration.
// Action: the arrays that `action` names, by default controls, for all `frame_skip` steps of the simulation. The pool
// refuses NaN and infinity. MuJoCo clips controls that have a range, and uses 0 for all controls if one is beyond 1e10.
// Reward: 0.
// Terminated: when the physics is unstable (a position, velocity or acceleration is NaN, infinite or beyond 1e10);
// MuJoCo itself then resets the simulation.
// Reset: to the model's initial state, or to a keyframe. Uniform noise from -qpos_noise to qpos_noise is added to the
// positions in each degree of freedom, so that quaternions stay normalised; normal noise with standard deviation
// qvel_noise is added to the velocities.
// Source: MuJoCo 3.17.0 or 4.0.0, whichever is installed; the reference is mj_step with the same model.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "envpool/core/api.h"
#include "envpool/core/math/normal.h"
#include "envpool/mujoco/generic/parts.h"
#include "envpool/mujoco/physics/model_options.h"

namespace envpool::mujoco {

class CustomModel {
 public:
  static constexpr const char* kName = "Mujoco";
  struct Params {
    SharedModel model;
    i32 frame_skip, keyframe;
    f64 qpos_noise, qvel_noise;
    bool flat;
    Parts observed, actions;
  };

  static void options(OptionSpecs& o) {
    o.text("xml_file", "", "Model: path of an MJCF or URDF file, or XML.").changes_shapes();
    o.integer("frame_skip", 1, "Simulation steps for each action.").between(1, 10000);
    o.text("observation", "qpos,qvel,sensordata", "Arrays of mjData in the observation.").changes_shapes();
    o.text("action", "ctrl", "Arrays of mjData that an action sets.").changes_shapes();
    o.boolean("flat", false, "Observe one vector instead of a dict.").changes_shapes();
    o.text("keyframe", "", "Name or number of the keyframe in which episodes begin; empty for the initial state.");
    o.real("qpos_noise", 0, "Bound of the uniform noise on positions at a reset.").between(0, 1e6);
    o.real("qvel_noise", 0, "Standard deviation of the noise on velocities at a reset.").between(0, 1e6);
  }
  static Params params(const OptionValues& o) {
    if (o.text("xml_file").empty()) {
      throw std::invalid_argument("xml_file: expected the path of a model, or XML, got nothing");
    }
    Params p{};
    p.model = load_model(std::string(o.text("xml_file")));
    p.frame_skip = i32(o.integer("frame_skip"));
    p.keyframe = keyframe_of(p.model.get(), std::string(o.text("keyframe")));
    p.qpos_noise = o.real("qpos_noise");
    p.qvel_noise = o.real("qvel_noise");
    p.flat = o.boolean("flat");
    p.observed = parts_of("observation", o.text("observation"), p.model.get(), /*action=*/false);
    p.actions = parts_of("action", o.text("action"), p.model.get(), /*action=*/true);
    if (p.observed.empty()) throw std::invalid_argument("observation: the model has none of those arrays");
    if (p.actions.empty()) {
      throw std::invalid_argument(
          "action: the model has none of those arrays; a model without actuators can take forces, "
          "as in action='qfrc_applied'");
    }
    return p;
  }
  static u64 identity(const Params& p) { return identity_of(*p.model); }
  static void changing_options(const Params& p, OptionSpecs& o) { declare_fields(*p.model, o); }
  static SharedModel setup(const Params& p, const f64* values) { return changed_model(*p.model, values); }
  void use(const SharedModel& model) { sim_.use(model); }
  static i64 heap_bytes(const Params& p) { return Simulation::heap_bytes(p.model); }
  static void spec(const Params& p, Spec& s) {
    const mjModel* m = p.model.get();
    s.render_fps = std::round(1 / (m->opt.timestep * p.frame_skip));
    i64 total = 0;
    for (const Part* part : p.observed) {
      total += part->count(m);
      if (!p.flat) s.obs<f64>(std::string("obs:") + part->name, {part->count(m)}).doc(part->doc);
    }
    if (p.flat) s.obs<f64>("obs", {total});
    for (const Part* part : p.actions) {
      const std::string name = p.actions.size() > 1 ? part->name : "action";
      const auto [low, high] = bounds_of(m, *part);
      s.action<f64>(name, {part->count(m)}).bounds(low, high).doc(part->doc);
    }
  }

  explicit CustomModel(const Params& params, i32) : params_(params), sim_(params.model) {}

  void reset(Rng& rng) {
    const Params& p = params_;
    const mjModel* m = sim_.model();
    mjData* d = sim_.data();
    sim_.reset();
    if (p.keyframe >= 0) guarded([&] { mj_resetDataKeyframe(m, d, p.keyframe); });
    if (p.qpos_noise > 0) {
      noise_.resize(size_t(m->nv));
      for (f64& x : noise_) x = rng.uniform(-p.qpos_noise, p.qpos_noise);
      mj_integratePos(m, d->qpos, noise_.data(), 1);
    }
    if (p.qvel_noise > 0) {
      for (int i = 0; i < m->nv; ++i) d->qvel[i] += p.qvel_noise * normal(rng);
    }
    sim_.forward();
  }

  Outcome step(ActionRow row, Rng&) {
    mjData* d = sim_.data();
    for (size_t i = 0; i < params_.actions.size(); ++i) {
      const Part& part = *params_.actions[i];
      std::memcpy(part.at(d), row.row_of<f64>(int(i)), sizeof(f64) * size_t(part.count(sim_.model())));
    }
    for (const int warning : kUnstable) d->warning[warning].number = 0;
    sim_.step(params_.frame_skip);
    const bool unstable =
        std::any_of(std::begin(kUnstable), std::end(kUnstable), [d](int w) { return d->warning[w].number > 0; });
    return {.terminated = unstable};
  }

  void observe(Row row) {
    f64* out = row.at<f64>(0);
    for (size_t i = 0; i < params_.observed.size(); ++i) {
      const Part& part = *params_.observed[i];
      const i64 count = part.count(sim_.model());
      if (!params_.flat) out = row.at<f64>(int(i));
      std::memcpy(out, part.at(sim_.data()), sizeof(f64) * size_t(count));
      out += count;
    }
  }

  i64 save_size() const { return sim_.save_size(); }
  void save(void* out) const { sim_.save(out); }
  void load(const void* state, i64) { sim_.load(state); }
  Simulation& simulation() { return sim_; }

 private:
  static constexpr int kUnstable[] = {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC};

  static i32 keyframe_of(const mjModel* m, const std::string& text) {
    if (text.empty()) return -1;
    const int by_name = mj_name2id(m, mjOBJ_KEY, text.c_str());
    if (by_name >= 0) return by_name;
    i32 number = -1;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && rest == end && number >= 0 && number < m->nkey) return number;
    std::string known;
    for (int i = 0; i < std::min<int>(m->nkey, 20); ++i) {
      const char* name = mj_id2name(m, mjOBJ_KEY, i);
      known += (i == 0 ? ": " : ", ") + std::to_string(i) + (name == nullptr ? "" : " '" + std::string(name) + "'");
    }
    throw std::invalid_argument("keyframe: expected one of the model's " + std::to_string(m->nkey) + known + ", got '" +
                                text + "'");
  }
  static std::pair<std::vector<f64>, std::vector<f64>> bounds_of(const mjModel* m, const Part& part) {
    const size_t count = size_t(part.count(m));
    std::vector<f64> low(count, -kInfinity), high(count, kInfinity);
    if (std::string_view(part.name) == "ctrl") {
      for (size_t i = 0; i < count; ++i) {
        if (!m->actuator_ctrllimited[i]) continue;
        low[i] = m->actuator_ctrlrange[2 * i];
        high[i] = m->actuator_ctrlrange[2 * i + 1];
      }
    }
    return {low, high};
  }

  const Params& params_;
  Simulation sim_;
  std::vector<f64> noise_;  // one number per degree of freedom; a member so that its memory is reused
};

}  // namespace envpool::mujoco
