// SPDX-License-Identifier: Apache-2.0
//
// The mazes of Jumanji's Maze and Cleaner, made by recursive division: a chamber is divided by a wall with one opening,
// and so are both parts, until a part has a single row or column.
#pragma once

#include "envpool/core/math/block_rng.h"
#include "envpool/core/types.h"
#include "envpool/jumanji/moves.h"

namespace envpool::jumanji {

inline constexpr i32 kMostMazeSide = 32;

// The chambers that are still to be divided. Where one waits beside the next one, a side of their chamber has lost
// three rows or columns at least, so no more than this many wait.
struct Chambers {
  static constexpr i32 kMost = 2 * kMostMazeSide / 3 + 1;
  struct Chamber {
    u8 x, y, width, height;
  };
  Chamber waiting[kMost];
  i32 count;

  ENVPOOL_FN void add(i32 x, i32 y, i32 width, i32 height) {
    if (width < 2 || height < 2) return;
    waiting[count++] = {static_cast<u8>(x), static_cast<u8>(y), static_cast<u8>(width), static_cast<u8>(height)};
  }
};

// Draws the walls of a maze: `wall` for a wall and 0 for a free cell, a row after the other. Returns the number of free
// cells. Walls have odd numbers of rows and columns within their chamber, and openings even ones.
ENVPOOL_FN i32 make_maze(u8* cells, i32 rows, i32 columns, u8 wall, BlockRng& draws) {
  for (i32 i = 0; i < rows * columns; ++i) cells[i] = 0;
  i32 free = rows * columns;
  Chambers chambers;
  chambers.count = 0;
  chambers.add(0, 0, columns, rows);
  while (chambers.count > 0) {
    const Chambers::Chamber of = chambers.waiting[--chambers.count];
    const bool upright = of.width >= of.height;  // the wall
    const i32 across = upright ? of.width : of.height, length = upright ? of.height : of.width;
    const i32 at = 2 * i32(draws.below(u32(across / 2))) + 1, open = 2 * i32(draws.below(u32((length + 1) / 2)));
    u8* const first = cells + of.y * columns + of.x + (upright ? at : at * columns);
    for (i32 i = 0; i < length; ++i) first[upright ? i * columns : i] = i == open ? u8{0} : wall;
    free -= length - 1;
    if (upright) {
      chambers.add(of.x, of.y, at, of.height);
      chambers.add(of.x + at + 1, of.y, of.width - at - 1, of.height);
    } else {
      chambers.add(of.x, of.y, of.width, at);
      chambers.add(of.x, of.y + at + 1, of.width, of.height - at - 1);
    }
  }
  return free;
}

}  // namespace envpool::jumanji
