// SPDX-License-Identifier: Apache-2.0
//
// Resizes 8-bit images, bit-equal to OpenCV's cv2.resize with INTER_AREA and INTER_LINEAR.
//
// Four optimizations for Atari's screens do not change any bit:
//   - A run of equal neighbouring source rows (flat backgrounds, playfield bands) is filtered once.
//   - A destination row that is made of one such run is copied from a row above it that has the same weights.
//   - A destination row whose source rows have not changed is copied from the last image, with the area kernel.
//   - Palette lookup and the maximum of two frames are computed only for the rows that are filtered.
// The additions of each output keep OpenCV's order for any vector width.
//
// `ScalarOps` is the reference. `SimdOps` (resize_simd.h) gives the same bits with AVX2 or NEON; AVX2 is selected at
// run time. Nothing here allocates; a call uses about 8 kB of stack.
#pragma once

#include "envpool/atari/resize_plan.h"
#include "envpool/core/math/simd.h"
#include "envpool/core/types.h"

namespace envpool::atari {

// The image that was resized last, from the same plan and frames, and which rows of these frames may have changed
// since.
struct LastImage {
  const u8* pixels = nullptr;   // null: there is none
  const u8* changed = nullptr;  // by source row, 0 or 1
};

namespace resize_detail {

// Columns are filtered in strips of this width, so that line buffers have a fixed size for any destination width.
inline constexpr i32 kStrip = 256;

// The number of filtered rows that one area sum adds. Four suffice for reductions by a factor of up to 3, which
// thus need no second pass.
inline constexpr i32 kLines = 4;

// mul() and add() round to float. Compilers that contract them to a fused multiply-add, as NVRTC does by default,
// would keep more bits than OpenCV does.
ENVPOOL_FN f32 mul(f32 a, f32 b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

ENVPOOL_FN f32 add(f32 a, f32 b) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

// Rounds half to even, for 0 <= v < 2^23: adding 2^23 leaves no fraction bits. Area weights sum to 1 up to rounding, so
// the result never exceeds 255.
ENVPOOL_FN u8 round_half_even(f32 v) {
  constexpr f32 kNoFraction = 8388608.0f;
  return static_cast<u8>(static_cast<i32>(add(add(v, kNoFraction), -kNoFraction)));
}

ENVPOOL_FN u8 max(u8 a, u8 b) { return a > b ? a : b; }
ENVPOOL_FN i32 min(i32 a, i32 b) { return a < b ? a : b; }

ENVPOOL_FN void copy(const u8* from, i64 n, u8* to) {
#if ENVPOOL_HOST
  __builtin_memcpy(to, from, static_cast<size_t>(n));
#else
  for (i64 i = 0; i < n; ++i) to[i] = from[i];
#endif
}

// Returns one filtered column of a row in fixed point, without the 4 bits that OpenCV drops before the vertical pass.
ENVPOOL_FN i16 fixed_column(const u8* row, const ResizePair& x) {
  return static_cast<i16>((row[x.index[0]] * x.weight[0] + row[x.index[1]] * x.weight[1]) >> 4);
}

ENVPOOL_FN u8 fixed_pixel(i32 upper, i32 lower, const ResizePair& y) {
  return static_cast<u8>((((upper * y.weight[0]) >> 16) + ((lower * y.weight[1]) >> 16) + 2) >> 2);
}

ENVPOOL_FN f32 area_column(const u8* row, const ResizeSpan& x, const f32* weights) {
  const u8* from = row + x.first;
  f32 sum = mul(from[0], weights[x.weights_at]);
  for (i32 k = 1; k < x.count; ++k) sum = add(sum, mul(from[k], weights[x.weights_at + k]));
  return sum;
}

// The inner loops. Each processes `count` columns from column x0 of the plan on.
struct ScalarOps {
  // The palette values of one channel, in the layout that look_up() needs.
  struct Table {
    const u8* values;
    ENVPOOL_FN explicit Table(const u8* table) : values(table) {}
  };

  static ENVPOOL_FN bool equal(const u8* a, const u8* b, i32 n) {
    u8 difference = 0;
    for (i32 i = 0; i < n; ++i) difference |= a[i] ^ b[i];
    return difference == 0;
  }

  // Sets changed[y] to 1 where row y differs from the row above it.
  static ENVPOOL_FN void mark_changes(const u8* rows, i64 stride, i32 width, i32 height, u8* changed) {
    for (i32 y = 1; y < height; ++y) {
      changed[y] |= static_cast<u8>(!equal(rows + y * stride, rows + (y - 1) * stride, width));
    }
  }

  static ENVPOOL_FN void look_up(const Table& table, const u8* indices, i32 n, u8* out) {
    for (i32 i = 0; i < n; ++i) out[i] = table.values[indices[i]];
  }

  static ENVPOOL_FN void look_up_max(const Table& table, const u8* a, const u8* b, i32 n, u8* out) {
    for (i32 i = 0; i < n; ++i) out[i] = max(table.values[a[i]], table.values[b[i]]);
  }

  static ENVPOOL_FN void area_line(const ResizePlan& plan, const u8* row, i32 x0, i32 count, f32* line) {
    const ResizeSpan* spans = plan_array<ResizeSpan>(plan, plan.columns_at) + x0;
    const f32* weights = plan_array<f32>(plan, plan.weights_at);
    for (i32 x = 0; x < count; ++x) line[x] = area_column(row, spans[x], weights);
  }

  // sum[x] = carry[x] + weights[0] * lines[0][x] + ..., added in that order. If `carry` is null, the sum starts at its
  // first product. `n` is 1 to kLines.
  static ENVPOOL_FN void area_sum(const f32* carry, const f32* const* lines, const f32* weights, i32 n, i32 count,
                                  f32* sum) {
    for (i32 x = 0; x < count; ++x) {
      const f32 product = mul(weights[0], lines[0][x]);
      sum[x] = carry != nullptr ? add(carry[x], product) : product;
    }
    for (i32 k = 1; k < n; ++k) {
      for (i32 x = 0; x < count; ++x) sum[x] = add(sum[x], mul(weights[k], lines[k][x]));
    }
  }

  // Like area_sum(), with the sums rounded to bytes.
  static ENVPOOL_FN void area_store(const f32* carry, const f32* const* lines, const f32* weights, i32 n, i32 count,
                                    u8* dst) {
    f32 sum[kStrip];
    area_sum(carry, lines, weights, n, count, sum);
    for (i32 x = 0; x < count; ++x) dst[x] = round_half_even(sum[x]);
  }

  static ENVPOOL_FN void fixed_line(const ResizePlan& plan, const u8* row, i32 x0, i32 count, i16* line) {
    const ResizePair* pairs = plan_array<ResizePair>(plan, plan.columns_at) + x0;
    for (i32 x = 0; x < count; ++x) line[x] = fixed_column(row, pairs[x]);
  }

  static ENVPOOL_FN void fixed_store(const i16* upper, const i16* lower, const ResizePair& y, i32 count, u8* dst) {
    for (i32 x = 0; x < count; ++x) dst[x] = fixed_pixel(upper[x], lower[x], y);
  }
};

// Sources of rows of pixels. The pointer that row(y) returns is valid until the next call.
struct GraySource {
  const u8* src;
  i64 stride;

  ENVPOOL_FN const u8* row(i32 y) { return src + y * stride; }
};

template <class Ops>
struct IndexedSource {
  const u8* a;
  const u8* b;  // null: there is only one frame
  typename Ops::Table table;
  i32 width;
  u8 values[kMaxResizeSource];

  ENVPOOL_FN IndexedSource(const u8* frame_a, const u8* frame_b, const u8* values_of, i32 src_w)
      : a(frame_a), b(frame_b), table(values_of), width(src_w) {}

  ENVPOOL_FN const u8* row(i32 y) {
    const i64 at = static_cast<i64>(y) * width;
    if (b == nullptr) {
      Ops::look_up(table, a + at, width, values);
    } else {
      Ops::look_up_max(table, a + at, b + at, width, values);
    }
    return values;
  }
};

// The destination rows that are the same as in the last image, because none of their source rows has changed. Only the
// area kernel takes rows from the last image, and it has no more destination rows than source rows.
struct Reuse {
  const u8* pixels = nullptr;  // the last image; null: no row is reused
#if ENVPOOL_HOST
  u64 unchanged[kMaxResizeSource / 64];  // bit y % 64 of word y / 64 is destination row y

  bool has(const ResizePlan&, i32 y) const { return (unchanged[y >> 6] >> (y & 63) & 1) != 0; }
#else  // A device keeps few bytes of its own and looks at the source rows again.
  const u8* changed;

  ENVPOOL_FN bool has(const ResizePlan& plan, i32 y) const {
    const SourceRows rows = plan_array<SourceRows>(plan, plan.source_rows_at)[y];
    u32 any = 0;
    for (i32 row = rows.first; row <= rows.last; ++row) any |= changed[row];
    return any == 0;
  }
#endif
};

#if ENVPOOL_HOST
// Returns whether one of the bytes first..last of an array of `size` bytes is not 0.
inline bool any_set(const u8* bytes, i32 size, i32 first, i32 last) {
  const i32 count = last - first + 1;
  if (count <= 8 && size >= 8) {  // the usual case
    const i32 at = min(first, size - 8);
    u64 eight;
    __builtin_memcpy(&eight, bytes + at, sizeof(eight));
    return eight >> 8 * (first - at) << 8 * (8 - count) != 0;
  }
  u32 any = 0;
  for (i32 i = first; i <= last; ++i) any |= bytes[i];
  return any != 0;
}
#endif

ENVPOOL_FN Reuse find_reuse(const ResizePlan& plan, const LastImage& last) {
  Reuse reuse;
  if (plan.kernel != ResizeKernel::kArea || last.pixels == nullptr) return reuse;
  reuse.pixels = last.pixels;
#if ENVPOOL_HOST
  const SourceRows* const rows = plan_array<SourceRows>(plan, plan.source_rows_at);
  for (i32 y = 0; y < plan.dst_h;) {
    u64 word = 0;
    for (const i32 begin = y; y < plan.dst_h && y - begin < 64; ++y) {
      word |= static_cast<u64>(!any_set(last.changed, plan.src_h, rows[y].first, rows[y].last)) << (y - begin);
    }
    reuse.unchanged[(y - 1) >> 6] = word;
  }
#else
  reuse.changed = last.changed;
#endif
  return reuse;
}

// Equal neighbouring source rows form a run; id[y] is the number of runs above the run of row y. If there are two
// frames, rows are equal only if they are equal in both. Rows that no destination row needs are not compared.
struct Runs {
  u16 id[kMaxResizeSource];
};

template <class Ops>
ENVPOOL_DEVICE_CALL void find_runs(const ResizePlan& plan, const u8* a, const u8* b, i64 stride, const Reuse& reuse,
                                   Runs& runs) {
  const i32 height = plan.src_h;
  u8 begins[kMaxResizeSource];  // 1: a row begins a run
  for (i32 y = 0; y < height; ++y) begins[y] = reuse.pixels != nullptr;
  for (i32 y = 0; y < plan.dst_h && reuse.pixels != nullptr; ++y) {
    if (reuse.has(plan, y)) continue;
    const SourceRows rows = plan_array<SourceRows>(plan, plan.source_rows_at)[y];
    for (i32 row = rows.first; row <= rows.last; ++row) begins[row] = 0;
  }
  for (i32 y = 0; y < height; ++y) {
    if (begins[y]) continue;
    const i32 first = y;
    while (y < height && !begins[y]) ++y;
    Ops::mark_changes(a + first * stride, stride, plan.src_w, y - first, begins + first);
    if (b != nullptr) Ops::mark_changes(b + first * stride, stride, plan.src_w, y - first, begins + first);
    begins[first] = 1;
  }
  u16 id = 0;
  for (i32 y = 0; y < height; ++y) {
    id = static_cast<u16>(id + begins[y]);
    runs.id[y] = id;
  }
}

// Returns an earlier destination row that equals row y, or -1.
ENVPOOL_FN i32 equal_row_above(const ResizePlan& plan, const Runs& runs, i32 y) {
  const SourceRows* rows = plan_array<SourceRows>(plan, plan.source_rows_at);
  const i32 other = rows[y].same_weights;
  return other >= 0 && runs.id[rows[other].first] == runs.id[rows[y].last] ? other : -1;
}

// Copies row y from an equal row above it; returns false if there is none.
ENVPOOL_FN bool copy_equal_row(const ResizePlan& plan, const Runs& runs, i32 y, i32 count, u8* out) {
  const i32 other = equal_row_above(plan, runs, y);
  if (other < 0) return false;
  copy(out - static_cast<i64>(y - other) * plan.dst_w, count, out);
  return true;
}

// Caches the last filtered rows, one per run. Destination rows request runs in ascending order, and each requests
// neighbouring runs. So the slot of a run is its number modulo kSlots, and every requested run up to `newest` is
// cached.
template <class T, i32 kSlots>
struct LineCache {
  T slots[kSlots][kStrip];
  i32 newest = -1;

  ENVPOOL_FN T* slot(i32 run) { return slots[run % kSlots]; }
};

template <class Ops, class Source>
ENVPOOL_DEVICE_CALL void area_strip(const ResizePlan& plan, const Runs& runs, Source& source, const Reuse& reuse,
                                    i32 x0, i32 count, u8* dst) {
  const ResizeSpan* spans = plan_array<ResizeSpan>(plan, plan.lines_at);
  LineCache<f32, kLines> cache;
  f32 sum[kStrip];
  for (i32 y = 0; y < plan.dst_h; ++y) {
    u8* out = dst + static_cast<i64>(y) * plan.dst_w + x0;
    if (reuse.pixels != nullptr && reuse.has(plan, y)) {
      const u8* before = reuse.pixels + static_cast<i64>(y) * plan.dst_w + x0;
      const i32 first = y;
      while (count == plan.dst_w && y + 1 < plan.dst_h && reuse.has(plan, y + 1)) ++y;
      if (before != out) copy(before, static_cast<i64>(y - first) * plan.dst_w + count, out);
      continue;
    }
    if (copy_equal_row(plan, runs, y, count, out)) continue;
    const i32 taps = spans[y].count;
    const f32* weights = plan_array<f32>(plan, plan.weights_at) + spans[y].weights_at;
    for (i32 done = 0; done < taps; done += kLines) {
      const i32 n = min(kLines, taps - done);
      const f32* lines[kLines];
      for (i32 k = 0; k < n; ++k) {
        const i32 row = spans[y].first + done + k;
        const i32 run = runs.id[row];
        lines[k] = cache.slot(run);
        if (run <= cache.newest) continue;
        Ops::area_line(plan, source.row(row), x0, count, cache.slot(run));
        cache.newest = run;
      }
      const f32* carry = done == 0 ? nullptr : sum;
      if (done + n < taps) {
        Ops::area_sum(carry, lines, weights + done, n, count, sum);
      } else {
        Ops::area_store(carry, lines, weights + done, n, count, out);
      }
    }
  }
}

template <class Ops, class Source>
ENVPOOL_DEVICE_CALL void fixed_strip(const ResizePlan& plan, const Runs& runs, Source& source, i32 x0, i32 count,
                                     u8* dst) {
  const ResizePair* pairs = plan_array<ResizePair>(plan, plan.lines_at);
  LineCache<i16, 2> cache;
  for (i32 y = 0; y < plan.dst_h; ++y) {
    u8* out = dst + static_cast<i64>(y) * plan.dst_w + x0;
    if (copy_equal_row(plan, runs, y, count, out)) continue;
    const i16* lines[2];
    for (i32 k = 0; k < 2; ++k) {
      const i32 row = pairs[y].index[k];
      const i32 run = runs.id[row];
      lines[k] = cache.slot(run);
      if (run <= cache.newest) continue;
      Ops::fixed_line(plan, source.row(row), x0, count, cache.slot(run));
      cache.newest = run;
    }
    Ops::fixed_store(lines[0], lines[1], pairs[y], count, out);
  }
}

// Computes the horizontal sums of box_w neighbours.
ENVPOOL_FN void box_line(const u8* from, i32 box_w, i32 count, i32* line) {
  if (box_w == 2) {  // the usual width, in a form that compilers vectorize
    for (i32 x = 0; x < count; ++x) line[x] = from[x * 2] + from[x * 2 + 1];
    return;
  }
  for (i32 x = 0; x < count; ++x) {
    line[x] = 0;
    for (i32 i = 0; i < box_w; ++i) line[x] += from[x * box_w + i];
  }
}

// Scales sums to 8 bits. OpenCV rounds half up for 2x2, and half to even for all other factors.
ENVPOOL_FN void box_store(const ResizePlan& plan, const i32* sum, i32 count, u8* dst) {
  if (plan.box_w == 2 && plan.box_h == 2) {
    for (i32 x = 0; x < count; ++x) dst[x] = static_cast<u8>((sum[x] + 2) >> 2);
  } else {
    for (i32 x = 0; x < count; ++x) dst[x] = round_half_even(mul(static_cast<f32>(sum[x]), plan.box_scale));
  }
}

// Reductions by whole factors are rare for Atari (105x80), so they have no SIMD version.
template <class Source>
ENVPOOL_DEVICE_CALL void box_strip(const ResizePlan& plan, const Runs& runs, Source& source, i32 x0, i32 count,
                                   u8* dst) {
  i32 line[kStrip];
  i32 sum[kStrip];
  i32 line_run = -1;
  for (i32 y = 0; y < plan.dst_h; ++y) {
    u8* out = dst + static_cast<i64>(y) * plan.dst_w + x0;
    if (copy_equal_row(plan, runs, y, count, out)) continue;
    for (i32 x = 0; x < count; ++x) sum[x] = 0;
    for (i32 k = 0; k < plan.box_h; ++k) {
      const i32 row = y * plan.box_h + k;
      if (runs.id[row] != line_run) box_line(source.row(row) + x0 * plan.box_w, plan.box_w, count, line);
      line_run = runs.id[row];
      for (i32 x = 0; x < count; ++x) sum[x] += line[x];
    }
    box_store(plan, sum, count, out);
  }
}

template <class Ops, class Source>
ENVPOOL_DEVICE_CALL void resize_rows(const ResizePlan& plan, const Runs& runs, Source& source, const Reuse& reuse,
                                     u8* dst) {
  if (plan.kernel == ResizeKernel::kCopy) {
    for (i32 y = 0; y < plan.dst_h; ++y) copy(source.row(y), plan.dst_w, dst + static_cast<i64>(y) * plan.dst_w);
    return;
  }
  for (i32 x0 = 0; x0 < plan.dst_w; x0 += kStrip) {
    const i32 count = min(kStrip, plan.dst_w - x0);
    if (plan.kernel == ResizeKernel::kArea) {
      area_strip<Ops>(plan, runs, source, reuse, x0, count, dst);
    } else if (plan.kernel == ResizeKernel::kFixed) {
      fixed_strip<Ops>(plan, runs, source, x0, count, dst);
    } else {
      box_strip(plan, runs, source, x0, count, dst);
    }
  }
}

template <class Ops>
ENVPOOL_FN void gray(const ResizePlan& plan, const u8* src, i64 src_stride, u8* dst) {
  GraySource source{src, src_stride};
  Runs runs;
  const Reuse none{};
  find_runs<Ops>(plan, src, nullptr, src_stride, none, runs);
  resize_rows<Ops>(plan, runs, source, none, dst);
}

template <class Ops>
ENVPOOL_FN void indexed_max(const ResizePlan& plan, const u8* frame_a, const u8* frame_b, const u8* gray_table,
                            const LastImage& last, u8* dst) {
  IndexedSource<Ops> source(frame_a, frame_b, gray_table, plan.src_w);
  Runs runs;
  const Reuse reuse = find_reuse(plan, last);
  find_runs<Ops>(plan, frame_a, frame_b, plan.src_w, reuse, runs);
  resize_rows<Ops>(plan, runs, source, reuse, dst);
}

// Resizes colour as three gray images, because channels do not mix. They share the search for equal rows.
template <class Ops>
ENVPOOL_FN void rgb_max(const ResizePlan& plan, const u8* frame_a, const u8* frame_b, const u8* rgb_table,
                        const LastImage& last, u8* dst) {
  Runs runs;
  Reuse reuse = find_reuse(plan, last);
  find_runs<Ops>(plan, frame_a, frame_b, plan.src_w, reuse, runs);
  u8 table[256];
  for (i32 channel = 0; channel < 3; ++channel) {
    for (i32 i = 0; i < 256; ++i) table[i] = rgb_table[i * 3 + channel];
    IndexedSource<Ops> source(frame_a, frame_b, table, plan.src_w);
    resize_rows<Ops>(plan, runs, source, reuse, dst);
    dst += static_cast<i64>(plan.dst_h) * plan.dst_w;
    if (reuse.pixels != nullptr) reuse.pixels += static_cast<i64>(plan.dst_h) * plan.dst_w;
  }
}

}  // namespace resize_detail

}  // namespace envpool::atari

#if ENVPOOL_SIMD
#include "envpool/atari/resize_simd.h"
#endif

namespace envpool::atari {

#if ENVPOOL_SIMD
#define ENVPOOL_RESIZE_DISPATCH(function, ...)                    \
  if (has_simd()) {                                               \
    resize_detail::function<resize_detail::SimdOps>(__VA_ARGS__); \
    return;                                                       \
  }                                                               \
  resize_detail::function<resize_detail::ScalarOps>(__VA_ARGS__)
#else
#define ENVPOOL_RESIZE_DISPATCH(function, ...) resize_detail::function<resize_detail::ScalarOps>(__VA_ARGS__)
#endif

// Resizes one image of plan.src_h rows, src_stride bytes apart, into dst[dst_h][dst_w].
ENVPOOL_FN void resize_gray(const ResizePlan& plan, const u8* src, i64 src_stride, u8* dst) {
  ENVPOOL_RESIZE_DISPATCH(gray, plan, src, src_stride, dst);
}

// Looks up two frames of palette indices (src_h x src_w, contiguous) in gray_table[256], takes the pixelwise maximum,
// and resizes it into dst[dst_h][dst_w]. frame_b may be null.
ENVPOOL_FN void resize_indexed_max(const ResizePlan& plan, const u8* frame_a, const u8* frame_b, const u8* gray_table,
                                   u8* dst, const LastImage& last = {}) {
  ENVPOOL_RESIZE_DISPATCH(indexed_max, plan, frame_a, frame_b, gray_table, last, dst);
}

// Does the same in colour: rgb_table[256][3], the maximum of each channel, dst[3][dst_h][dst_w].
ENVPOOL_FN void resize_rgb_max(const ResizePlan& plan, const u8* frame_a, const u8* frame_b, const u8* rgb_table,
                               u8* dst, const LastImage& last = {}) {
  ENVPOOL_RESIZE_DISPATCH(rgb_max, plan, frame_a, frame_b, rgb_table, last, dst);
}

#undef ENVPOOL_RESIZE_DISPATCH

}  // namespace envpool::atari
