// SPDX-License-Identifier: Apache-2.0
//
// Draws polygons on a canvas of 1000 x 800 pixels and scales it down, with the same bits as pygame. Polygons with
// smooth outlines are drawn like pygame.gfxdraw's (with Wu's line algorithm), and filled polygons like pygame.draw's.
// The canvas is scaled as pygame.transform.smoothscale does it. It is drawn in bands of a few rows, because the whole
// canvas would fit neither into a processor's cache nor into the memory of a GPU's thread. Row 0 is at the top of the
// image.
#pragma once

#include "envpool/core/api.h"

namespace envpool::box2d {

inline constexpr i32 kCanvasWidth = 1000, kCanvasHeight = 800;

using Pixel = u32;  // red in the lowest byte, then green, then blue
ENVPOOL_ALWAYS_INLINE constexpr Pixel rgb(u32 red, u32 green, u32 blue) { return red | green << 8 | blue << 16; }

// A point of the canvas, or near it.
struct Dot {
  i32 x, y;
};

// Cuts off the fraction. The limits matter only for a state of arbitrary bytes, because other points are nearer.
ENVPOOL_ALWAYS_INLINE i32 whole(f64 x) {
  keep_within(x, -32767.0, 32767.0);
  return i32(x);
}
ENVPOOL_ALWAYS_INLINE Dot whole(f64 x, f64 y) { return {whole(x), whole(y)}; }

// Divides the columns of the canvas into cells, one for each of the kWidth columns of an image. `kSpace` is the width
// of a cell in 1/kOne of a pixel, as pygame.transform.smoothscale computes it. A pixel that lies in two cells belongs
// to the left one.
template <i32 kWidth>
struct Cells {
  static constexpr i32 kOne = 0x4000, kSpace = kOne * kCanvasWidth / kWidth;
  ENVPOOL_ALWAYS_INLINE static i32 of(i32 x) { return i32(u32(x * kOne) / u32(kSpace)); }
  ENVPOOL_ALWAYS_INLINE static i32 begin(i32 cell) { return (cell * kSpace + kOne - 1) / kOne; }
  ENVPOOL_ALWAYS_INLINE static i32 end(i32 cell) { return begin(cell + 1); }
};

// A row of the canvas. It is divided into one cell for each column of the image, because most cells have a single
// colour: then only the cell is stored, and not its pixels.
template <i32 kWidth>
struct CanvasRow {
  static constexpr Pixel kMixed = ~Pixel{0};  // the pixels of this cell have several colours, or may have
  Pixel cell[kWidth], pixel[kCanvasWidth];

  ENVPOOL_FN void clear() {
    for (i32 i = 0; i < kWidth; ++i) cell[i] = 0;
  }
  ENVPOOL_FN Pixel at(i32 x) const {
    const Pixel color = cell[Cells<kWidth>::of(x)];
    return color == kMixed ? pixel[x] : color;
  }
  // Colours a pixel.
  ENVPOOL_ALWAYS_INLINE void set(i32 x, Pixel color) {
    const i32 i = Cells<kWidth>::of(x);
    if (cell[i] == color) return;
    divide(i);
    pixel[x] = color;
  }
  // Colours the pixels from `begin` to `end` - 1.
  ENVPOOL_FN void fill(i32 begin, i32 end, Pixel color) {
    if (begin >= end) return;
    i32 first = Cells<kWidth>::of(begin);
    const i32 last = Cells<kWidth>::of(end - 1);
    const bool whole_first = begin == Cells<kWidth>::begin(first), whole_last = end == Cells<kWidth>::end(last);
    if (first == last) {
      if (whole_first && whole_last) {
        cell[first] = color;
      } else {
        fill_part(first, begin, end, color);
      }
      return;
    }
    if (!whole_first) {
      fill_part(first, begin, Cells<kWidth>::end(first), color);
      ++first;
    }
    const i32 whole_end = last + whole_last;
    for (i32 i = first; i < whole_end; ++i) cell[i] = color;
    if (!whole_last) fill_part(last, Cells<kWidth>::begin(last), end, color);
  }

 private:
  // Stores the pixels of a cell.
  ENVPOOL_ALWAYS_INLINE void divide(i32 i) {
    if (cell[i] == kMixed) return;
    for (i32 x = Cells<kWidth>::begin(i); x < Cells<kWidth>::end(i); ++x) pixel[x] = cell[i];
    cell[i] = kMixed;
  }
  ENVPOOL_FN void fill_part(i32 i, i32 begin, i32 end, Pixel color) {
    if (cell[i] == color) return;
    divide(i);
    for (i32 x = begin; x < end; ++x) pixel[x] = color;
  }
};

// Some rows of the canvas, from row `top` on, for an image of kWidth columns. They are black at first.
template <i32 kRows, i32 kWidth>
class Band {
 public:
  explicit ENVPOOL_FN Band(i32 top) : top_(top) {
    for (CanvasRow<kWidth>& row : row_) row.clear();
  }

