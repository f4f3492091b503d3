// SPDX-License-Identifier: Apache-2.0
//
// Draws a compass, a disc with a hand and a bar for the distance, and the air below a jump. In observations, discs and
// hands have the pixels that Qt 5.9 draws, which were found by comparing; larger images have plain geometric shapes.
#pragma once

#include "envpool/procgen/game.h"

namespace envpool::procgen {

inline constexpr u32 kDiscColor = 0xFFA8A69Eu, kHandColor = 0xFFFCBA03u;

// The pixels of a disc in a row of an observation.
struct DiscRow {
  i8 first, count;
};

// Calls row(y, first, count) for the rows of the disc of a compass in an observation. `cells` is the number of cells
// that the observation shows on each axis, of which the compass takes 3 of up to 20 or 2 of more.
template <class Row>
ENVPOOL_FN void for_rows_of_disc(i32 cells, Row&& row) {
  // Rows from the first on which there is a pixel, for 12, 20, 16 and 40 cells.
  constexpr DiscRow kRowsOf12[17] = {{52, 6},  {50, 9},  {49, 11}, {48, 13}, {48, 14}, {47, 16},
                                     {47, 16}, {46, 17}, {46, 17}, {46, 17}, {47, 16}, {47, 16},
                                     {47, 15}, {48, 13}, {49, 11}, {51, 8},  {53, 4}};
  constexpr DiscRow kRowsOf20[11] = {{58, 1},  {56, 5},  {55, 7}, {54, 9}, {53, 10}, {53, 11},
                                     {53, 11}, {54, 10}, {54, 9}, {55, 7}, {57, 4}};
  constexpr DiscRow kRowsOf16[9] = {{58, 3}, {57, 5}, {56, 7}, {55, 9}, {55, 9}, {55, 9}, {56, 7}, {57, 5}, {58, 3}};
  constexpr DiscRow kRowsOf40[4] = {{61, 2}, {60, 4}, {60, 4}, {61, 2}};
  const auto draw = [&](i32 y, const DiscRow* rows, i32 count) {
    for (i32 i = 0; i < count; ++i) row(y + i, rows[i].first, rows[i].count);
  };
  if (cells == 12) draw(1, kRowsOf12, 17);
  if (cells == 20) draw(0, kRowsOf20, 11);
  if (cells == 16) draw(1, kRowsOf16, 9);
  if (cells == 40) draw(0, kRowsOf40, 4);
}

// Draws a thin line, both ends included: a pixel for each step on its longer axis, at the place on the other axis that
// Qt chooses.
template <i32 kPixels>
ENVPOOL_FN void draw_thin_line(Canvas<kPixels>& canvas, i32 x1, i32 y1, i32 x2, i32 y2, u32 color) {
  const i32 wide = x2 > x1 ? x2 - x1 : x1 - x2, high = y2 > y1 ? y2 - y1 : y1 - y2;
  const bool upright = wide < high;
  const i32 length = max(wide, high);
  const bool swapped = upright ? y1 > y2 : x1 > x2;
  const i32 first_x = swapped ? x2 : x1, first_y = swapped ? y2 : y1;
  const i32 across = (upright ? x2 - x1 : y2 - y1) * (swapped ? -1 : 1);
  const i32 slope = length > 0 ? across * 65536 / length : 0;
  i32 at = (upright ? first_x : first_y) * 65536 + (slope > 0 ? slope - slope / 2 : 0);
  for (i32 i = 0; i <= length; ++i, at += slope) {
    const i32 place = at >> 16;
    canvas.draw_pixel(upright ? place : first_x + i, upright ? first_y + i : place, color);
  }
}

// Calls visit(x, y) for each pixel whose middle is in an ellipse.
template <i32 kPixels, class Visit>
ENVPOOL_FN void for_pixels_of_ellipse(const Rect& r, Visit&& visit) {
  const i32 left = clamp(i32(r.x), 0, kPixels), right = clamp(i32(r.x + r.width) + 1, 0, kPixels);
  const i32 top = clamp(i32(r.y), 0, kPixels), bottom = clamp(i32(r.y + r.height) + 1, 0, kPixels);
  for (i32 y = top; y < bottom; ++y) {
    for (i32 x = left; x < right; ++x) {
      const f64 u = (x + 0.5 - r.x) * 2 / r.width - 1, v = (y + 0.5 - r.y) * 2 / r.height - 1;
      if (u * u + v * v <= 1) visit(x, y);
    }
  }
}

// Draws a line as thick as `thickness` pixels, with round ends.
template <i32 kPixels>
ENVPOOL_FN void draw_thick_line(Canvas<kPixels>& canvas, f64 x1, f64 y1, f64 x2, f64 y2, f64 thickness, u32 color) {
  constexpr i32 kDots = 64;  // on a line of at most so many pixels
  for (i32 i = 0; i <= kDots; ++i) {
    const f64 x = x1 + (x2 - x1) * i / kDots, y = y1 + (y2 - y1) * i / kDots;
    for_pixels_of_ellipse<kPixels>({x - thickness / 2, y - thickness / 2, thickness, thickness},
                                   [&](i32 u, i32 v) { canvas.draw_pixel(u, v, color); });
  }
}

// Draws a compass of `size` cells in the upper right corner. Its hand shows in the direction (dx, dy), and the bar
// below it shows how far that is in a world of `side` cells.
template <i32 kPixels>
ENVPOOL_FN void draw_compass(Canvas<kPixels>& canvas, const View& view, f32 size, f32 dx, f32 dy, i32 side) {
  const f32 left = f32(view.cells - size - 0.25), width = size * view.unit;
  const Rect box{left * view.unit, 0.25f * view.unit, width, width};
  const f32 x = f32(box.x + box.width / 2), y = f32(box.y + box.height / 2), radius = f32(box.width / 2 * 0.95);
  const f64 angle = f32(atan2(f64(dy), f64(dx)));
  const f64 end_x = x + radius * cos(angle), end_y = y - radius * sin(angle);
  if constexpr (kPixels == kSide) {
    for_rows_of_disc(i32(view.cells + 0.5f), [&](i32 row, i32 first, i32 count) {
      for (i32 i = 0; i < count; ++i) canvas.draw_pixel(first + i, row, kDiscColor);
    });
    draw_thin_line(canvas, i32(x), i32(y), i32(end_x), i32(end_y), kHandColor);
  } else {
    for_pixels_of_ellipse<kPixels>(box, [&](i32 u, i32 v) { canvas.draw_pixel(u, v, kDiscColor); });
    draw_thick_line(canvas, x, y, end_x, end_y, kPixels * size / 256.0, kHandColor);
  }
  const f32 part = f32(f32(sqrt(f64(dx * dx + dy * dy))) / (side * sqrt(2.0)));
  canvas.fill({box.x, (0.25f + size) * view.unit, size * part * view.unit, size / 8 * view.unit}, kHandColor);
}

// Draws a translucent white ellipse. In observations, it has at most 2 by 1 pixels, of which Qt draws the row below.
template <i32 kPixels>
ENVPOOL_FN void draw_translucent_ellipse(Canvas<kPixels>& canvas, i32 x, i32 y, i32 width, i32 height) {
  constexpr u32 kColor = 0x78787878u;
  if constexpr (kPixels == kSide) {
    for (i32 i = 0; i < 2 && width == 2 && height == 1; ++i) canvas.draw_pixel(x + i, y + 1, kColor);
  } else if (width > 0 && height > 0) {
    for_pixels_of_ellipse<kPixels>({f64(x), f64(y), f64(width), f64(height)},
                                   [&](i32 u, i32 v) { canvas.draw_pixel(u, v, kColor); });
  }
}

}  // namespace envpool::procgen
