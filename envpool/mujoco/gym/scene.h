// SPDX-License-Identifier: Apache-2.0
//
// Shows a robot whose simulation runs elsewhere: an action is the positions, f64[nq], and render() shows the model in
// them. The observation is the same positions. There is no time, no reward and no end.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "envpool/core/api.h"
#include "envpool/mujoco/physics/simulation.h"
#include "envpool/mujoco/render/camera.h"

namespace envpool::mujoco {

// gymnasium's camera for one of its environments.
struct SceneCamera {
  static void options(OptionSpecs& o) {
    GymnasiumCamera::options(o);
    o.text("robot", "", "gymnasium's environment, such as Ant, whose camera is used.");
  }
  static Camera free(const mjModel* model, std::string_view, const OptionValues& o) {
    return GymnasiumCamera::free(model, o.text("robot"), o);
  }
};

class Scene {
 public:
  static constexpr const char* kName = "Scene";
  static constexpr bool kBounded = true;
  struct Params {
    SharedModel model;
  };

  static void options(OptionSpecs& o) {
    o.text("xml_file", "", "Model: the path of one of gymnasium's files.").changes_shapes();
  }
  static Params params(const OptionValues& o) { return {load_model(std::string(o.text("xml_file")))}; }
  static u64 identity(const Params& p) { return identity_of(*p.model); }
  static i64 heap_bytes(const Params& p) { return Simulation::heap_bytes(p.model); }
  static void spec(const Params& p, Spec& s) {
    s.obs<f64>("obs", {p.model->nq});
    s.action<f64>("action", {p.model->nq});
  }

  explicit Scene(const Params& params, i32) : sim_(params.model) {}

  void reset(Rng&) {
    sim_.reset();
    sim_.forward();
  }
  Outcome step(ActionRow row, Rng&) {
    std::memcpy(sim_.data()->qpos, row.row_of<f64>(0), sizeof(f64) * size_t(sim_.model()->nq));
    sim_.forward();
    return {};
  }
  void observe(Row row) const {
    std::memcpy(row.at<f64>(0), sim_.data()->qpos, sizeof(f64) * size_t(sim_.model()->nq));
  }
  Simulation& simulation() { return sim_; }

  i64 save_size() const { return sim_.save_size(); }
  void save(void* out) const { sim_.save(out); }
  void load(const void* state, i64) { sim_.load(state); }

 private:
  Simulation sim_;
};

}  // namespace envpool::mujoco
