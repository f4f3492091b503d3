// SPDX-License-Identifier: Apache-2.0
//
// The common part of gymnasium's MuJoCo environments: options, the action, a step of several simulation steps, stacked
// observations, infos, and resets with noise around the model's initial state.
// Source: gymnasium 1.4.0, envs/mujoco, for versions 4 and 5; earlier releases with mujoco-py for versions 2 and 3.
#pragma once

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "envpool/core/api.h"
#include "envpool/core/math/normal.h"
#include "envpool/core/math/numpy_sum.h"
#include "envpool/mujoco/physics/model_options.h"
#include "envpool/mujoco/physics/simulation.h"
#include "envpool/robots/meanings.h"

namespace envpool::mujoco {

struct GymParams {
  SharedModel model;
  i32 frame_skip = 1;
  i32 frame_stack = 1;
  i32 info_version = 5;
  bool post_constraint = true;
  f64 reset_noise_scale = 0;

  f64 dt() const { return model->opt.timestep * frame_skip; }
  // Returns whether the environment has the infos of version 5.
  bool v5() const { return info_version >= 5; }
};

inline void common_options(OptionSpecs& o, const char* xml_file, i64 frame_skip) {
  o.text("xml_file", xml_file, "Model: name of one of gymnasium's files, a path, or XML.").changes_shapes();
  o.integer("frame_skip", frame_skip, "Simulation steps for each action.").between(1, 10000);
  o.integer("frame_stack", 1, "Number of stacked observations, the oldest first.").between(1, 1000).changes_shapes();
  o.boolean("post_constraint", true, "Compute contact forces after a step; otherwise they are zeros.");
  o.integer("info_version", 5, "Version of the environment whose infos are returned.").between(2, 5).changes_shapes();
}

inline void noise_option(OptionSpecs& o, f64 scale) {
  o.real("reset_noise_scale", scale, "Scale of the noise at a reset.").between(0, 1e6);
}

inline void exclude_option(OptionSpecs& o, const char* what) {
  o.boolean("exclude_current_positions_from_observation", true, what).changes_shapes();
}

// Declares two options, <name>_min and <name>_max, into which gymnasium's <name>_range is translated.
inline void range_options(OptionSpecs& o, const std::string& name, f64 low, f64 high, const std::string& what) {
  o.real(name + "_min", low, "Lower bound of " + what + ".");
  o.real(name + "_max", high, "Upper bound of " + what + ".");
}

inline void common_params(GymParams& p, const OptionValues& o) {
  p.model = load_model(std::string(o.text("xml_file")));
  p.frame_skip = i32(o.integer("frame_skip"));
  p.frame_stack = i32(o.integer("frame_stack"));
  p.info_version = i32(o.integer("info_version"));
  p.post_constraint = o.boolean("post_constraint");
}

// The elements of a model that an environment reads by index.
struct ModelRequirements {
  int positions, velocities;
  int sites = 0;
};
inline void require_model(const mjModel& model, ModelRequirements least) {
  const auto check = [](const char* what, int count, int needed) {
    if (count >= needed) return;
    throw std::invalid_argument("xml_file: expected a model with at least " + std::to_string(needed) + " " + what +
                                ", got one with " + std::to_string(count));
  };
  check("positions (nq)", model.nq, least.positions);
  check("velocities (nv)", model.nv, least.velocities);
  check("actuators (nu)", model.nu, 1);
  check("sites", model.nsite, least.sites);
}
inline int body_named(const mjModel& model, const std::string& name) {
  const int id = mj_name2id(&model, mjOBJ_BODY, name.c_str());
  if (id >= 0) return id;
  throw std::invalid_argument("xml_file: expected a model with a body named '" + name + "', got one without it");
}

struct Pair {
  f64 low, high;
};
inline Pair range(const OptionValues& o, const std::string& name) {
  return {o.real(name + "_min"), o.real(name + "_max")};
}

inline f64 clip(f64 x, Pair range) { return x < range.low ? range.low : x > range.high ? range.high : x; }
inline f64 norm(f64 x, f64 y) { return std::sqrt(x * x + y * y); }
inline f64 norm(const f64* v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// Writes the parts of an observation one after the other.
class Writer {
 public:
  explicit Writer(f64* out) : out_(out) {}
  void put(f64 value) { *out_++ = value; }
  void put(const mjtNum* values, i64 count) {
    std::memcpy(out_, values, sizeof(f64) * size_t(count));
    out_ += count;
  }
  void put(const mjtNum* values, i64 count, Pair range) {
    for (i64 i = 0; i < count; ++i) put(clip(values[i], range));
  }

 private:
  f64* out_;
};

// clang-format off
// `Derived` is one of the environments. It defines
//
//   static constexpr const char* kObservation;                     // description of the observation
//   static i64 obs_size(const Params&);                            // number of elements of an observation
//   static void infos(const Params&, const ExtraState&, const mjModel*, const mjData*, put);  // mjData may be null
//   void reset_state(Rng&);                                        // sets data()->qpos and qvel
//   void update_extra();                                           // updates extra_ from data() after a reset
//   Outcome advance(const f64* action);                            // calls simulate()
//   void write(Writer) const;                                      // writes one observation
//
// `ExtraState` is the state that the simulation does not contain. It is trivially copyable and part of a snapshot. If a
// step reads derived values of mjData before it simulates, ExtraState must hold them, because restoring a snapshot
// recomputes mjData.
// clang-format on
template <class Derived, class DerivedParams, class ExtraState>
class GymEnv {
 public:
  using Params = DerivedParams;
  static constexpr bool kBounded = true;

  GymEnv(const Params& params, i32) : p_(params), sim_(params.model) {
    if (p_.frame_stack > 1) frames_.resize(size_t(p_.frame_stack * Derived::obs_size(p_)));
  }

  static u64 identity(const Params& p) { return identity_of(*p.model); }
  static void changing_options(const Params& p, OptionSpecs& o) { declare_fields(*p.model, o); }
  static SharedModel setup(const Params& p, const f64* values) { return changed_model(*p.model, values); }
  void use(const SharedModel& model) { sim_.use(model); }
  static i64 heap_bytes(const Params& p) {
    const i64 frames = p.frame_stack > 1 ? p.frame_stack * Derived::obs_size(p) : 0;
    return Simulation::heap_bytes(p.model) + frames * i64(sizeof(f64));
  }
  static void spec(const Params& p, Spec& s) {
    s.render_fps = std::round(1 / p.dt());
    std::vector<i64> shape{Derived::obs_size(p)};
    if (p.frame_stack > 1) shape.insert(shape.begin(), p.frame_stack);
    s.obs<f64>("obs", shape).doc(Derived::kObservation);
    Derived::infos(p, ExtraState{}, p.model.get(), nullptr, Names{s});
    std::vector<f64> low, high;
    for (int i = 0; i < p.model->nu; ++i) {
      const bool limited = p.model->actuator_ctrllimited[i];
      low.push_back(limited ? p.model->actuator_ctrlrange[2 * i] : -kInfinity);
      high.push_back(limited ? p.model->actuator_ctrlrange[2 * i + 1] : kInfinity);
    }
    s.action<f64>("action", {p.model->nu}).bounds(low, high).doc(controls_of(*p.model));
  }

  void reset(Rng& rng) {
    sim_.reset();
    self().reset_state(rng);
    sim_.forward();
    extra_ = {};
    self().update_extra();
    for (i32 i = 0; i < p_.frame_stack && p_.frame_stack > 1; ++i) push_frame();
  }
  Outcome step(ActionRow row, Rng&) {
    const Outcome outcome = self().advance(row.row_of<f64>(0));
    if (p_.frame_stack > 1) push_frame();
    return outcome;
  }
  void observe(Row row) const {
    if (p_.frame_stack > 1) {
      std::memcpy(row.at<f64>(0), frames_.data(), frames_.size() * sizeof(f64));
    } else {
      self().write(Writer(row.at<f64>(0)));
    }
    Derived::infos(p_, extra_, model(), data(), Values{row});
  }

  Simulation& simulation() { return sim_; }

  i64 save_size() const { return sim_.save_size() + i64(sizeof(ExtraState) + frames_.size() * sizeof(f64)); }
  void save(void* out) const {
    u8* to = static_cast<u8*>(out);
    sim_.save(to);
    std::memcpy(to += sim_.save_size(), &extra_, sizeof(ExtraState));
    if (!frames_.empty()) std::memcpy(to + sizeof(ExtraState), frames_.data(), frames_.size() * sizeof(f64));
  }
  void load(const void* state, i64) {
    const u8* from = static_cast<const u8*>(state);
    sim_.load(from);
    std::memcpy(&extra_, from += sim_.save_size(), sizeof(ExtraState));
    if (!frames_.empty()) std::memcpy(frames_.data(), from + sizeof(ExtraState), frames_.size() * sizeof(f64));
  }

 protected:
  static_assert(std::is_trivially_copyable_v<ExtraState>);

  const mjModel* model() const { return sim_.model(); }
  mjData* data() { return sim_.data(); }
  const mjData* data() const { return sim_.data(); }

  // `forces` says whether contact forces are read afterwards.
  void simulate(const f64* action, bool forces = false) {
    std::memcpy(data()->ctrl, action, sizeof(f64) * size_t(model()->nu));
    sim_.step(p_.frame_skip);
    if (forces && p_.post_constraint) sim_.compute_forces();
  }

  void noisy_positions(Rng& rng, f64 scale) {
    for (int i = 0; i < model()->nq; ++i) data()->qpos[i] += rng.uniform(-scale, scale);
  }
  void uniform_velocities(Rng& rng, f64 scale) {
    for (int i = 0; i < model()->nv; ++i) data()->qvel[i] += rng.uniform(-scale, scale);
  }
  void normal_velocities(Rng& rng, f64 scale) {
    for (int i = 0; i < model()->nv; ++i) data()->qvel[i] += scale * normal(rng);
  }

  const Params& p_;
  Simulation sim_;
  ExtraState extra_{};

 private:
  // infos() calls one of these for each info: Names declares the info, and Values writes it.
  struct Names {
    Spec& spec;
    void operator()(const char* name, f64) const { spec.info<f64>(name).doc(robots::meaning_of(name)); }
    void operator()(const char* name, const mjtNum*, i64 count) const {
      spec.info<f64>(name, {count}).doc(robots::meaning_of(name));
    }
  };
  struct Values {
    Row row;
    int field = 1;
    void operator()(const char*, f64 value) { *row.at<f64>(field++) = value; }
    void operator()(const char*, const mjtNum* values, i64 count) {
      std::memcpy(row.at<f64>(field++), values, sizeof(f64) * size_t(count));
    }
  };

  Derived& self() { return static_cast<Derived&>(*this); }
  const Derived& self() const { return static_cast<const Derived&>(*this); }

  void push_frame() {
    const size_t one = frames_.size() / size_t(p_.frame_stack);
    std::memmove(frames_.data(), frames_.data() + one, (frames_.size() - one) * sizeof(f64));
    self().write(Writer(frames_.data() + frames_.size() - one));
  }

  std::vector<f64> frames_;
};

}  // namespace envpool::mujoco
