// SPDX-License-Identifier: Apache-2.0
//
// Draws the image of a board of square cells on the host, for the `render` of environments.
#pragma once

#include "envpool/core/canvas.h"
#include "envpool/core/table/spec.h"

namespace envpool::drawing {

// Row 0 is at the top. Rows and columns beyond the board are drawn at its edge, because a restored state may have any.
// If the board has more cells in a row or column than the image may have pixels, several cells share a pixel.
class Board {
 public:
  static constexpr i32 kMost = 512, kLargestCell = 64, kSmall = 16;  // pixels of the longer side, and of a cell

  static void set_size(Spec& s, i32 rows, i32 columns) {  // of the image, in `spec`
    s.render_height = pixels(rows, max(rows, columns));
    s.render_width = pixels(columns, max(rows, columns));
  }
  Board(u8* rgb, i32 rows, i32 columns, Color empty)
      : rgb_(rgb),
        rows_(rows),
        columns_(columns),
        height_(pixels(rows, max(rows, columns))),
        width_(pixels(columns, max(rows, columns))),
        canvas_(rgb, width_, height_) {
    if (side() < kSmall) {
      for (i32 i = 0; i < height_ * width_; ++i) set(i, empty);
      return;
    }
    for (i32 row = 0; row < rows; ++row) {
      for (i32 column = 0; column < columns; ++column) fill(row, column, empty);
    }
  }

  // Fills a cell. Unless cells are small, a white line remains between two of them.
  void fill(i32 row, i32 column, Color color) {
    row = clamp(row, 0, rows_ - 1), column = clamp(column, 0, columns_ - 1);
    const auto edge = [](i32 cell, i32 size, i32 cells) { return i32(i64{cell} * size / cells); };
    const i32 line = i32(side() >= kSmall), top = edge(row, height_, rows_), left = edge(column, width_, columns_);
    const i32 bottom = max(edge(row + 1, height_, rows_) - line, top + 1);
    const i32 right = max(edge(column + 1, width_, columns_) - line, left + 1);
    for (i32 y = top; y < bottom; ++y) {
      for (i32 x = left; x < right; ++x) set(y * width_ + x, color);
    }
  }
  // Draws a disc in a cell; the radius is a fraction of the cell's side.
  void disc(i32 row, i32 column, f64 radius, Color color) {
    const Point middle = at(clamp(row, 0, rows_ - 1) + 0.5, clamp(column, 0, columns_ - 1) + 0.5);
    canvas_.disc(middle.x, middle.y, max(radius * side(), 0.7), color);
  }
  // Returns a point of the canvas. The cell in row 0 and column 0 is the square from (0, 0) to (1, 1).
  Point at(f64 row, f64 column) const {
    return {column * width_ / columns_ - 0.5, height_ - 0.5 - row * height_ / rows_};
  }
  f64 side() const { return f64(width_) / columns_; }  // of a cell, in pixels
  Canvas& canvas() { return canvas_; }

 private:
  static i32 pixels(i32 cells, i32 longest) {
    return longest <= kMost ? cells * min(kMost / longest, kLargestCell) : max(i32(i64{cells} * kMost / longest), 1);
  }
  void set(i32 pixel, Color color) {
    rgb_[3 * pixel] = color.red, rgb_[3 * pixel + 1] = color.green, rgb_[3 * pixel + 2] = color.blue;
  }

  u8* rgb_;
  i32 rows_, columns_, height_, width_;
  Canvas canvas_;
};

}  // namespace envpool::drawing
