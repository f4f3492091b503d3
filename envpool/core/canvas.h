// SPDX-License-Identifier: Apache-2.0
//
// Draws images on the host, for the `render` of environments. Every shape is a signed distance function (negative
// inside); a pixel whose centre is within half a pixel of the edge is blended. y points up, and integer coordinates are
// pixel centres.
#pragma once

#include <initializer_list>

#include "envpool/core/math/math.h"

namespace envpool::drawing {

struct Color {  // of a pixel
  u8 red, green, blue;
};
inline constexpr Color kBlack{0, 0, 0}, kEmpty{238, 240, 243}, kWall{74, 82, 96}, kAgent{208, 74, 52},
    kGoal{240, 178, 48}, kStart{190, 222, 196}, kBlue{52, 104, 178};

struct Point {  // in pixels, or in the coordinates of an object
  f64 x, y;
};

// Maps points from the coordinates of an object to the coordinates of the image. The object is at (x, y) in the image
// and is rotated by `angle`.
class Frame {
 public:
  Frame(f64 x, f64 y, f64 angle) : x_(x), y_(y), sin_(sin(angle)), cos_(cos(angle)) {}  // angle in radians
  Point operator()(f64 u, f64 v) const { return {x_ + u * cos_ - v * sin_, y_ + u * sin_ + v * cos_}; }

 private:
  f64 x_, y_, sin_, cos_;
};

class Canvas {  // an image of 3 bytes per pixel
 public:
  Canvas(u8* rgb, int width, int height) : rgb_(rgb), width_(width), height_(height) {  // begins white
    for (int i = 0; i < width * height * 3; ++i) rgb[i] = 255;
  }

  void disc(f64 x, f64 y, f64 radius, Color color) {  // x and y are its middle
    paint(x - radius, y - radius, x + radius, y + radius, color,
          [=](f64 px, f64 py) { return sqrt((px - x) * (px - x) + (py - y) * (py - y)) - radius; });
  }
  void line(Point a, Point b, Color color, f64 width = 1) {  // with round ends
    const f64 dx = b.x - a.x, dy = b.y - a.y, square = max(dx * dx + dy * dy, 1e-9);
    paint(min(a.x, b.x) - width, min(a.y, b.y) - width, max(a.x, b.x) + width, max(a.y, b.y) + width, color,
          [=](f64 px, f64 py) {
            const f64 along = clamp(((px - a.x) * dx + (py - a.y) * dy) / square, 0.0, 1.0);
            const f64 ux = px - a.x - along * dx, uy = py - a.y - along * dy;
            return sqrt(ux * ux + uy * uy) - width / 2;
          });
  }
  // The polygon must be convex; its corners may be in either order.
  void polygon(std::initializer_list<Point> corners, Color color) {
    f64 left = 1e9, right = -1e9, bottom = 1e9, top = -1e9, area = 0;
    const Point* last = corners.end() - 1;
    for (const Point& p : corners) {
      left = min(left, p.x), right = max(right, p.x), bottom = min(bottom, p.y), top = max(top, p.y);
      area += last->x * p.y - p.x * last->y;
      last = &p;
    }
    paint(left, bottom, right, top, color, [&](f64 px, f64 py) {
      f64 distance = -1e9;
      const Point* a = corners.end() - 1;
      for (const Point& b : corners) {
        const f64 dx = b.x - a->x, dy = b.y - a->y, length = max(sqrt(dx * dx + dy * dy), 1e-9);
        const f64 outside = ((px - a->x) * dy - (py - a->y) * dx) / length;
        distance = max(distance, area > 0 ? outside : -outside);
        a = &b;
      }
      return distance;
    });
  }
  void box(f64 left, f64 bottom, f64 right, f64 top, Color color) {
    polygon({{left, bottom}, {left, top}, {right, top}, {right, bottom}}, color);
  }
  // Writes a number of at most nine digits, as seven-segment displays do. x is the middle, y the lower edge.
  void number(f64 x, f64 y, f64 height, i32 value, Color color) {
    // A bit for each segment: top, upper left, upper right, middle, lower left, lower right, bottom.
    constexpr u8 segments[10] = {0x77, 0x24, 0x5d, 0x6d, 0x2e, 0x6b, 0x7b, 0x25, 0x7f, 0x6f};
    const f64 side = height / 2, thick = height / 8;
    i32 count = 1;
    for (i32 rest = max(value, 0) / 10; rest > 0; rest /= 10) ++count;
    x += (count - 1) * side * 0.75 - side / 2;
    for (i32 rest = max(value, 0); count > 0; --count, rest /= 10, x -= side * 1.5) {
      const u8 lit = segments[rest % 10];
      for (int level = 0; level < 3; ++level) {
        const f64 at = y + height - level * side;
        if (lit >> (3 * level) & 1) line({x, at}, {x + side, at}, color, thick);
        for (int right = 0; right < 2 && level < 2; ++right) {
          const f64 edge = x + right * side;
          if (lit >> (3 * level + 1 + right) & 1) line({edge, at}, {edge, at - side}, color, thick);
        }
      }
    }
  }
  // Draws about three quarters of a circle, which begins at the top and ends with an arrowhead.
  void arc_arrow(f64 x, f64 y, f64 radius, bool counterclockwise, Color color) {
    const f64 sign = counterclockwise ? 1 : -1, ring = 0.92 * radius, width = max(1.0, 0.06 * radius);
    const auto at = [=](f64 turn, f64 r) { return Frame{x, y, kPi / 2 + sign * turn}(r, 0); };
    constexpr int kPieces = 40;
    constexpr f64 kLast = 1.45 * kPi;
    for (int i = 0; i < kPieces; ++i) {
      line(at(kLast * i / kPieces, ring), at(kLast * (i + 1) / kPieces, ring), color, width);
    }
    polygon({at(kLast, 0.82 * radius), at(kLast, 1.02 * radius), at(kLast + 0.32, ring)}, color);
  }

 private:
  template <class Distance>
  void paint(f64 left, f64 bottom, f64 right, f64 top, Color color, Distance&& distance) {
    const int first_x = clamp_pixel(left - 1, width_), last_x = clamp_pixel(right + 1, width_);
    const int first_y = clamp_pixel(bottom - 1, height_), last_y = clamp_pixel(top + 1, height_);
    for (int y = first_y; y <= last_y; ++y) {
      u8* pixel = rgb_ + ((height_ - 1 - y) * width_ + first_x) * 3;
      for (int x = first_x; x <= last_x; ++x, pixel += 3) {
        const f64 outside = distance(x, y);
        if (!(outside < 0.5)) continue;
        const f64 coverage = min(0.5 - outside, 1.0);
        pixel[0] = blend(pixel[0], color.red, coverage);
        pixel[1] = blend(pixel[1], color.green, coverage);
        pixel[2] = blend(pixel[2], color.blue, coverage);
      }
    }
  }
  // Returns the pixel at x, or the nearest one in the image; 0 for NaN.
  static int clamp_pixel(f64 x, int pixels) { return x > 0 ? int(min(x, pixels - 1.0)) : 0; }
  static u8 blend(u8 below, u8 above, f64 coverage) { return u8(below + (above - below) * coverage + 0.5); }

  u8* rgb_;
  int width_, height_;
};

}  // namespace envpool::drawing
