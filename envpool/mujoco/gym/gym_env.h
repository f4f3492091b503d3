// SPDX-License-Identifier: Apache-2.0
//
// What gymnasium's MuJoCo environments have in common: options, the action, a step of several simulation steps, and a
// reset with noise around the model's initial state. Source: gymnasium 1.4.0, envs/mujoco.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "envpool/core/normal.h"
#include "envpool/core/plugin.h"
#include "envpool/mujoco/physics/numpy.h"
#include "envpool/mujoco/physics/simulation.h"

namespace envpool::mujoco {

struct GymParams {
  SharedModel model;
  i32 frame_skip = 1;
  bool post_constraint = true;
  f64 reset_noise_scale = 0;

  f64 dt() const { return model->opt.timestep * frame_skip; }
};

// `Kept` is what an environment keeps from step to step beside the simulation: plain data, part of a snapshot. Whatever
// of mjData it reads before a step, and a step does not begin by computing, must be in it.
template <class Kept>
class GymEnv {
 public:
  explicit GymEnv(const GymParams& params) : params_(params), sim_(params.model) {}

  i64 save_size() const { return sim_.save_size() + i64(sizeof(Kept)); }
  void save(void* out) const {
    sim_.save(out);
    std::memcpy(static_cast<u8*>(out) + sim_.save_size(), &kept_, sizeof(Kept));
  }
  void load(const void* state, i64) {
    sim_.load(state);
    std::memcpy(&kept_, static_cast<const u8*>(state) + sim_.save_size(), sizeof(Kept));
  }

 protected:
  static_assert(std::is_trivially_copyable_v<Kept>);

  static void common_options(OptionSpecs& o, const char* xml_file, i64 frame_skip) {
    o.text("xml_file", xml_file, "Model: a file of gymnasium's, a path of your own, or XML itself.").changes_shapes();
    o.integer("frame_skip", frame_skip, "Simulation steps that an action lasts.").between(1, 10000);
    o.boolean("post_constraint", true, "Contact forces are computed after a step, for those who read them.");
  }
  static void common_params(GymParams& p, const OptionValues& o) {
    p.model = load_model(std::string(o.text("xml_file")));
    p.frame_skip = i32(o.integer("frame_skip"));
    p.post_constraint = o.boolean("post_constraint");
  }
  static void add_action(const GymParams& p, Spec& s) {
    std::vector<f64> low, high;
    for (int i = 0; i < p.model->nu; ++i) {
      low.push_back(p.model->actuator_ctrlrange[2 * i]);
      high.push_back(p.model->actuator_ctrlrange[2 * i + 1]);
    }
    s.action<f64>("action", {p.model->nu}).bounds(low, high);
  }

  void simulate(const f64* action) {
    std::memcpy(sim_.data()->ctrl, action, sizeof(f64) * size_t(sim_.model()->nu));
    sim_.step(params_.frame_skip);
  }
  // Positions are the model's with uniform noise, velocities normal noise.
  void reset_with_noise(Rng& rng) {
    const f64 scale = params_.reset_noise_scale;
    sim_.reset();
    mjData* d = sim_.data();
    for (int i = 0; i < sim_.model()->nq; ++i) d->qpos[i] += rng.uniform(-scale, scale);
    for (int i = 0; i < sim_.model()->nv; ++i) d->qvel[i] += scale * normal(rng);
    sim_.forward();
  }

  const GymParams& params_;
  Simulation sim_;
  Kept kept_{};
};

}  // namespace envpool::mujoco
