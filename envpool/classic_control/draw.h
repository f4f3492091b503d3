// SPDX-License-Identifier: Apache-2.0
//
// Draws what the images of several environments of classic control contain. Host only.
#pragma once

#include "envpool/core/canvas.h"
#include "envpool/core/math/math.h"

namespace envpool::classic_control {

using drawing::Canvas, drawing::Color, drawing::Frame, drawing::kBlack, drawing::Point;

// Draws the image of both mountain car environments: the valley sin(3 x) between -1.2 and 0.6, the car at `position`,
// and the flag at `goal`.
inline void draw_valley(u8* rgb, f64 position, f64 goal) {
  Canvas canvas(rgb, 600, 400);
  constexpr f64 scale = 600 / 1.8;
  constexpr Color wheel_gray{128, 128, 128}, flag_yellow{204, 204, 0};
  const auto ground = [](f64 x) { return Point{(x + 1.2) * scale, (sin(3 * x) * 0.45 + 0.55) * scale}; };
  for (int i = 0; i < 99; ++i) canvas.line(ground(-1.2 + 1.8 * i / 99), ground(-1.2 + 1.8 * (i + 1) / 99), kBlack);

  const Point below = ground(position);
  const Frame car{below.x, below.y + 10, cos(3 * position)};
  canvas.polygon({car(-20, 0), car(-20, 20), car(20, 20), car(20, 0)}, kBlack);
  for (const f64 side : {10.0, -10.0}) {
    const Point wheel = car(side, 0);
    canvas.disc(wheel.x, wheel.y, 8, wheel_gray);
  }
  const Point flag = ground(goal);
  canvas.line(flag, {flag.x, flag.y + 50}, kBlack);
  canvas.polygon({{flag.x, flag.y + 50}, {flag.x, flag.y + 40}, {flag.x + 25, flag.y + 45}}, flag_yellow);
}

}  // namespace envpool::classic_control
