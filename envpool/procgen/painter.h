// SPDX-License-Identifier: Apache-2.0
//
// Draws scaled images as the reference does, whose images Qt 5.9 draws without smoothing. The rules were found by
// drawing and comparing; no pixel differs.
//
//   Place    an image covers the pixels between its edges, each rounded to the nearest pixel, upwards from the middle
//   Pixels   a pixel shows the pixel of the image below its middle. Positions in the image are in 1/65536 of a pixel:
//            the step from one pixel to the next is rounded down, and the first position is the last one before it.
//            If it is outside of the image, the next one is the first, and there is a pixel less; so for the last.
//   Turns    see turned.h
//   Blending colours are premultiplied with their alpha; x * alpha / 255 is rounded to the nearest
#pragma once

#include "envpool/procgen/art.h"
#include "envpool/procgen/turned.h"

namespace envpool::procgen {

// A rectangle in pixels.
struct Rect {
  f64 x, y, width, height;
};

struct Edges {
  f64 left, top, right, low;
};

struct Extent {
  f64 x, length;
};

inline constexpr u32 kBlack = 0xFF000000u;

// Where the pixels of an image are drawn on one axis.
struct Span {
  i32 first, count;  // pixels that are drawn
  i32 last;          // the last pixel of the image
  i64 at, step;      // in 1/65536 of a pixel of the image

  // Returns the pixel of the image that the i-th pixel of the span shows.
  ENVPOOL_FN i32 source(i32 i) const { return i32(clamp<i64>((at + i * step) >> 16, 0, last)); }
};

ENVPOOL_FN i32 nearest_pixel(f64 x) { return i32(floor(x + 0.5)); }

// Returns the span of an image of `size` pixels that is drawn from `begin` to `end` on a canvas of `pixels` pixels. If
// the end is before the beginning, the image is reflected. A device compiler does not inline this, because two
// divisions by the same number would share operations, which the test of fused multiply-adds counts.
ENVPOOL_DEVICE_CALL Span span_between(i32 size, f64 begin, f64 end, i32 pixels) {
  constexpr f64 kFar = 1e6, kNarrow = 1e-3;  // beyond what any valid state draws
  const f64 width = end - begin;
  if (!(fabs(begin) < kFar && fabs(width) > kNarrow && fabs(width) < kFar)) return {};
  const bool reflected = width < 0;
  end = begin + width;  // as the reference rounds it
  const i32 first = max(nearest_pixel(reflected ? end : begin), 0);
  const i32 past = min(nearest_pixel(reflected ? begin : end), pixels);
  if (past <= first) return {};
  const i64 step = i64(65536.0 / (width / size));
  const f64 before = (first + 0.5 - (reflected ? end : begin)) * f64(step);
  i64 at = reflected ? (i64{size} << 16) + i64(floor(before)) + 1 : i64(ceil(before)) - 1;
  i32 count = past - first;
  const auto is_outside = [size](i64 position) { return position < 0 || position >> 16 >= size; };
  if (is_outside(at)) {
    at += step;
    --count;
  }
  if (is_outside(at + (count - 1) * step)) --count;
  return {first, max(count, 0), size - 1, at, step};
}
ENVPOOL_FN Span span_of(i32 size, f64 x, f64 width, i32 pixels) { return span_between(size, x, x + width, pixels); }

// The pixels that are drawn. A CPU collects them as Image has them, and converts them into the observation at the end;
// a GPU, whose threads have little memory of their own, writes the observation.
class Pixels {
 public:
#ifdef __CUDACC__
  ENVPOOL_FN Pixels(u8* rgb, i32 side, bool channel_first)
      : rgb_(rgb), side_(side), next_pixel_(channel_first ? 1 : 3), next_channel_(channel_first ? side * side : 1) {}

  ENVPOOL_FN void set(i32 x, i32 y, u32 color) {
    u8* const p = rgb_ + (y * side_ + x) * next_pixel_;
    for (i32 i = 0; i < 3; ++i) p[i * next_channel_] = u8(color >> (16 - 8 * i));
  }
  ENVPOOL_FN u32 get(i32 x, i32 y) const {
    const u8* const p = rgb_ + (y * side_ + x) * next_pixel_;
    return u32{p[0]} << 16 | u32{p[next_channel_]} << 8 | p[2 * next_channel_];
  }

 private:
  u8* rgb_;
  i32 side_, next_pixel_, next_channel_;
#else
  Pixels(u32* pixels, i32 side) : pixels_(pixels), side_(side) {}

  void set(i32 x, i32 y, u32 color) { pixels_[y * side_ + x] = color; }
  u32 get(i32 x, i32 y) const { return pixels_[y * side_ + x]; }

