// SPDX-License-Identifier: Apache-2.0
//
// Draws a robot and a grid on the ground, in parallel projection. Host only.
#pragma once

#include <algorithm>
#include <vector>

#include "envpool/core/canvas.h"
#include "envpool/robots/kinematics.h"

namespace envpool::robots {

inline constexpr i32 kImageSide = 480;

// From where an image shows the world: along y from a height (0 is level, 1 is straight down), in pixels per metre. It
// is centred on the robot, or on a point at the given height.
struct View {
  f64 height, scale;
  bool follows;
  f64 middle;
};

template <class M>
void draw(const f64* qpos, const View& view, u8* rgb) {
  using namespace drawing;
  Data<M, f64> d;
  kinematics(d, qpos);
  const f64 level = sqrt(1 - view.height * view.height);
  const f64 x = view.follows ? d.xpos[1][0] : 0, y = view.follows ? d.xpos[1][1] : 0;
  const auto project = [&](const f64* at) {
    return Point{kImageSide / 2 + view.scale * (at[0] - x),
                 kImageSide / 2 + view.scale * ((at[2] - view.middle) * level + (at[1] - y) * view.height)};
  };
  Canvas canvas(rgb, kImageSide, kImageSide);
  canvas.box(0, 0, kImageSide, kImageSide, kEmpty);
  const i32 reach = i32(kImageSide / view.scale) + 1;
  for (i32 k = -reach; k <= reach; ++k) {  // lines at whole metres, so that movement is visible
    const f64 line_x = x + k - fmod(x, 1.0), line_y = y + k - fmod(y, 1.0);
    const f64 ends[4][3] = {
        {line_x, y - reach, 0}, {line_x, y + reach, 0}, {x - reach, line_y, 0}, {x + reach, line_y, 0}};
    canvas.line(project(ends[0]), project(ends[1]), Color{206, 211, 219});
    canvas.line(project(ends[2]), project(ends[3]), Color{206, 211, 219});
  }
  struct Segment {
    Point ends[2];
    f64 depth, width;
    Color color;
  };
  std::vector<Segment> segments;
  for (i32 i = 0; i < M::kShapes; ++i) {
    const Shape& shape = M::shape(i);
    f64 pos[3], rotation[9], ends[2][3];
    global_position(d, shape.body, shape.same_frame, shape.pos, pos);
    global_rotation(d, shape.body, shape.same_frame, shape.quat, rotation);
    for (int k = 0; k < 3; ++k) {
      ends[0][k] = pos[k] - rotation[3 * k + 2] * shape.half_length;
      ends[1][k] = pos[k] + rotation[3 * k + 2] * shape.half_length;
    }
    segments.push_back({{project(ends[0]), project(ends[1])},
                        pos[1] * level - pos[2] * view.height,
                        2 * shape.radius * view.scale,
                        {shape.color[0], shape.color[1], shape.color[2]}});
  }
  std::stable_sort(segments.begin(), segments.end(),
                   [](const Segment& a, const Segment& b) { return a.depth > b.depth; });
  for (const Segment& segment : segments) {
    canvas.line(segment.ends[0], segment.ends[1], kWall, segment.width + 2);
    canvas.line(segment.ends[0], segment.ends[1], segment.color, segment.width);
  }
}

}  // namespace envpool::robots
