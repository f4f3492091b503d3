// SPDX-License-Identifier: Apache-2.0
//
// What games share in which an agent runs and jumps on platforms: cells, walls that stop bodies, the ground below them,
// and how the agent moves.
#pragma once

#include "envpool/procgen/mover.h"
#include "envpool/procgen/scene.h"

namespace envpool::procgen {

inline constexpr f32 kRunSpeed = 0.5f, kJumpSpeed = 1.5f, kGravity = 0.2f;
inline constexpr f32 kAirControl = 0.15f;  // the part of its acceleration that an agent has in the air
inline constexpr f32 kHalf = 0.5f;         // half of the side of most things
inline constexpr i32 kTrailSteps = 9;      // for which the trail of a body is seen

// For each step of a level a bit, which decides between directions of equal speed.
template <i32 kSteps>
struct Ties {
  i32 word[kSteps / 32 + 1];

  // Draws them as the reference does, a number below 1,000,000 in each step, of which it looks whether it is even.
  ENVPOOL_FN void draw(Twister& random) {
    for (i32& bits : word) bits = 0;
    for (i32 i = 1; i <= kSteps; ++i) word[i / 32] = i32(u32(word[i / 32]) | (~random.bits() & 1) << i % 32);
  }
  ENVPOOL_FN bool operator[](i32 step) const {
    const i32 at = clamp(step, 0, kSteps);
    return (u32(word[at / 32]) >> at % 32 & 1) != 0;
  }
};

// The cells of a world, which are the first ones of each row of an array. All cells beyond it are the same.
template <class Cell, i32 kRows, i32 kColumns>
class Cells {
 public:
  ENVPOOL_FN Cells(Cell (&cell)[kRows][kColumns], i32 width, i32 height, u8 outside)
      : cell_(cell), width_(width), height_(height), outside_(outside) {}

  ENVPOOL_FN bool contains(i32 x, i32 y) const { return u32(x) < u32(width_) && u32(y) < u32(height_); }
  ENVPOOL_FN i32 at(i32 x, i32 y) const { return contains(x, y) ? cell_[y][x] : outside_; }
  ENVPOOL_FN i32 at_point(f32 x, f32 y) const {
    return x < 0 || y < 0 || !(x < f32(width_)) || !(y < f32(height_)) ? outside_ : at(i32(x), i32(y));
  }

  ENVPOOL_FN void set(i32 x, i32 y, u8 type) const {
    if (contains(x, y)) cell_[y][x] = type;
  }
  ENVPOOL_FN void fill(i32 x, i32 y, i32 width, i32 height, u8 type) const {
    for (i32 i = 0; i < height; ++i) {
      for (i32 k = 0; k < width; ++k) set(x + k, y + i, type);
    }
  }
  // Fills a rectangle, whose uppermost row has another type.
  ENVPOOL_FN void fill_ground(i32 x, i32 y, i32 width, i32 height, u8 type, u8 top) const {
    fill(x, y, width, height - 1, type);
    fill(x, y + height - 1, width, 1, top);
  }
  // Empties a world, and surrounds it with walls.
  ENVPOOL_FN void enclose(u8 space, u8 floor, u8 wall) const {
    fill(0, 0, width_, height_, space);
    fill(0, 0, width_, 1, floor);
    fill(0, 0, 1, height_, wall);
    fill(width_ - 1, 0, 1, height_, wall);
    fill(0, height_ - 1, width_, 1, wall);
  }

 private:
  Cell (&cell_)[kRows][kColumns];
  i32 width_, height_;
  u8 outside_;
};

// What the type of a cell does to a body that would move into it: sums of these.
enum Contact : i32 { kPasses = 0, kBlocks = 1, kTurns = 2 };

// Moves a body in one direction up to walls. Returns whether one blocks it. Walls that turn a body send it back.
// `contact_at(x, y)` returns what is at a point.
template <class ContactAt>
ENVPOOL_FN bool move_in_cells(Mover& at, f32 half_width, f32 half_height, f32 vx, f32 vy, ContactAt&& contact_at) {
  f32 x = at.x + vx, y = at.y + vy;
  const bool sideways = vx != 0;
  i32 contact = kPasses;
  for (i32 i = -1; i <= 1; i += 2) {
    for (i32 k = -1; k <= 1; k += 2) {
      contact |= contact_at(x + half_width * kInside * f32(i), y + half_height * kInside * f32(k));
    }
  }
  f32& p = sideways ? x : y;
  const f32 half = sideways ? half_width : half_height;
  if ((contact & kTurns) != 0) {
    const f32 edge = (sideways ? vx : vy) < 0 ? ceil(p - half) - (p - half) : floor(p + half) - (p + half);
    f32& speed = sideways ? at.vx : at.vy;
    speed = -speed;
    p += 2 * edge;
  } else if ((contact & kBlocks) != 0) {
    p = stopped(p, half, sideways ? vx : vy);
  }
  at.x = x;
  at.y = y;
  return (contact & kBlocks) != 0;
}

// Returns whether there is ground below one of the lower corners of a body.
template <class IsGroundAt>
ENVPOOL_FN bool stands(const Mover& at, f32 half_width, f32 half_height, IsGroundAt&& is_ground_at) {
  const f64 wide = half_width - 0.01, high = half_height + 0.01;
  return is_ground_at(f32(at.x - wide), f32(at.y - high)) || is_ground_at(f32(at.x + wide), f32(at.y - high));
}

// Accelerates a body sideways; in the air less.
ENVPOOL_FN void run(Mover& at, i32 dx, f32 mix) { at.vx = (1 - mix) * at.vx + mix * kRunSpeed * f32(dx); }
ENVPOOL_FN f32 mix_of(f32 mix, bool has_support) { return has_support ? mix : mix * kAirControl; }

// Draws what a body left behind `age` steps ago at (x, y). It grows, fades and rises.
template <i32 kPixels>
ENVPOOL_FN void draw_trail(Scene<kPixels>& scene, const Look& look, f32 x, f32 y, i32 age) {
  f32 half_width = 0.3f, half_height = 0.2f, opacity = 0.5f;
  for (i32 i = 0; i < age; ++i) {
    half_width *= 1.05f;
    half_height *= 1.05f;
    opacity *= 0.8f;
    y += 0.01f;
  }
  scene.object(look, x, y, half_width, half_height, /*reflected=*/false, opacity);
}

// An agent.
struct Runner {
  Mover at;
  i32 dx;            // of the last action
  bool has_support;  // before the last step
  bool reflected;

  ENVPOOL_FN void start(f32 x, f32 y) {
    at = {x, y, 0, 0};
    dx = 0;
    has_support = reflected = false;
  }
  ENVPOOL_FN void look() {
    if (dx != 0) reflected = dx < 0;
  }
  ENVPOOL_FN void fall() {
    if (!has_support && at.vy > -2) at.vy -= kGravity;
  }
  ENVPOOL_FN bool is_still() const { return fabs(at.vx) < 0.01 && dx == 0 && has_support; }
  // Returns whether the first of two pictures of a walk is shown.
  ENVPOOL_FN bool shows_first(i32 time) const { return time / 5 % 2 == 0 || !has_support; }
};

ENVPOOL_FN void repair_runner(Runner& r, f32 most) {
  repair_mover(r.at, most);
  keep_within(r.dx, -1, 1);
  keep_bool(r.has_support);
  keep_bool(r.reflected);
}

}  // namespace envpool::procgen