 private:
  u32* pixels_;
  i32 side_;
#endif
};

// How images of `size` pixels are drawn in cells that follow each other on an axis: which pixels of the image each
// shows.
template <i32 kMostCells, i32 kPixels>
class CellSpans {
 public:
  // `place(i)` returns the beginning and the length of cell i, from `low` to `high`.
  template <class Place>
  ENVPOOL_FN CellSpans(i32 size, i32 low, i32 high, Place&& place) : low_(low) {
    i32 used = 0;
    for (i32 i = low; i <= high; ++i) {
      const auto [x, length] = place(i);
      const Span span = span_of(size, x, length, kPixels);
      const i32 cell = i - low;
      first_[cell] = i16(span.first);
      begin_[cell] = i16(used);
      for (i32 k = 0; k < span.count && used < kMost; ++k) source_[used++] = u16(span.source(k));
      count_[cell] = i16(used - begin_[cell]);
    }
  }

  ENVPOOL_FN i32 first(i32 i) const { return first_[i - low_]; }
  ENVPOOL_FN i32 count(i32 i) const { return count_[i - low_]; }
  ENVPOOL_FN const u16* source(i32 i) const { return source_ + begin_[i - low_]; }

 private:
  static constexpr i32 kMost = kPixels + kPixels / 16 + kMostCells;  // pixels, of which cells share some
  i32 low_;
  i16 first_[kMostCells], begin_[kMostCells], count_[kMostCells];
  u16 source_[kMost];
};

// What is drawn on: `kPixels` by `kPixels` pixels.
template <i32 kPixels>
class Canvas {
 public:
  ENVPOOL_FN explicit Canvas(Pixels pixels) : pixels_(pixels) {}

  ENVPOOL_FN void fill(Rect r, u32 color) {
    const Span across = span_of(1, r.x, r.width, kPixels), down = span_of(1, r.y, r.height, kPixels);
    for (i32 i = 0; i < down.count; ++i) {
      for (i32 k = 0; k < across.count; ++k) pixels_.set(across.first + k, down.first + i, color);
    }
  }

  // Begins with an image behind everything that is drawn later, and black beside it. A CPU reads only those of its
  // pixels that remain visible, in finish() at the latest: images are large, and most of their pixels are not in the
  // cache.
  ENVPOOL_FN void begin(const Art& art, const Image& image, Rect r) {
#ifdef __CUDACC__
    fill({0, 0, kPixels, kPixels}, kBlack);
    draw(art, image, r);
#else
    const Span across = span_of(image.width, r.x, r.width, kPixels);
    const Span down = span_of(image.height, r.y, r.height, kPixels);
    for (i32 k = 0; k < kPixels; ++k) {
      behind_column_[k] = u32(k - across.first) < u32(across.count) ? u16(across.source(k - across.first)) : u16(0);
    }
    for (i32 i = 0; i < kPixels; ++i) {
      const bool has_image = u32(i - down.first) < u32(down.count);
      if (has_image) behind_row_[i] = art.row(image, down.source(i - down.first));
      const i32 first = has_image ? across.first : 0, end = has_image ? first + across.count : 0;
      for (i32 k = 0; k < first; ++k) pixels_.set(k, i, kBlack);
      for (i32 k = first; k < end; ++k) pixels_.set(k, i, kBehind);
      for (i32 k = end; k < kPixels; ++k) pixels_.set(k, i, kBlack);
    }
    has_image_behind_ = true;
#endif
  }
  ENVPOOL_FN void finish() {
#ifndef __CUDACC__
    if (!has_image_behind_) return;
    constexpr i32 kGroup = 8;  // pixels of which all are read if one is visible, so that no branch depends on a pixel
    for (i32 y = 0; y < kPixels; ++y) {
      const ImageRow row = behind_row_[y];
      for (i32 x = 0; x < kPixels; x += kGroup) {
        i32 count = 0;
        for (i32 k = 0; k < kGroup; ++k) count += pixels_.get(x + k, y) == kBehind;
        for (i32 k = 0; k < kGroup && count > 0; ++k) {
          const u32 color = pixels_.get(x + k, y), is_visible = color == kBehind;
          pixels_.set(x + k, y, color | ((0 - is_visible) & row[behind_column_[x + k]]));
        }
      }
    }
#endif
  }

  // Draws a premultiplied colour over a pixel, if there is one.
  ENVPOOL_FN void draw_pixel(i32 x, i32 y, u32 color) {
    if (u32(x) < u32(kPixels) && u32(y) < u32(kPixels)) put(x, y, color);
  }

  // Draws an image. If it is reflected, left and right are exchanged. The opacity is from 0 to 1.
  ENVPOOL_FN void draw(const Art& art, const Image& image, Rect r, bool reflected = false, f32 opacity = 1) {
    draw_between(art, image, {r.x, r.y, r.x + r.width, r.y + r.height}, reflected, opacity);
  }

  // Draws an image between edges. If the right edge is left of the left one, left and right are exchanged; so are above
  // and below.
  ENVPOOL_DEVICE_CALL void draw_between(const Art& art, const Image& image, Edges edges, bool reflected, f32 opacity) {
    const Span across = span_between(image.width, edges.left, edges.right, kPixels);
    const Span down = span_between(image.height, edges.top, edges.low, kPixels);
    u16 column[kPixels];
    for (i32 k = 0; k < across.count; ++k) {
      const i32 source = across.source(k);
      column[k] = u16(reflected ? across.last - source : source);
    }
    const u32 alpha = alpha_of(opacity);
    for (i32 i = 0; i < down.count; ++i) {
      const ImageRow row = art.row(image, down.source(i));
      if (alpha == 255) {
        draw_row(row, image.is_opaque, across.first, down.first + i, column, across.count);
        continue;
      }
      for (i32 k = 0; k < across.count; ++k) put(across.first + k, down.first + i, scaled_color(row[column[k]], alpha));
    }
  }