  ENVPOOL_FN i32 first() const { return top_; }
  ENVPOOL_FN i32 last() const { return top_ + kRows - 1; }
  ENVPOOL_FN const CanvasRow<kWidth>& row(i32 y) const { return row_[y - top_]; }

  // Colours the pixels from x1 to x2, in either order.
  ENVPOOL_FN void fill(i32 x1, i32 x2, i32 y, Pixel color) {
    if (y < first() || y > last()) return;
    const i32 low = x1 < x2 ? x1 : x2, high = x1 < x2 ? x2 : x1;
    row_[y - top_].fill(low > 0 ? low : 0, high < kCanvasWidth ? high + 1 : kCanvasWidth, color);
  }
  ENVPOOL_FN void box(i32 x1, i32 y1, i32 x2, i32 y2, Pixel color) {
    for (i32 y = first(); y <= last(); ++y) {
      if ((y1 <= y && y <= y2) || (y2 <= y && y <= y1)) fill(x1, x2, y, color);
    }
  }

  // Draws a polygon with a smooth outline.
  ENVPOOL_DEVICE_CALL void smooth_polygon(const Dot (&corner)[4], Pixel color) {
    for (i32 i = 0; i < 4; ++i) line(corner[i], corner[(i + 1) & 3], color);
    i32 lowest = corner[0].y, highest = corner[0].y;
    for (const Dot& at : corner) {
      lowest = at.y < lowest ? at.y : lowest;
      highest = at.y > highest ? at.y : highest;
    }
    for (i32 y = greater(lowest, first()); y <= lesser(highest, last()); ++y) {
      i32 crossing[4], count = 0;
      for (i32 i = 0; i < 4; ++i) {
        const bool down = corner[(i + 3) & 3].y < corner[i].y;
        const Dot &from = corner[down ? (i + 3) & 3 : i], &to = corner[down ? i : (i + 3) & 3];
        if (from.y == to.y || y < from.y || y > to.y || (y == to.y && y != highest)) continue;
        const u32 part = 65536u * u32(y - from.y) / u32(to.y - from.y);
        insert(crossing, count, i32(i64{part} * (to.x - from.x) + 65536ll * from.x));
      }
      for (i32 i = 0; i + 1 < count; i += 2) {
        const i32 left = crossing[i] + 1, right = crossing[i + 1] - 1;
        fill((left >> 16) + (left >> 15 & 1), (right >> 16) + (right >> 15 & 1), y, color);
      }
    }
  }

  // Fills a convex polygon, including its outline.
  template <i32 kCorners>
  ENVPOOL_DEVICE_CALL void polygon(const Dot (&corner)[kCorners], i32 count, Pixel color) {
    i32 lowest = corner[0].y, highest = corner[0].y;
    for (i32 i = 1; i < count; ++i) {
      lowest = lesser(corner[i].y, lowest);
      highest = greater(corner[i].y, highest);
    }
    if (lowest > last() || highest < first()) return;
    if (lowest == highest) {
      for (i32 i = 1; i < count; ++i) fill(corner[i - 1].x, corner[i].x, lowest, color);
      return;
    }
    for (i32 y = greater(lowest, first()); y <= lesser(highest, last()); ++y) {
      i32 crossing[kCorners], crossings = 0;
      for (i32 i = 0; i < count; ++i) {
        const Dot &here = corner[i], &other = corner[i > 0 ? i - 1 : count - 1];
        const Dot &from = other.y < here.y ? other : here, &to = other.y < here.y ? here : other;
        if (from.y == to.y) {
          if (lowest < y && y < highest && y == here.y) fill(other.x, here.x, y, color);
          continue;
        }
        if (y < from.y || y > to.y || (y == to.y && y != highest)) continue;
        const f32 along = f32(i32(i64{y - from.y} * (to.x - from.x))) / f32(to.y - from.y);
        insert(crossing, crossings, i32((crossings & 1) == 0 ? floor(along) : ceil(along)) + from.x);
      }
      for (i32 i = 0; i + 1 < crossings; i += 2) fill(crossing[i], crossing[i + 1], y, color);
    }
  }

 private:
  i32 top_;
  CanvasRow<kWidth> row_[kRows];

  ENVPOOL_FN static i32 lesser(i32 a, i32 b) { return a < b ? a : b; }
  ENVPOOL_FN static i32 greater(i32 a, i32 b) { return a > b ? a : b; }
  // Inserts a value into sorted values.
  ENVPOOL_FN static void insert(i32* values, i32& count, i32 value) {
    i32 i = count++;
    for (; i > 0 && values[i - 1] > value; --i) values[i] = values[i - 1];
    values[i] = value;
  }

