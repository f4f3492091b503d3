// SPDX-License-Identifier: Apache-2.0
//
// Composes RGB images of tiles, which are drawn in advance (draw.h). There is a tile for each combination of the look
// of a cell, the agent's direction or its absence, and whether the agent's view lights the cell.
#pragma once

#include "envpool/minigrid/view.h"

namespace envpool::minigrid {

// Each type up to kLava has a look in each colour. Closed and locked doors follow, with a look in each colour.
inline constexpr i32 kLooks = (kLava + 3) * kColors, kTiles = kLooks * 5 * 2;

// Returns the number of a cell's look, for any cell.
ENVPOOL_FN constexpr i32 look_of(Cell cell) {
  i32 shape = type_of(cell) <= kLava ? i32(type_of(cell)) : i32(kEmpty);
  if (shape == kDoor && state_of(cell) != kOpen) shape = kLava + (state_of(cell) == kLocked ? 2 : 1);
  return shape * kColors + i32(color_of(cell) % kColors);
}
// Returns the number of a tile. If the agent is not in the cell, agent_direction is -1.
ENVPOOL_FN constexpr i32 tile_number(Cell cell, i32 agent_direction, bool lit) {
  return (look_of(cell) * 5 + agent_direction + 1) * 2 + i32(lit);
}

// All tiles, `size` rows of `size` pixels each.
struct Tiles {
  const u8* pixels;
  i32 size;

  ENVPOOL_FN i64 bytes() const { return i64{3} * size * size; }
  ENVPOOL_FN const u8* get(Cell cell, i32 agent_direction, bool lit) const {
    return pixels + tile_number(cell, agent_direction, lit) * bytes();
  }
};

ENVPOOL_FN void copy_pixels(u8* to, const u8* from, i32 bytes) {
#if defined(__GNUC__) && !defined(__CUDACC__)
  __builtin_memcpy(to, from, u64(bytes));
#else
  // If the size of a tile is a multiple of 4, every row of every tile begins at a multiple of 4 bytes.
  if (bytes % 4 == 0) {
    for (i32 i = 0; i < bytes / 4; ++i) reinterpret_cast<u32*>(to)[i] = reinterpret_cast<const u32*>(from)[i];
  } else {
    for (i32 i = 0; i < bytes; ++i) to[i] = from[i];
  }
#endif
}

// Copies a tile to a cell of an image that is `columns` cells wide.
ENVPOOL_FN void put_tile(u8* rgb, i32 columns, Point at, const u8* tile, i32 size) {
  const i32 row_bytes = 3 * size;
  u8* to = rgb + (i64{at.y} * size * columns + at.x) * row_bytes;
  for (i32 row = 0; row < size; ++row, to += i64{columns} * row_bytes, tile += row_bytes) {
    copy_pixels(to, tile, row_bytes);
  }
}

struct Shown {
  i32 view;
  bool through_walls, highlight;
  Point hidden;  // a cell that is drawn as empty, or kNowhere
};

// Returns where a cell of the grid is in a view of `size` rows: its column and row in the view.
ENVPOOL_FN Point place_in_view(Point at, Viewer viewer, i32 size) {
  const Point ahead = step_in(viewer.direction), right{-ahead.y, ahead.x}, away = at - viewer.at;
  return {size / 2 + away.x * right.x + away.y * right.y, size - 1 - (away.x * ahead.x + away.y * ahead.y)};
}

// Composes the image of the whole grid.
template <class AnyTiles>
ENVPOOL_NOINLINE void compose_grid(u8* rgb, ConstGrid grid, Viewer viewer, const Shown& shown, AnyTiles& tiles) {
  View view;
  look<0>(view, grid, viewer, shown.view, shown.through_walls);
  for (i32 y = 0; y < grid.height; ++y) {
    for (i32 x = 0; x < grid.width; ++x) {
      const Point at{x, y}, seen_at = place_in_view(at, viewer, shown.view);
      const bool in_view = u32(seen_at.x) < u32(shown.view) && u32(seen_at.y) < u32(shown.view);
      const bool lit = shown.highlight && in_view && (view.visible[seen_at.y] >> seen_at.x & 1) != 0;
      const Cell cell = at == shown.hidden ? kNothing : grid[at];
      put_tile(rgb, grid.width, at, tiles.get(cell, at == viewer.at ? viewer.direction : -1, lit), tiles.size);
    }
  }
}

// Composes the image of the cells in view. Cells that the agent sees are lit.
ENVPOOL_NOINLINE void compose_view(u8* rgb, ConstGrid grid, Viewer viewer, Cell carried, const Shown& shown,
                                   const Tiles& tiles) {
  const i32 size = shown.view;
  View view;
  look<0>(view, grid, viewer, size, shown.through_walls);
  const Point agent{size / 2, size - 1}, hidden = place_in_view(shown.hidden, viewer, size);
  for (i32 y = 0; y < size; ++y) {
    for (i32 x = 0; x < size; ++x) {
      const Point at{x, y};
      const bool seen = (view.visible[y] >> x & 1) != 0, is_agent = at == agent;
      Cell cell = is_agent && carried != kCarriesNothing ? carried : kNothing;
      if (seen && !is_agent && !(at == hidden)) cell = view.cells[y * size + x];
      put_tile(rgb, size, at, tiles.get(cell, is_agent ? 3 : -1, seen), tiles.size);
    }
  }
}

}  // namespace envpool::minigrid
