// SPDX-License-Identifier: Apache-2.0
//
// The square of cells in front of the agent, and which of them the agent sees. In a view the agent is in the middle of
// the last row and looks up.
//
// Light spreads upwards from the agent's cell. Within a row, it fills each run of transparent cells in which one cell
// is lit. From each filled cell, it also reaches the two neighbours in the row, and the three cells above these three.
#pragma once

#include "envpool/minigrid/grid.h"

namespace envpool::minigrid {

inline constexpr i32 kMaxView = 15;

struct Viewer {
  Point at;
  i32 direction;
};

// The cells of a view, row by row, and for each row a bit mask of the transparent columns and one of the visible
// columns.
struct View {
  Cell cells[kMaxView * kMaxView];
  u32 transparent[kMaxView], visible[kMaxView];
};

// Returns those runs of 1 bits in `transparent` that contain a bit of `lit`.
template <i32 kSize>
ENVPOOL_ALWAYS_INLINE u32 lit_runs(u32 lit, u32 transparent) {
  u32 up = lit & transparent, down = up, through_up = transparent, through_down = transparent;
  for (i32 distance = 1; distance < kSize; distance *= 2) {
    up |= through_up & up << distance;
    down |= through_down & down >> distance;
    through_up &= through_up << distance;
    through_down &= through_down >> distance;
  }
  return up | down;
}

// Fills in which cells of a view of `size` rows and columns are visible.
template <i32 kSize>
ENVPOOL_ALWAYS_INLINE void find_visible(View& view, i32 size) {
  const u32 all = (1u << size) - 1;
  u32 lit = 1u << size / 2;
  for (i32 row = size - 1; row >= 0; --row) {
    const u32 runs = lit_runs<kSize>(lit, view.transparent[row]), reached = (runs | runs << 1 | runs >> 1) & all;
    view.visible[row] = lit | reached;
    lit = reached;
  }
}

// Returns a bit mask for `count` coordinates, which start at `first` and continue in steps of 1 or -1. A bit is 1 if
// the coordinate is in 0..limit-1.
ENVPOOL_ALWAYS_INLINE u32 coordinates_within(i32 first, i32 step, i32 count, i32 limit) {
  u32 within = 0;
  for (i32 i = 0; i < count; ++i, first += step) within |= u32(u32(first) < u32(limit)) << i;
  return within;
}

// Reads the view from the grid. Cells outside the grid are walls. If kSize is not 0, `size` must equal it.
template <i32 kSize>
ENVPOOL_ALWAYS_INLINE void look(View& view, ConstGrid grid, Viewer viewer, i32 size, bool through_walls) {
  const i32 n = kSize != 0 ? kSize : size;
  const Point ahead = step_in(viewer.direction), right{-ahead.y, ahead.x};
  const Point first{viewer.at.x + ahead.x * (n - 1) - right.x * (n / 2),
                    viewer.at.y + ahead.y * (n - 1) - right.y * (n / 2)};
  // One coordinate of the grid changes only with the column of the view, and the other only with the row.
  const bool upright = ahead.x == 0;
  const u32 columns =
      coordinates_within(upright ? first.x : first.y, right.x + right.y, n, upright ? grid.width : grid.height);
  const u32 rows =
      coordinates_within(upright ? first.y : first.x, -(ahead.x + ahead.y), n, upright ? grid.height : grid.width);
  const i32 across = right.y * grid.width + right.x, down = -(ahead.y * grid.width + ahead.x);
  for (i32 row = 0; row < n; ++row) {
    const u32 within = (rows >> row & 1) != 0 ? columns : 0;
    i32 at = first.y * grid.width + first.x + row * down;
    u32 opaque = 0;
    for (i32 column = 0; column < n; ++column, at += across) {
      const bool is_within = (within >> column & 1) != 0;
      const Cell read = grid.cells[is_within ? at : 0], cell = is_within ? read : kTheWall;
      view.cells[row * n + column] = cell;
      opaque |= cell >> 31 << column;
    }
    view.transparent[row] = ~opaque & ((1u << n) - 1);
    view.visible[row] = (1u << n) - 1;
  }
  if (!through_walls) find_visible<kSize != 0 ? kSize : kMaxView>(view, n);
}

// Writes a cell's type, colour and state. It may write one byte more, which the next cell overwrites.
ENVPOOL_ALWAYS_INLINE void put(u8* to, Cell cell, bool is_last) {
#if defined(__GNUC__) && !defined(__CUDACC__)
  if (!is_last) {
    __builtin_memcpy(to, &cell, sizeof(cell));
    return;
  }
#else
  (void)is_last;  // a GPU cannot write a word to an unaligned address
#endif
  to[0] = u8(cell);
  to[1] = u8(cell >> 8);
  to[2] = u8(cell >> 16);
}

// Writes the image that the agent observes: `size` columns of `size` cells of three bytes. The agent's own cell shows
// what the agent carries.
template <i32 kSize>
ENVPOOL_DEVICE_CALL void observe_view(u8* image, ConstGrid grid, Viewer viewer, Cell carried, i32 size,
                                      bool through_walls) {
  const i32 n = kSize != 0 ? kSize : size;
  View view;
  look<kSize>(view, grid, viewer, size, through_walls);
  view.cells[(n - 1) * n + n / 2] = carried == kCarriesNothing ? kNothing : carried;
  for (i32 column = 0; column < n; ++column) {
    for (i32 row = 0; row < n; ++row, image += 3) {
      const bool is_last = column == n - 1 && row == n - 1;
      put(image, view.cells[row * n + column] & (0u - (view.visible[row] >> column & 1)), is_last);
    }
  }
}

// Writes the image of the whole grid, ordered by column and then by row. The agent is shown as an object, and the cell
// `hidden` as empty.
ENVPOOL_DEVICE_CALL void observe_grid(u8* image, ConstGrid grid, Viewer viewer, Point hidden) {
  for (i32 x = 0; x < grid.width; ++x) {
    for (i32 y = 0; y < grid.height; ++y, image += 3) {
      const Point at{x, y};
      const Cell agent = object(kAgent, kRed) | Cell(viewer.direction) << 16;
      put(image, at == viewer.at ? agent : at == hidden ? kNothing : grid[at], /*is_last=*/true);
    }
  }
}

// Writes the column, row and type of each cell, ordered by column and then by row. The type is -1 if the cell is empty,
// and kAgent if the agent is in it.
ENVPOOL_DEVICE_CALL void observe_symbols(i32* image, ConstGrid grid, Viewer viewer, Point hidden) {
  for (i32 x = 0; x < grid.width; ++x) {
    for (i32 y = 0; y < grid.height; ++y, image += 3) {
      const Point at{x, y};
      const bool is_empty = at == hidden || type_of(grid[at]) == kEmpty;
      image[0] = x;
      image[1] = y;
      image[2] = at == viewer.at ? i32(kAgent) : is_empty ? -1 : i32(type_of(grid[at]));
    }
  }
}

// Converts an image of types, colours and states to one-hot form. The image is at the end of the memory from `to` on;
// the result overwrites it and begins at `to`.
inline constexpr i32 kTypes = 11, kOneHot = kTypes + kColors + 3;
ENVPOOL_DEVICE_CALL void make_one_hot(u8* to, i32 cells) {
  const u8* from = to + cells * (kOneHot - 3);
  for (i32 i = 0; i < cells; ++i, from += 3, to += kOneHot) {
    const u8 type = from[0], color = from[1], state = from[2];
    for (i32 k = 0; k < kOneHot; ++k) {
      to[k] = k == type || k == kTypes + color || k == kTypes + kColors + state;
    }
  }
}

}  // namespace envpool::minigrid
