// SPDX-License-Identifier: Apache-2.0
//
// Draws the images of tag: discs with blended edges on a white square. Host only.
#pragma once

#include "envpool/core/canvas.h"
#include "envpool/core/math/math.h"

namespace envpool::tag {

using drawing::Color;
inline constexpr Color kTaggerColor{208, 45, 38}, kRunnerColor{33, 102, 178}, kTaggedColor{205, 210, 216},
    kReachColor{250, 214, 208}, kLineColor{226, 226, 226};

// An image of the square from (0, 0) to (side, side) with a margin around it; y points up.
class SquareCanvas {
 public:
  static constexpr int kPixels = 400;
  static constexpr f64 kMargin = 12;

  SquareCanvas(u8* rgb, f64 side) : rgb_(rgb), scale_((kPixels - 2 * kMargin) / max(side, 1e-9)) {
    for (int i = 0; i < kPixels * kPixels * 3; ++i) rgb[i] = 255;
  }

  f64 pixels(f64 length) const { return length * scale_; }
  // Draws a disc at a point of the square; the radius is in pixels.
  void disc(f64 x, f64 y, f64 radius, Color color) {
    const f64 column = kMargin + x * scale_, row = kPixels - 1 - kMargin - y * scale_;
    paint(column - radius - 1, row - radius - 1, column + radius + 1, row + radius + 1, color,
          [=](f64 px, f64 py) { return 0.5 + radius - sqrt((px - column) * (px - column) + (py - row) * (py - row)); });
  }
  // Draws `count` + 1 lines across the square in each direction. The outer lines are its border.
  void lines(int count, Color color) {
    const f64 low = kMargin, high = kPixels - 1 - kMargin;
    for (int i = 0; i <= count; ++i) {
      const f64 at = low + (high - low) * i / count;
      const auto all = [](f64, f64) { return 1.0; };
      paint(at, low, at, high, color, all);
      paint(low, at, high, at, color, all);
    }
  }

 private:
  // Blends the color into the pixels of a rectangle. `coverage` returns the weight of the color at a pixel; 1 or more
  // replaces the pixel.
  template <class Coverage>
  void paint(f64 left, f64 top, f64 right, f64 bottom, Color color, Coverage&& coverage) {
    for (int y = pixel(top); y <= pixel(bottom); ++y) {
      for (int x = pixel(left); x <= pixel(right); ++x) {
        const f64 share = min(coverage(f64(x), f64(y)), 1.0);
        if (!(share > 0)) continue;
        u8* const at = rgb_ + (y * kPixels + x) * 3;
        at[0] = blend(at[0], color.red, share);
        at[1] = blend(at[1], color.green, share);
        at[2] = blend(at[2], color.blue, share);
      }
    }
  }
  // Returns the nearest pixel of the canvas to a coordinate; 0 for NaN.
  static int pixel(f64 x) { return x > 0 ? int(min(x + 0.5, kPixels - 1.0)) : 0; }
  static u8 blend(u8 below, u8 above, f64 share) { return u8(below + (above - below) * share + 0.5); }

  u8* rgb_;
  f64 scale_;
};

}  // namespace envpool::tag
