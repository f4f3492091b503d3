// SPDX-License-Identifier: Apache-2.0
//
// The grid of MiniGrid: cells, directions and actions, with the numbers by which observations encode them.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::minigrid {

enum Type : u8 { kUnseen, kEmpty, kWall, kFloor, kDoor, kKey, kBall, kBox, kGoal, kLava, kAgent };
enum Color : u8 { kRed, kGreen, kBlue, kPurple, kYellow, kGrey };
inline constexpr i32 kColors = 6;
enum Door : u8 { kOpen, kClosed, kLocked };
enum Action : i32 { kLeft, kRight, kForward, kPickup, kDrop, kToggle, kDone };
inline constexpr i32 kActions = 7;

// A cell or an object: Type, Color and Door in the lowest bytes, as in an observation. If it is a box with an object in
// it, the highest byte is Type + 16 * Color of that object. The highest bit is set if the cell hides what is behind it.
using Cell = u32;
inline constexpr Cell kOpaque = 1u << 31;
inline constexpr Cell kNothing = kEmpty, kTheWall = kWall | kGrey << 8 | kOpaque, kTheGoal = kGoal | kGreen << 8,
                      kTheLava = kLava | kRed << 8, kCarriesNothing = kUnseen;

ENVPOOL_FN constexpr Cell object(i32 type, i32 color) { return Cell(type) | Cell(color) << 8; }
ENVPOOL_FN constexpr Cell door(i32 color, Door state) {
  return object(kDoor, color) | Cell(state) << 16 | (state == kOpen ? 0 : kOpaque);
}
ENVPOOL_FN constexpr Cell box_with(i32 color, Cell inside) {
  return object(kBox, color) | ((inside & 15) | (inside >> 8 & 15) << 4) << 24;
}
ENVPOOL_FN constexpr Cell inside_of(Cell box) {
  return box >> 24 == 0 ? kNothing : object(i32(box >> 24 & 15), i32(box >> 28 & 7));
}

ENVPOOL_FN constexpr u32 type_of(Cell cell) { return cell & 255; }
ENVPOOL_FN constexpr u32 color_of(Cell cell) { return cell >> 8 & 255; }
ENVPOOL_FN constexpr u32 state_of(Cell cell) { return cell >> 16 & 255; }
// Returns the type and the colour of an object. Missions describe objects by these two.
ENVPOOL_FN constexpr Cell kind_of(Cell cell) { return cell & 0xFFFF; }

ENVPOOL_FN constexpr bool is_open_door(Cell cell) { return (cell & 0xFF00FF) == (kDoor | kOpen << 16); }
ENVPOOL_FN constexpr bool can_overlap(Cell cell) {
  constexpr u32 kPassable = 1u << kEmpty | 1u << kFloor | 1u << kGoal | 1u << kLava;
  return (kPassable >> (cell & 31) & 1) != 0 || is_open_door(cell);
}
ENVPOOL_FN constexpr bool can_pickup(Cell cell) { return type_of(cell) - kKey <= u32{kBox - kKey}; }
struct Point {
  i32 x, y;

  ENVPOOL_FN constexpr bool operator==(const Point& other) const { return x == other.x && y == other.y; }
};
ENVPOOL_FN constexpr Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
ENVPOOL_FN constexpr Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }

// Returns the step in a direction: 0 right, 1 down, 2 left, 3 up.
ENVPOOL_FN constexpr Point step_in(i32 direction) {
  return {(direction == 0) - (direction == 2), (direction == 1) - (direction == 3)};
}
// distance() returns how many steps apart two points are; touches() returns whether they are at most one row and one
// column apart.
ENVPOOL_FN constexpr i32 distance(Point a, Point b) {
  const Point d = a - b;
  return (d.x < 0 ? -d.x : d.x) + (d.y < 0 ? -d.y : d.y);
}
ENVPOOL_FN constexpr bool touches(Point a, Point b) { return u32(a.x - b.x + 1) <= 2 && u32(a.y - b.y + 1) <= 2; }

// The cells of a grid, row by row, in memory that belongs to a state.
struct ConstGrid {
  const Cell* cells;
  i32 width, height;

  ENVPOOL_FN bool contains(Point at) const { return u32(at.x) < u32(width) && u32(at.y) < u32(height); }
  ENVPOOL_FN const Cell& operator[](Point at) const { return cells[at.y * width + at.x]; }
};
struct Grid {
  Cell* cells;
  i32 width, height;

  ENVPOOL_FN bool contains(Point at) const { return u32(at.x) < u32(width) && u32(at.y) < u32(height); }
  ENVPOOL_FN Cell& operator[](Point at) const { return cells[at.y * width + at.x]; }
  ENVPOOL_FN operator ConstGrid() const { return {cells, width, height}; }
};

}  // namespace envpool::minigrid
