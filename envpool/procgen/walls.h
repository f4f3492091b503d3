// SPDX-License-Identifier: Apache-2.0
//
// Draws the same image in many cells, or several times beside itself.
#pragma once

#include "envpool/procgen/game.h"

namespace envpool::procgen {

// A range of cells, both ends included.
struct CellRange {
  i32 left, right, bottom, top;
};

// Returns the cells that a view around a centre may show, where `margin` cells are visible on each side.
ENVPOOL_FN CellRange cells_around(f32 x, f32 y, f32 margin) {
  return {i32(x - margin), i32(x + margin), i32(y - margin), i32(y + margin)};
}

// Draws an image, or a colour instead, in each cell (x, y) for which is_shown(x, y).
template <i32 kMostCells, i32 kPixels, class IsShown>
ENVPOOL_FN void draw_walls(Canvas<kPixels>& canvas, const GameParams& p, const View& view, i32 picture, u32 color,
                           CellRange cells, IsShown&& is_shown) {
  const Art& art = art_of(p);
  const Image& image = art.image[picture];
  const auto cell = [&](i32 x, i32 y) { return view.rect(f32(x), f32(y + 1), 1, 1, kCellMargin); };
  const auto column = [&](i32 x) { return Extent{cell(x, 0).x, cell(x, 0).width}; };
  const auto row = [&](i32 y) { return Extent{cell(0, y).y, cell(0, y).height}; };
  const CellSpans<kMostCells, kPixels> across(image.width, cells.left, cells.right, column);
  const CellSpans<kMostCells, kPixels> down(image.height, cells.bottom, cells.top, row);
  for (i32 x = cells.left; x <= cells.right; ++x) {
    for (i32 y = cells.bottom; y <= cells.top; ++y) {
      if (!is_shown(x, y)) continue;
      if (p.use_monochrome_assets) {
        canvas.fill(cell(x, y), color);
      } else {
        canvas.draw_cell(art, image, across, x, down, y);
      }
    }
  }
}

// Fills a rectangle with copies of an image beside each other, each `shape` times as wide as high, or a little wider.
template <i32 kPixels>
ENVPOOL_FN void draw_row_of_tiles(Canvas<kPixels>& canvas, const Art& art, const Image& image, Rect r, f32 shape) {
  constexpr f64 kMost = 1000;  // more than any valid state has
  const i32 count = max(i32(min(r.width / (r.height * shape), kMost)), 1);
  const f32 width = f32(r.width / count), height = f32(r.height);
  for (i32 i = 0; i < count; ++i) canvas.draw(art, image, {r.x + width * f32(i), r.y, width, height});
}

}  // namespace envpool::procgen