  // Mixes a colour into a pixel. The share of the new colour is `weight` / 256.
  ENVPOOL_ALWAYS_INLINE void mix(i32 x, i32 y, Pixel color, i32 weight) {
    if (y < first() || y > last() || x < 0 || x >= kCanvasWidth) return;
    CanvasRow<kWidth>& row = row_[y - top_];
    const Pixel pixel = row.at(x);
    if (pixel == color) return;
    Pixel mixed = 0;
    for (i32 shift = 0; shift < 24; shift += 8) {
      const i32 old = i32(pixel >> shift & 255), change = i32(color >> shift & 255) - old;
      mixed |= Pixel(old + ((change * weight) >> 8)) << shift;
    }
    row.set(x, mixed);
  }

  // Cuts off the parts of a line outside of the canvas. Returns whether a part remains. May swap the ends.
  ENVPOOL_FN static bool clip(Dot& a, Dot& b) {
    constexpr i32 right = kCanvasWidth - 1, bottom = kCanvasHeight - 1;
    const auto outside = [](const Dot& p) {
      return (p.x < 0 ? 1 : p.x > right ? 2 : 0) | (p.y > bottom ? 4 : p.y < 0 ? 8 : 0);
    };
    for (i32 round = 0; round < 16; ++round) {
      i32 code_a = outside(a), code_b = outside(b);
      if ((code_a | code_b) == 0) return true;
      if ((code_a & code_b) != 0) return false;
      if (code_a == 0) {
        const Dot kept = a;
        a = b;
        b = kept;
        code_a = code_b;
      }
      const f32 slope = a.x != b.x ? f32(b.y - a.y) / f32(b.x - a.x) : 1;
      if ((code_a & 3) != 0) {
        const i32 edge = (code_a & 1) != 0 ? 0 : right;
        a.y += whole(f64(f32(edge - a.x) * slope));
        a.x = edge;
      } else {
        const i32 edge = (code_a & 4) != 0 ? bottom : 0;
        if (a.x != b.x) a.x += whole(f64(f32(edge - a.y) / slope));
        a.y = edge;
      }
    }
    return false;
  }

  // Draws a line without its last pixel. At each step along the longer axis, the two nearest pixels share the colour.
  ENVPOOL_DEVICE_CALL void line(Dot a, Dot b, Pixel color) {
    if (!clip(a, b)) return;
    const Dot from = a.y > b.y ? b : a, to = a.y > b.y ? a : b;
    if (from.y > last() || to.y < first()) return;
    const i32 dy = to.y - from.y;
    if (from.x == to.x) {
      for (i32 y = greater(from.y, first()); y <= lesser(to.y, last()); ++y) fill(from.x, from.x, y, color);
      return;
    }
    if (dy == 0) return fill(from.x, to.x, from.y, color);
    fill(a.x, a.x, a.y, color);
    const i32 direction = to.x > from.x ? 1 : -1, dx = direction * (to.x - from.x);
    constexpr u64 one = u64{1} << 32;
    if (dy > dx) {
      const u64 slope = u64((dx << 16) / dy) << 16;
      for (i32 y = greater(from.y + 1, first()); y <= lesser(to.y - 1, last()); ++y) {
        const u64 way = u64(y - from.y) * slope;
        const i32 x = from.x + direction * i32(way >> 32), share = i32(way >> 24 & 255);
        mix(x, y, color, (255 * (255 - share)) >> 8);
        mix(x + direction, y, color, (255 * share) >> 8);
      }
      return;
    }
    const u64 slope = u64((dy << 16) / dx) << 16;
    // The columns where the line is in the band, or in the row above it.
    const i32 above = greater(first() - 1 - from.y, 0), below = last() + 1 - from.y;
    const i32 begin = greater(i32((u64(above) * one + slope - 1) / slope), 1);
    const i32 end = lesser(i32((u64(below) * one + slope - 1) / slope), dx);
    for (i32 i = begin; i < end; ++i) {
      const u64 way = u64(i) * slope;
      const i32 x = from.x + direction * i, y = from.y + i32(way >> 32), share = i32(way >> 24 & 255);
      mix(x, y, color, (255 * (255 - share)) >> 8);
      mix(x, y + 1, color, (255 * share) >> 8);
    }
  }
};

// Shrinks the canvas to kWidth x kHeight pixels by averaging, first along rows, then along columns, with the 16-bit
// arithmetic of pygame's SSE2 and NEON code. Rows are given from the top to the bottom.
template <i32 kWidth, i32 kHeight>
class Shrinker {
 public:
  ENVPOOL_FN Shrinker() {
    for (u16& sum : sum_) sum = 0;
    for (u8& channel : narrow_) channel = 0;
    for (Pixel& color : above_) color = CanvasRow<kWidth>::kMixed;
  }

