// SPDX-License-Identifier: Apache-2.0
//
// What moves by a velocity: in small steps, first in one direction and then in the other, so that it can slide along
// what stops it.
#pragma once

#include "envpool/procgen/game.h"

namespace envpool::procgen {

// The place of a centre, in cells, and its change in a step.
struct Mover {
  f32 x, y, vx, vy;
};

inline constexpr f32 kOverlap = -0.001f;  // bodies that overlap by less do not touch each other
inline constexpr f32 kInside = 0.98f;     // the part of a body whose corners decide whether its place is free

// Returns whether two bodies overlap, by the distances of their centres and the sums of their half sides.
ENVPOOL_FN bool overlaps(f32 dx, f32 dy, f32 width, f32 height) { return fabs(dx) < width && fabs(dy) < height; }

ENVPOOL_FN void repair_mover(Mover& m, f32 most) {
  constexpr f32 kFast = 3;  // faster than anything
  keep_within(m.x, 0.0f, most);
  keep_within(m.y, 0.0f, most);
  keep_within(m.vx, -kFast, kFast);
  keep_within(m.vy, -kFast, kFast);
}

// Moves by the velocity. `move(vx, vy)` moves in one direction, and returns whether something stops that. The number of
// steps comes from the square root in double precision, as in the reference: rounding it first could make it larger.
template <class Move>
ENVPOOL_FN void advance(Mover& at, bool sideways_first, Move&& move) {
  const i32 steps = max(i32(4 * sqrt(f64(at.vx * at.vx + at.vy * at.vy))), 4);
  const f32 part = f32(1.0 / steps);
  f32 free_x = 0, free_y = 0;
  for (i32 i = 0; i < steps; ++i) {
    bool blocked_x = false, blocked_y = false;
    for (i32 k = 0; k < 2; ++k) {
      if (sideways_first == (k == 0)) {
        blocked_x = move(at.vx * part, 0.0f);
      } else {
        blocked_y = move(0.0f, at.vy * part);
      }
    }
    free_x += !blocked_x;
    free_y += !blocked_y;
    if (blocked_x && blocked_y) break;
  }
  at.vx *= free_x / f32(steps);
  at.vy *= free_y / f32(steps);
}

// Returns whether to move sideways first: in the faster direction. `tie` decides if both are equal.
ENVPOOL_FN bool faster_sideways(const Mover& at, bool tie) {
  const f32 difference = fabs(at.vx) - fabs(at.vy);
  return difference == 0 ? tie : difference > 0;
}
// The same for the agent, which goes first where the action directs it.
ENVPOOL_FN bool agent_sideways(const Mover& at, bool tie, i32 dx, i32 dy) {
  return dy != 0 ? false : dx != 0 ? true : faster_sideways(at, tie);
}

// Returns where a body stops that would reach p by a move of `by`, if the cell there is not free.
ENVPOOL_FN f32 stopped(f32 p, f32 half, f32 by) { return by > 0 ? floor(p + half) - half : ceil(p - half) + half; }

// Turns something round that would reach p by a move of `by`, if the cell there is not free.
ENVPOOL_FN void turn_round(f32& p, f32& velocity, f32 half, f32 by) {
  p += 2 * (by < 0 ? ceil(p - half) - (p - half) : floor(p + half) - (p + half));
  velocity = -1 * velocity;
}

// Moves by the velocity in a square world that has no obstacles but its edges.
ENVPOOL_FN void advance_in_box(Mover& at, f32 half_width, f32 half_height, f32 side, bool sideways_first) {
  advance(at, sideways_first, [&](f32 vx, f32 vy) {
    const f32 x = at.x + vx, y = at.y + vy, wide = half_width * kInside, high = half_height * kInside;
    const bool blocked = !(x - wide >= 0 && x + wide < side && y - high >= 0 && y + high < side);
    at.x = blocked && vx != 0 ? stopped(x, half_width, vx) : x;
    at.y = blocked && vx == 0 ? stopped(y, half_height, vy) : y;
    return blocked;
  });
}

// Returns the gray that shows a part of 1, from 0 to 1.
ENVPOOL_FN u32 gray(f32 part) { return kBlack | u32(clamp(i32(part * 255), 0, 255)) * 0x10101u; }

// Paints the velocity of an agent in the corner of an image, as parts of the greatest.
template <i32 kPixels>
ENVPOOL_FN void paint_velocity(Canvas<kPixels>& canvas, const Mover& agent, f32 most_x, f32 most_y) {
  const f32 side = f32(kPixels * 0.2);
  canvas.fill({0, 0, side, side}, gray(f32(0.5 * agent.vx / most_x + 0.5)));
  canvas.fill({side, 0, side, side}, gray(f32(0.5 * agent.vy / most_y + 0.5)));
}

}  // namespace envpool::procgen
