// SPDX-License-Identifier: Apache-2.0
//
// Which pixels a turned image covers, and which of its pixels they show, as Qt 5.9 draws it without smoothing:
//
//   Place    rows from the top corner of the turned rectangle to its lowest corner, each rounded to the nearest row.
//            In a row, the pixels between the left and the right edge, whose positions are in 1/65536 of a pixel and
//            go on by a whole number of these in each row. At the heights of the corners at the sides, the
//            edges start again from the corners.
//   Pixels   positions in the image are in 1/65536 of its pixels, and the steps to the next pixel and to the next row
//            are whole numbers of these, too
//
// All integers have 32 bits and wrap around. An image that is upside down, or not turned, is drawn as in painter.h.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::procgen {

// A turn by an angle, clockwise because y points down.
struct Turn {
  f64 sine, cosine;
};

inline constexpr Turn kNoTurn{0, 1}, kRightTurn{1, 0}, kHalfTurn{0, -1}, kLeftTurn{-1, 0};

// Returns the turn by an angle in radians. Multiples of a right angle are exact up to half a turn.
ENVPOOL_FN Turn turn_of(f32 angle) {
  const f64 degrees = f64(angle * 180 / 3.14159274f);
  if (degrees == 90 || degrees == -270) return kRightTurn;
  if (degrees == -90 || degrees == 270) return kLeftTurn;
  const f64 radians = 0.017453292519943295 * degrees;
  return {sin(radians), cos(radians)};
}

// Whether a turned image has the sides of the canvas, so that it is drawn by columns and rows.
ENVPOOL_FN bool is_upright(Turn turn) { return fabs(turn.sine) <= 1e-12; }

// Returns x without its fraction. What is out of range becomes the lowest number, as on x86.
ENVPOOL_FN i32 whole(f64 x) { return x > -2147483649.0 && x < 2147483648.0 ? i32(x) : i32(0x80000000u); }

// A turned rectangle of an image of `width` by `height` pixels, which has the sides `wide` and `high` around (x, y).
class Turned {
 public:
  ENVPOOL_FN Turned(f64 x, f64 y, f64 wide, f64 high, Turn turn, i32 width, i32 height) {
    Corner corner[4];  // clockwise in the image, from the upper left
    i32 top = 0;
    for (i32 i = 0; i < 4; ++i) {
      const bool right = i == 1 || i == 2, low = i >= 2;
      const f64 across = right ? wide / 2 : -wide / 2, down = low ? high / 2 : -high / 2;
      corner[i] = {turn.cosine * across + -turn.sine * down + x, turn.sine * across + turn.cosine * down + y,
                   right ? f64(width) : 0.0, low ? f64(height) : 0.0};
      if (corner[i].y < corner[top].y) top = i;
    }
    top_ = corner[top];
    low_ = corner[(top + 2) & 3];
    const Corner next = corner[(top + 1) & 3], last = corner[(top + 3) & 3];
    const bool swapped = (next.x - top_.x) * (last.y - top_.y) - (last.x - top_.x) * (next.y - top_.y) > 0;
    left_ = swapped ? last : next;
    right_ = swapped ? next : last;
    const Corner a{left_.x - top_.x, left_.y - top_.y, left_.u - top_.u, left_.v - top_.v};
    const Corner b{low_.x - top_.x, low_.y - top_.y, low_.u - top_.u, low_.v - top_.v};
    const f64 area = a.x * b.y - a.y * b.x;
    is_empty_ = area == 0;
    const f64 inverse = is_empty_ ? 0.0 : 1.0 / area;
    u_ = position((a.u * b.y - a.y * b.u) * inverse, (a.x * b.u - a.u * b.x) * inverse, top_.u);
    v_ = position((a.v * b.y - a.y * b.v) * inverse, (a.x * b.v - a.v * b.x) * inverse, top_.v);
  }

  // Calls row(y, x, end) for rows of pixels on a canvas of `pixels` by `pixels`.
  template <class Row>
  ENVPOOL_FN void each_row(i32 pixels, Row&& row) const {
    if (is_empty_) return;
    const bool left_first = left_.y < right_.y;
    const f64 middle = left_first ? left_.y : right_.y, lower = left_first ? right_.y : left_.y;
    for (i32 band = 0; band < 3; ++band) {
      const bool past_left = band == 2 || (band == 1 && left_first),
                 past_right = band == 2 || (band == 1 && !left_first);
      const f64 begin = band == 0 ? top_.y : band == 1 ? middle : lower;
      const f64 end = band == 0 ? middle : band == 1 ? lower : low_.y;
      const i32 first = max(nearest(begin), 0), past = min(nearest(end), pixels);
      if (first >= past) continue;
      Edge left(past_left ? left_ : top_, past_left ? low_ : left_, first);
      Edge right(past_right ? right_ : top_, past_right ? low_ : right_, first);
      for (i32 y = first; y < past; ++y) {
        const i32 from = max(left.pixel(), 0), to = min(right.pixel(), pixels);
        if (from < to) row(y, from, to);
        left.next();
        right.next();
      }
    }
  }

  // Returns the column or the row of the image that a pixel shows, which can be beyond the image.
  ENVPOOL_FN i32 column(i32 x, i32 y) const { return u_.at(x, y); }
  ENVPOOL_FN i32 row(i32 x, i32 y) const { return v_.at(x, y); }

 private:
  struct Corner {
    f64 x, y, u, v;  // on the canvas and in the image
  };
  struct Position {
    u32 first, per_pixel, per_row;
    ENVPOOL_FN i32 at(i32 x, i32 y) const { return i32(u32(x) * per_pixel + u32(y) * per_row + first) >> 16; }
  };
  class Edge {
   public:
    ENVPOOL_FN Edge(const Corner& top, const Corner& low, i32 row) {
      const f64 slope = (low.x - top.x) / (low.y - top.y);
      step_ = u32(whole(slope * 65536));
      at_ = u32(whole((top.x + (0.5 + row - top.y) * slope + 0.5) * 65536));
    }
    ENVPOOL_FN i32 pixel() const { return i32(at_) >> 16; }
    ENVPOOL_FN void next() { at_ += step_; }

   private:
    u32 at_, step_;
  };

  ENVPOOL_FN static i32 nearest(f64 x) { return whole(floor(x + 0.5)); }
  ENVPOOL_FN Position position(f64 per_pixel, f64 per_row, f64 of_top) const {
    const f64 origin = of_top - per_pixel * top_.x - per_row * top_.y;
    const f64 first = ceil((0.5 * per_pixel + 0.5 * per_row + origin) * 65536);
    return {u32(whole(first)) - 1, u32(whole(per_pixel * 65536)), u32(whole(per_row * 65536))};
  }

  Corner top_, left_, right_, low_;
  Position u_, v_;
  bool is_empty_;
};

}  // namespace envpool::procgen
