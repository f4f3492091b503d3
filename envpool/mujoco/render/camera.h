// SPDX-License-Identifier: Apache-2.0
//
// Places the camera as in the references: one of the model's cameras, or a free one.
#pragma once

#include <mujoco/mujoco.h>

#include <string_view>

#include "envpool/core/table/spec.h"

namespace envpool::mujoco {

struct Camera {
  mjvCamera view;
  bool at_geoms = false;  // look at the median of the geoms at the start of an episode, as in gymnasium
};

// The free camera of MuJoCo's Renderer and of dm_control; the model defines its position.
struct ModelCamera {
  static void options(OptionSpecs&) {}
  static Camera free(const mjModel* model, std::string_view, const OptionValues&);
};

// The free camera of gymnasium 1.4.0, with the settings of each environment. gymnasium computes the median of the geoms
// for the first image. We compute it at the start of each episode, so that an image depends only on its episode.
struct GymnasiumCamera {
  static void options(OptionSpecs& o) {
    o.boolean("gymnasium_v5_render_camera", true, "Use gymnasium's free camera; otherwise the model's camera 'track'.");
  }
  static Camera free(const mjModel* model, std::string_view env, const OptionValues& o);
};

// Selects the model's camera that the options name. Returns false if they name none. Throws std::invalid_argument.
bool fixed_camera(const mjModel* model, const OptionValues& o, mjvCamera& view);
// Applies the settings of default_camera_config, such as "distance=3 lookat=0,0,1". Throws std::invalid_argument.
void adjust(Camera& camera, std::string_view config);
// Computes the median of the geoms' positions, like np.median for each coordinate.
void look_at_geoms(const mjModel* model, const mjData* data, f64 lookat[3]);

}  // namespace envpool::mujoco
