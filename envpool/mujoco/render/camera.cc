// SPDX-License-Identifier: Apache-2.0

#include "envpool/mujoco/render/camera.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/text.h"

namespace envpool::mujoco {
namespace {

// The entries of DEFAULT_CAMERA_CONFIG that are equal in versions 4 and 5 of gymnasium's environments. NaN keeps the
// default.
struct Setting {
  const char* env;
  f64 distance, lookat_z, elevation;
};
constexpr f64 kNone = NAN;
constexpr Setting kSettings[] = {
    {"Ant", 4.0, kNone, kNone},    {"HalfCheetah", 4.0, kNone, kNone},
    {"Hopper", 3.0, 1.15, -20.0},  {"HumanoidStandup", 4.0, 0.8925, -20.0},
    {"Humanoid", 4.0, 2.0, -20.0}, {"InvertedPendulum", 2.04, kNone, kNone},
    {"Pusher", 4.0, kNone, kNone}, {"Walker2d", 4.0, 1.15, -20.0},
};

void use_fixed(mjvCamera& view, int id) {
  view.type = mjCAMERA_FIXED;
  view.fixedcamid = id;
}

std::invalid_argument invalid_entry(std::string_view entry) {
  return std::invalid_argument(
      "default_camera_config: expected settings such as 'distance=3 azimuth=90 elevation=-20 lookat=0,0,1', got '" +
      std::string(entry) + "'");
}

}  // namespace

Camera ModelCamera::free(const mjModel* model, std::string_view, const OptionValues&) {
  Camera camera;
  mjv_defaultCamera(&camera.view);
  mjv_defaultFreeCamera(model, &camera.view);
  return camera;
}

Camera GymnasiumCamera::free(const mjModel* model, std::string_view env, const OptionValues& o) {
  Camera camera{.view = {}, .at_geoms = true};
  mjv_defaultCamera(&camera.view);
  const int track = mj_name2id(model, mjOBJ_CAMERA, "track");
  if (!o.boolean("gymnasium_v5_render_camera") && track >= 0) {
    use_fixed(camera.view, track);
    camera.at_geoms = false;
    return camera;
  }
  camera.view.distance = model->stat.extent;
  if (!o.text("default_camera_config").empty()) return camera;  // this option replaces the environment's settings
  for (const Setting& setting : kSettings) {
    if (!env.starts_with(setting.env)) continue;
    camera.view.distance = setting.distance;
    if (!std::isnan(setting.elevation)) camera.view.elevation = setting.elevation;
    if (!std::isnan(setting.lookat_z)) {
      camera.view.lookat[2] = setting.lookat_z;
      camera.at_geoms = false;
    }
    break;
  }
  return camera;
}

bool fixed_camera(const mjModel* model, const OptionValues& o, mjvCamera& view) {
  const i64 id = o.integer("render_camera_id");
  const std::string name(o.text("camera_name"));
  std::string known;
  for (int i = 0; i < model->ncam; ++i) {
    const char* camera = mj_id2name(model, mjOBJ_CAMERA, i);
    known += (i == 0 ? ": " : ", ") + std::to_string(i) + (camera == nullptr ? "" : " '" + std::string(camera) + "'");
  }
  known = std::to_string(model->ncam) + known;
  if (!name.empty()) {
    if (id >= 0)
      throw std::invalid_argument("camera_name: expected no name if render_camera_id is given, got '" + name + "'");
    const int camera = mj_name2id(model, mjOBJ_CAMERA, name.c_str());
    if (camera < 0)
      throw std::invalid_argument("camera_name: expected one of the model's " + known + ", got '" + name + "'");
    use_fixed(view, camera);
    return true;
  }
  if (id >= model->ncam) {
    throw std::invalid_argument("render_camera_id: expected -1 or one of the model's " + known + ", got " +
                                std::to_string(id));
  }
  if (id >= 0) use_fixed(view, int(id));
  return id >= 0;
}

void adjust(Camera& camera, std::string_view config) {
  while (!config.empty()) {
    const size_t end = std::min(config.find(' '), config.size());
    const std::string_view entry = config.substr(0, end);
    config.remove_prefix(std::min(end + 1, config.size()));
    if (entry.empty()) continue;
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) throw invalid_entry(entry);
    const std::string_view name = entry.substr(0, equals);
    if (entry.ends_with(',')) throw invalid_entry(entry);
    std::vector<f64> values;
    for (const std::string& number : split(entry.substr(equals + 1), ',')) {
      const std::optional<f64> value = parse_real(number);
      if (!value || !std::isfinite(*value)) throw invalid_entry(entry);
      values.push_back(*value);
    }
    if (values.size() != (name == "lookat" ? 3 : 1)) throw invalid_entry(entry);
    if (name == "lookat") {
      std::copy(values.begin(), values.end(), camera.view.lookat);
      camera.at_geoms = false;
    } else if (name == "distance") {
      camera.view.distance = values[0];
    } else if (name == "azimuth") {
      camera.view.azimuth = values[0];
    } else if (name == "elevation") {
      camera.view.elevation = values[0];
    } else if (name == "orthographic") {
      camera.view.orthographic = values[0] != 0;
    } else if (name != "trackbodyid" && name != "fixedcamid" && name != "type") {
      throw invalid_entry(entry);  // gymnasium's renderer overwrites these three
    }
  }
}

void look_at_geoms(const mjModel* model, const mjData* data, f64 lookat[3]) {
  static thread_local std::vector<f64> sorted;
  const size_t count = size_t(model->ngeom);
  for (int axis = 0; axis < 3; ++axis) {
    sorted.resize(count);
    for (size_t i = 0; i < count; ++i) sorted[i] = data->geom_xpos[3 * i + size_t(axis)];
    std::sort(sorted.begin(), sorted.end());
    lookat[axis] = count == 0       ? 0
                   : count % 2 == 1 ? sorted[count / 2]
                                    : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
  }
}

}  // namespace envpool::mujoco
