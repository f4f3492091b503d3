// SPDX-License-Identifier: Apache-2.0
//
// What gymnasium's MuJoCo environments have in common: options, the action, a step of several simulation steps, stacked
// observations, infos, and resets with noise around the model's initial state.
// Source: gymnasium 1.4.0, envs/mujoco: versions 4 and 5 as they are there; 2 and 3 as they were with mujoco-py.
#pragma once

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "envpool/core/api.h"
#include "envpool/core/math/normal.h"
#include "envpool/mujoco/gym/meanings.h"
#include "envpool/mujoco/physics/numpy.h"
#include "envpool/mujoco/physics/simulation.h"

namespace envpool::mujoco {

struct GymParams {
  SharedModel model;
  i32 frame_skip = 1;
  i32 frame_stack = 1;
  i32 info_version = 5;
  bool post_constraint = true;
  f64 reset_noise_scale = 0;

  f64 dt() const { return model->opt.timestep * frame_skip; }
  // Infos that gymnasium has in this version but not in the other.
  bool v5() const { return info_version >= 5; }
};

inline void common_options(OptionSpecs& o, const char* xml_file, i64 frame_skip) {
  o.text("xml_file", xml_file, "Model: a file of gymnasium's, a path of your own, or XML itself.").changes_shapes();
  o.integer("frame_skip", frame_skip, "Simulation steps that an action lasts.").between(1, 10000);
  o.integer("frame_stack", 1, "Observations that are returned together, the latest last.")
      .between(1, 1000)
      .changes_shapes();
  o.boolean("post_constraint", true, "Contact forces are computed after a step; else they are zeros.");
  o.integer("info_version", 5, "Infos are those of this version of the environment.").between(2, 5).changes_shapes();
}

inline void noise_option(OptionSpecs& o, f64 scale) {
  o.real("reset_noise_scale", scale, "Size of the noise at a reset.").between(0, 1e6);
}

inline void exclude_option(OptionSpecs& o, const char* what) {
  o.boolean("exclude_current_positions_from_observation", true, what).changes_shapes();
}

// Two options, <name>_min and <name>_max; gymnasium's <name>_range is translated to them.
inline void range_options(OptionSpecs& o, const std::string& name, f64 low, f64 high, const std::string& what) {
  o.real(name + "_min", low, what + " from here.");
  o.real(name + "_max", high, what + " to here.");
}

inline void common_params(GymParams& p, const OptionValues& o) {
  p.model = load_model(std::string(o.text("xml_file")));
  p.frame_skip = i32(o.integer("frame_skip"));
  p.frame_stack = i32(o.integer("frame_stack"));
  p.info_version = i32(o.integer("info_version"));
  p.post_constraint = o.boolean("post_constraint");
}

// What a body reads of a model by number has to be there.
struct Needs {
  int positions, velocities;
  int sites = 0;
};
inline void require_model(const mjModel& model, Needs least) {
  const auto check = [](const char* what, int count, int needed) {
    if (count >= needed) return;
    throw std::invalid_argument("xml_file: this task needs a model with at least " + std::to_string(needed) + " " +
                                what + ", got one with " + std::to_string(count));
  };
  check("positions (nq)", model.nq, least.positions);
  check("velocities (nv)", model.nv, least.velocities);
  check("actuators (nu)", model.nu, 1);
  check("sites", model.nsite, least.sites);
}
inline int body_named(const mjModel& model, const std::string& name) {
  const int id = mj_name2id(&model, mjOBJ_BODY, name.c_str());
  if (id >= 0) return id;
  throw std::invalid_argument("xml_file: this task needs a model with a body named '" + name + "', it has none");
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

// Writes pieces of an observation one after the other.
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
// `Body` is one of the environments. It gives
//
//   static constexpr const char* kObservation;                     // what is observed, in words
//   static i64 observed(const Params&);                            // numbers of one observation
//   static void infos(const Params&, const Kept&, const mjModel*, const mjData*, put);  // data is null for names alone
//   void reset_state(Rng&);                                        // sets data()->qpos and qvel
//   void start();                            // fills kept_ once what follows from them is computed
//   Outcome move(const f64* action);         // calls simulate()
//   void write(Writer) const;                // one observation
//
// and `Kept` is what it keeps from step to step beside the simulation: plain data, part of a snapshot. Whatever of
// mjData a step reads before it simulates must be in it, for restoring computes mjData anew.
// clang-format on
template <class Body, class BodyParams, class Kept>
class GymEnv {
 public:
  using Params = BodyParams;
  static constexpr bool kBounded = true;

  GymEnv(const Params& params, i32) : p_(params), sim_(params.model) {
    if (p_.frame_stack > 1) frames_.resize(size_t(p_.frame_stack * Body::observed(p_)));
  }

  static u64 identity(const Params& p) { return identity_of(*p.model); }
  static i64 heap_bytes(const Params& p) {
    const i64 frames = p.frame_stack > 1 ? p.frame_stack * Body::observed(p) : 0;
    return Simulation::heap_bytes(p.model) + frames * i64(sizeof(f64));
  }
  static void spec(const Params& p, Spec& s) {
    std::vector<i64> shape{Body::observed(p)};
    if (p.frame_stack > 1) shape.insert(shape.begin(), p.frame_stack);
    s.obs<f64>("obs", shape).says(Body::kObservation);
    Body::infos(p, Kept{}, p.model.get(), nullptr, Names{s});
    std::vector<f64> low, high;
    for (int i = 0; i < p.model->nu; ++i) {
      const bool limited = p.model->actuator_ctrllimited[i];
      low.push_back(limited ? p.model->actuator_ctrlrange[2 * i] : -kInfinity);
      high.push_back(limited ? p.model->actuator_ctrlrange[2 * i + 1] : kInfinity);
    }
    s.action<f64>("action", {p.model->nu}).bounds(low, high).says(controls_of(*p.model));
  }

  void reset(Rng& rng) {
    sim_.reset();
    body().reset_state(rng);
    sim_.forward();
    kept_ = {};
    body().start();
    for (i32 i = 0; i < p_.frame_stack && p_.frame_stack > 1; ++i) push_frame();
  }
  Outcome step(ActionRow row, Rng&) {
    const Outcome outcome = body().move(row.row_of<f64>(0));
    if (p_.frame_stack > 1) push_frame();
    return outcome;
  }
  void observe(Row row) const {
    if (p_.frame_stack > 1) {
      std::memcpy(row.at<f64>(0), frames_.data(), frames_.size() * sizeof(f64));
    } else {
      body().write(Writer(row.at<f64>(0)));
    }
    Body::infos(p_, kept_, model(), data(), Values{row});
  }

  Simulation& simulation() { return sim_; }

  i64 save_size() const { return sim_.save_size() + i64(sizeof(Kept) + frames_.size() * sizeof(f64)); }
  void save(void* out) const {
    u8* to = static_cast<u8*>(out);
    sim_.save(to);
    std::memcpy(to += sim_.save_size(), &kept_, sizeof(Kept));
    if (!frames_.empty()) std::memcpy(to + sizeof(Kept), frames_.data(), frames_.size() * sizeof(f64));
  }
  void load(const void* state, i64) {
    const u8* from = static_cast<const u8*>(state);
    sim_.load(from);
    std::memcpy(&kept_, from += sim_.save_size(), sizeof(Kept));
    if (!frames_.empty()) std::memcpy(frames_.data(), from + sizeof(Kept), frames_.size() * sizeof(f64));
  }

 protected:
  static_assert(std::is_trivially_copyable_v<Kept>);

  const mjModel* model() const { return sim_.model(); }
  mjData* data() { return sim_.data(); }
  const mjData* data() const { return sim_.data(); }

  // `forces` says whether anyone reads contact forces afterwards.
  void simulate(const f64* action, bool forces = false) {
    std::memcpy(data()->ctrl, action, sizeof(f64) * size_t(model()->nu));
    sim_.step(p_.frame_skip);
    if (forces && p_.post_constraint) sim_.forces();
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
  Kept kept_{};

 private:
  // What infos() calls for each: to declare it, and to write it.
  struct Names {
    Spec& spec;
    void operator()(const char* name, f64) const { spec.info<f64>(name).says(meaning_of(name)); }
    void operator()(const char* name, const mjtNum*, i64 count) const {
      spec.info<f64>(name, {count}).says(meaning_of(name));
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

  Body& body() { return static_cast<Body&>(*this); }
  const Body& body() const { return static_cast<const Body&>(*this); }

  void push_frame() {
    const size_t one = frames_.size() / size_t(p_.frame_stack);
    std::memmove(frames_.data(), frames_.data() + one, (frames_.size() - one) * sizeof(f64));
    body().write(Writer(frames_.data() + frames_.size() - one));
  }

  std::vector<f64> frames_;
};

}  // namespace envpool::mujoco