  // Draws an image that is turned around the middle of its rectangle.
  ENVPOOL_DEVICE_CALL void draw_turned(const Art& art, const Image& image, Rect r, Turn turn, bool reflected = false,
                                       f32 opacity = 1) {
    const f64 x = r.x + r.width / 2, y = r.y + r.height / 2;
    if (is_upright(turn)) {
      const f64 half_width = turn.cosine * (r.width / 2), half_height = turn.cosine * (r.height / 2);
      draw_between(art, image, {x - half_width, y - half_height, x + half_width, y + half_height}, reflected, opacity);
      return;
    }
    constexpr f64 kFar = 1e6, kNarrow = 1e-3;
    if (!(fabs(x) < kFar && fabs(y) < kFar && r.width > kNarrow && r.height > kNarrow && r.width < kFar &&
          r.height < kFar)) {
      return;
    }
    const Turned turned(x, y, r.width, r.height, turn, image.width, image.height);
    const u32 alpha = alpha_of(opacity);
    turned.each_row(kPixels, [&](i32 row, i32 first, i32 end) {
      for (i32 column = first; column < end; ++column) {
        const i32 u = clamp(turned.column(column, row), 0, image.width - 1);
        const i32 v = clamp(turned.row(column, row), 0, image.height - 1);
        const u32 color = art.row(image, v)[reflected ? image.width - 1 - u : u];
        put(column, row, alpha == 255 ? color : scaled_color(color, alpha));
      }
    });
  }

  // Draws an image in cell (i, k).
  template <class Spans>
  ENVPOOL_FN void draw_cell(const Art& art, const Image& image, const Spans& across, i32 i, const Spans& down, i32 k) {
    for (i32 row = 0; row < down.count(k); ++row) {
      draw_row(art.row(image, down.source(k)[row]), image.is_opaque, across.first(i), down.first(k) + row,
               across.source(i), across.count(i));
    }
  }

 private:
  // What a pixel has that only the image behind everything covers. Nothing else that is drawn has no alpha.
  static constexpr u32 kBehind = 0;

  // Draws a row of pixels from the given columns of a row of an image.
  ENVPOOL_FN void draw_row(ImageRow row, bool is_opaque, i32 x, i32 y, const u16* column, i32 count) {
    if (is_opaque) {
      for (i32 k = 0; k < count; ++k) pixels_.set(x + k, y, row[column[k]]);
    } else {
      for (i32 k = 0; k < count; ++k) put(x + k, y, row[column[k]]);
    }
  }

  ENVPOOL_FN static u32 alpha_of(f32 opacity) { return u32(clamp(i32(opacity * 256.0), 0, 256)) * 255 >> 8; }
  // Draws a premultiplied colour over what a pixel has.
  ENVPOOL_FN void put(i32 x, i32 y, u32 color) {
    const u32 rest = 255 - (color >> 24);
    if (rest != 255) pixels_.set(x, y, rest == 0 ? color : kBlack | (color + scaled_color(get(x, y), rest)));
  }
  ENVPOOL_FN u32 get(i32 x, i32 y) const {
    const u32 color = pixels_.get(x, y);
#ifndef __CUDACC__
    if (color == kBehind && has_image_behind_) return behind_row_[y][behind_column_[x]];
#endif
    return color;
  }
  // Returns each of the four parts of a colour as scaled() does, two at a time.
  ENVPOOL_FN static u32 scaled_color(u32 color, u32 alpha) {
    constexpr u32 kTwo = 0x00FF00FFu, kHalves = 0x00800080u;
    const u32 low = (color & kTwo) * alpha, high = (color >> 8 & kTwo) * alpha;
    return ((low + (low >> 8 & kTwo) + kHalves) >> 8 & kTwo) | ((high + (high >> 8 & kTwo) + kHalves) & ~kTwo);
  }

  Pixels pixels_;
#ifndef __CUDACC__
  bool has_image_behind_ = false;
  u16 behind_column_[kPixels];
  ImageRow behind_row_[kPixels];
#endif
};

#if ENVPOOL_HOST

// Converts pixels into an image of three planes or of three bytes for each pixel.
inline void write_rgb(const u32* pixels, i32 count, bool channel_first, u8* rgb) {
  if (channel_first) {
    for (i32 channel = 0; channel < 3; ++channel) {
      const i32 shift = 16 - 8 * channel;
      u8* const plane = rgb + channel * count;
      for (i32 i = 0; i < count; ++i) plane[i] = u8(pixels[i] >> shift);
    }
  } else {
    for (i32 i = 0; i < count; ++i) {
      for (i32 channel = 0; channel < 3; ++channel) rgb[3 * i + channel] = u8(pixels[i] >> (16 - 8 * channel));
    }
  }
}

#endif

}  // namespace envpool::procgen