  ENVPOOL_FN void add(const CanvasRow<kWidth>& row, u8* image) {
    shrink_row(row);
    if (left_ > kOne) {
      for (i32 i = 0; i < kWidth * 3; ++i) sum_[i] = u16(sum_[i] + narrow_[i]);
      left_ -= kOne;
      return;
    }
    u8* const out = image + i64{done_++} * kWidth * 3;
    for (i32 i = 0; i < kWidth * 3; ++i) {
      const u32 value = u32{narrow_[i]} << 2;
      out[i] = u8(((sum_[i] + (value * u32(left_) >> 16)) * (kPart / kSpaceY)) >> 16);
      sum_[i] = u16(value * u32(kOne - left_) >> 16);
    }
    left_ += kSpaceY - kOne;
  }

 private:
  static constexpr i32 kOne = Cells<kWidth>::kOne, kSpaceX = Cells<kWidth>::kSpace;
  static constexpr i32 kSpaceY = kOne * kCanvasHeight / kHeight;
  static constexpr u32 kPart = 0x40000000;
  u16 sum_[kWidth * 3];
  i32 left_ = kSpaceY, done_ = 0;
  u8 narrow_[kWidth * 3];  // the last row after it was shrunk
  Pixel above_[kWidth];    // the cells of the last row

  // Red and blue, or green alone, each in 32 bits, so that they are computed together.
  ENVPOOL_ALWAYS_INLINE static u64 red_blue(Pixel pixel) { return (pixel & 255) | u64{pixel >> 16 & 255} << 32; }
  ENVPOOL_ALWAYS_INLINE static u64 green(Pixel pixel) { return pixel >> 8 & 255; }
  ENVPOOL_ALWAYS_INLINE static u64 upper_halves(u64 numbers) { return numbers >> 16 & 0x0000FFFF0000FFFF; }

  // A shrunk pixel depends on its cell and on the last pixel of the previous cell. It equals the shrunk pixel above
  // it if both cells have a single colour, which is the same in the row above.
  ENVPOOL_FN void shrink_row(const CanvasRow<kWidth>& row) {
    constexpr i32 group = 8;
    static_assert(kWidth % group == 0);
    u32 changed[kWidth + 1];
    changed[0] = 0;
    for (i32 i = 0; i < kWidth; ++i) {  // compilers vectorize these two loops
      const Pixel color = row.cell[i];
      changed[i + 1] = (color ^ above_[i]) | u32(color == CanvasRow<kWidth>::kMixed);
      above_[i] = color;
    }
    for (i32 first = 0; first < kWidth; first += group) {
      u32 any = changed[first];
      for (i32 i = 0; i < group; ++i) any |= changed[first + i + 1];
      if (any == 0) continue;
      for (i32 i = first; i < first + group; ++i) {
        if ((changed[i] | changed[i + 1]) != 0) shrink_cell(row, i);
      }
    }
  }

  ENVPOOL_FN void shrink_cell(const CanvasRow<kWidth>& row, i32 i) {
    constexpr u64 part = kPart / kSpaceX;
    const i32 begin = Cells<kWidth>::begin(i), last = Cells<kWidth>::end(i) - 1;
    const Pixel color = row.cell[i], last_color = color == CanvasRow<kWidth>::kMixed ? row.pixel[last] : color;
    u64 sum_red_blue = 0, sum_green = 0;
    if (i > 0) {  // this cell's part of the pixel that it shares with the previous cell
      const Pixel shared = row.at(begin - 1);
      const u64 rest = u64(kOne - (i * kSpaceX - (begin - 1) * kOne));
      sum_red_blue = upper_halves((red_blue(shared) << 2) * rest);
      sum_green = upper_halves((green(shared) << 2) * rest);
    }
    if (color == CanvasRow<kWidth>::kMixed) {
      for (i32 x = begin; x < last; ++x) {
        sum_red_blue += red_blue(row.pixel[x]);
        sum_green += green(row.pixel[x]);
      }
    } else {
      sum_red_blue += u64(last - begin) * red_blue(color);
      sum_green += u64(last - begin) * green(color);
    }
    const u64 left = u64((i + 1) * kSpaceX - last * kOne);
    sum_red_blue = upper_halves((sum_red_blue + upper_halves((red_blue(last_color) << 2) * left)) * part);
    sum_green = upper_halves((sum_green + upper_halves((green(last_color) << 2) * left)) * part);
    narrow_[3 * i] = u8(sum_red_blue);
    narrow_[3 * i + 1] = u8(sum_green);
    narrow_[3 * i + 2] = u8(sum_red_blue >> 32);
  }
};

}  // namespace envpool::box2d
