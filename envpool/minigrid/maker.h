// SPDX-License-Identifier: Apache-2.0
//
// Makes levels. Random numbers are drawn in the same order as in the reference. So a test can use a Draws type that
// replays the reference's draws, instead of BlockRng, and gets the same level.
#pragma once

#include "envpool/minigrid/grid.h"
#include "envpool/minigrid/mission.h"

namespace envpool::minigrid {

inline constexpr Point kNowhere{-1, -1};

// The agent and the progress of its episode.
struct Agent {
  i32 steps;
  Point at;
  i32 direction;
  Cell carried;
  i32 mission_id;
};
inline constexpr i32 kMostMissions = 1024;

// The number of keys, balls and boxes that differ in type or colour.
inline constexpr i32 kObjectKinds = 3 * kColors;
// Returns the number of an object's kind.
ENVPOOL_FN constexpr i32 kind_number(Cell object) { return 3 * i32(color_of(object)) + i32(type_of(object)) - kKey; }

ENVPOOL_FN bool contains(const Cell* objects, i32 count, Cell wanted) {
  for (i32 i = 0; i < count; ++i) {
    if (objects[i] == wanted) return true;
  }
  return false;
}

struct Anywhere {
  ENVPOOL_FN bool operator()(Point) const { return false; }
};

template <class Draws>
struct Maker {
  // This is more attempts than are needed to find a free cell in any grid.
  static constexpr i32 kUnlimited = 1 << 20;

  Grid grid;
  Agent& agent;
  Draws& draws;
  Mission& mission;
  bool failed = false;  // the level cannot be completed

  // Returns an integer from low to high - 1.
  ENVPOOL_FN i32 between(i32 low, i32 high) { return low + i32(draws.below(u32(high - low))); }
  ENVPOOL_DEVICE_CALL i32 below(i32 count) { return i32(draws.below(u32(count))); }
  ENVPOOL_FN bool flip() { return draws.below(2) == 0; }
  ENVPOOL_FN Point point(Point from, Point to) {
    const i32 x = between(from.x, to.x);
    return {x, between(from.y, to.y)};
  }
  // The reference draws colours from a list in the order of their names.
  ENVPOOL_FN static i32 color_by_name(i32 index) { return 0x403512 >> 4 * index & 15; }
  ENVPOOL_FN i32 color() { return color_by_name(below(kColors)); }

  // Returns a key, a ball or a box.
  ENVPOOL_FN i32 random_type() { return kKey + below(3); }
  ENVPOOL_DEVICE_CALL Cell random_object() {
    const i32 type = random_type();
    return object(type, color());
  }

  // Puts numbers in a random order.
  ENVPOOL_DEVICE_CALL void shuffle(i32* items, i32 count) {
    for (i32 i = count - 1; i > 0; --i) {
      const i32 other = below(i + 1), item = items[i];
      items[i] = items[other];
      items[other] = item;
    }
  }
  // Draws `wanted` of the numbers without replacement, and moves them to the front.
  ENVPOOL_DEVICE_CALL void choose(i32* items, i32 count, i32 wanted) {
    for (i32 chosen = 0; chosen < wanted; ++chosen) {
      const i32 at = chosen + below(count - chosen), item = items[at];
      for (i32 i = at; i > chosen; --i) items[i] = items[i - 1];
      items[chosen] = item;
    }
  }

  ENVPOOL_DEVICE_CALL void fill(Point from, Point size, Cell cell) {
    for (i32 y = 0; y < size.y; ++y) {
      for (i32 x = 0; x < size.x; ++x) grid[from + Point{x, y}] = cell;
    }
  }
  ENVPOOL_DEVICE_CALL void wall_rect(Point top, Point size) {
    fill(top, {size.x, 1}, kTheWall);
    fill({top.x, top.y + size.y - 1}, {size.x, 1}, kTheWall);
    fill(top, {1, size.y}, kTheWall);
    fill({top.x + size.x - 1, top.y}, {1, size.y}, kTheWall);
  }
  ENVPOOL_FN void wall_around() { wall_rect({0, 0}, {grid.width, grid.height}); }
  // Divides the grid into rows and columns of `count` rooms each, with an opening in each wall between two rooms.
  // opening() returns the cell that is put there. At least `margin` cells of the wall lie below or right of it.
  template <class Opening>
  ENVPOOL_FN void divide(i32 count, i32 margin, Opening opening) {
    wall_around();
    const i32 room = grid.width / count;
    for (i32 j = 0; j < count; ++j) {
      for (i32 i = 0; i < count; ++i) {
        const i32 left = i * room, top = j * room, right = left + room, bottom = top + room;
        if (i + 1 < count) {
          fill({right, top}, {1, room}, kTheWall);
          const i32 row = between(top + 1, bottom - margin);
          grid[{right, row}] = opening();
        }
        if (j + 1 < count) {
          fill({left, bottom}, {room, 1}, kTheWall);
          const i32 column = between(left + 1, right - margin);
          grid[{column, bottom}] = opening();
        }
      }
    }
  }

  // Draws a free cell of a rectangle. The cell is not the agent's, and `reject` returns false for it. Returns kNowhere
  // after too many attempts.
  template <class Reject = Anywhere>
  ENVPOOL_DEVICE_CALL Point find_free(Point top, Point size, i32 tries, Reject reject = {}) {
    const Point from{max(top.x, 0), max(top.y, 0)};
    const Point to{min(from.x + size.x, grid.width), min(from.y + size.y, grid.height)};
    for (i32 i = 0; i < tries; ++i) {
      const Point at = point(from, to);
      if (grid[at] == kNothing && !(at == agent.at) && !reject(at)) return at;
    }
    return kNowhere;
  }
  template <class Reject = Anywhere>
  ENVPOOL_FN Point place(Cell thing, Point top, Point size, i32 tries = kUnlimited, Reject reject = {}) {
    const Point at = find_free(top, size, tries, reject);
    if (at == kNowhere) {
      failed = true;
    } else {
      grid[at] = thing;
    }
    return at;
  }
  template <class Reject = Anywhere>
  ENVPOOL_FN Point place(Cell thing, Reject reject = {}) {
    return place(thing, {0, 0}, {grid.width, grid.height}, kUnlimited, reject);
  }

  ENVPOOL_DEVICE_CALL void place_agent(Point top, Point size, i32 tries = kUnlimited) {
    agent.at = kNowhere;
    const Point at = find_free(top, size, tries);
    failed = failed || at == kNowhere;
    agent.at = at;
    if (!failed) agent.direction = below(4);
  }
  ENVPOOL_DEVICE_CALL void place_agent() { place_agent({0, 0}, {grid.width, grid.height}); }
};

}  // namespace envpool::minigrid
