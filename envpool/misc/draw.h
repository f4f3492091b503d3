// SPDX-License-Identifier: Apache-2.0
//
// Draws the two arms of a bandit. Host only.
#pragma once

#include "envpool/core/canvas.h"

namespace envpool::misc {

inline constexpr i32 kArmsHeight = 200, kArmsWidth = 300;  // of an image

// Marks the arm that was chosen last. A bar shows its reward, upwards or downwards from the line in the middle.
inline void draw_arms(u8* rgb, i32 chosen, f32 reward) {
  constexpr drawing::Color gain{74, 148, 92};
  drawing::Canvas canvas(rgb, kArmsWidth, kArmsHeight);
  for (i32 arm = 0; arm < 2; ++arm) {
    const f64 middle = 80 + 140 * arm, half = 50;
    canvas.box(middle - half, 10, middle + half, kArmsHeight - 10, arm == chosen ? drawing::kGoal : drawing::kEmpty);
    canvas.number(middle, kArmsHeight - 44, 24, arm, drawing::kWall);
    if (arm == chosen) {
      const f64 top = 80 + 60 * clamp(f64(reward), -1.0, 1.0);
      canvas.box(middle - 16, min(80.0, top), middle + 16, max(80.0, top), reward >= 0 ? gain : drawing::kAgent);
    }
    canvas.line({middle - half, 80}, {middle + half, 80}, drawing::kWall);
  }
}

}  // namespace envpool::misc
