// SPDX-License-Identifier: Apache-2.0
//
// Where pictures are taken from: a camera of the model's, or a free one, placed as the references place it.
#pragma once

#include <mujoco/mujoco.h>

#include <string_view>

#include "envpool/core/table/spec.h"

namespace envpool::mujoco {

struct Camera {
  mjvCamera view;
  bool at_geoms = false;  // it looks at the geoms' median as an episode begins, as gymnasium's renderer does
};

// A free camera as MuJoCo's Renderer and dm_control have it: the model says where.
struct ModelCamera {
  static void options(OptionSpecs&) {}
  static Camera free(const mjModel* model, std::string_view, const OptionValues&);
};

// As gymnasium 1.4.0 has it, with the settings of each environment. gymnasium takes the geoms' median at the first
// picture that is drawn; here it is that of each episode's beginning, so that pictures depend on the episode alone.
struct GymnasiumCamera {
  static void options(OptionSpecs& o) {
    o.boolean("gymnasium_v5_render_camera", true,
              "The free camera is gymnasium's; else the model's camera 'track' is.");
  }
  static Camera free(const mjModel* model, std::string_view env, const OptionValues& o);
};

// The model's camera that options name. False where they name none. Throws std::invalid_argument.
bool fixed_camera(const mjModel* model, const OptionValues& o, mjvCamera& view);
// Changes what the option default_camera_config names: "distance=3 lookat=0,0,1". Throws std::invalid_argument.
void adjust(Camera& camera, std::string_view config);
// The median of the geoms' positions, as np.median of each coordinate.
void look_at_geoms(const mjModel* model, const mjData* data, f64 lookat[3]);

}  // namespace envpool::mujoco
