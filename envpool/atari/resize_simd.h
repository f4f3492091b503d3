// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of resize.h in SIMD. Each output is computed by the same operations in the same order as in
// ScalarOps, without fused multiply-add, and so has the same bits. resize_avx2.h and resize_neon.h define what a
// processor does in the loops, in namespace simd:
//
//   Bytes, kBytes    a vector of kBytes bytes: load, store, both, differences, greatest, any, any_odd
//   EvenTable        looks up a vector of even indices
//   Columns          eight f32 values of a line: load_columns, store_columns, scaled, operator+, store_rounded
//   Pixels           the source bytes of eight columns: load_pixels, area_product, store_fixed
#pragma once

#include "envpool/atari/resize_plan.h"
#include "envpool/core/math/simd.h"

#if ENVPOOL_AVX2
#include "envpool/atari/resize_avx2.h"
#elif ENVPOOL_NEON
#include "envpool/atari/resize_neon.h"
#endif

#define ENVPOOL_RESIZE_FN static inline ENVPOOL_SIMD_TARGET

namespace envpool::atari::resize_detail {

struct SimdOps : ScalarOps {
  using Bytes = simd::Bytes;
  using Columns = simd::Columns;
  static constexpr i32 kBytes = simd::kBytes;

  // The values of the even palette indices. NTSC colours have even indices only. If a row has an odd index, the rest of
  // the row from there on is looked up byte by byte.
  struct Table {
    const u8* values;
    u8 even[128];
    explicit Table(const u8* table) : values(table) {
      for (i32 i = 0; i < 128; ++i) even[i] = table[i * 2];
    }
  };

  // Loads each row once and keeps it in registers for the next one. No branch depends on the image.
  ENVPOOL_RESIZE_FN void mark_changes(const u8* rows, i64 stride, i32 width, i32 height, u8* changed) {
    constexpr i32 kParts = 160 / kBytes;
    if (width != kParts * kBytes) {
      ScalarOps::mark_changes(rows, stride, width, height, changed);
      return;
    }
    Bytes above[kParts];
    for (i32 i = 0; i < kParts; ++i) above[i] = simd::load(rows + i * kBytes);
    for (i32 y = 1; y < height; ++y) {
      Bytes difference{};
      for (i32 i = 0; i < kParts; ++i) {
        const Bytes part = simd::load(rows + y * stride + i * kBytes);
        difference = simd::both(difference, simd::differences(part, above[i]));
        above[i] = part;
      }
      changed[y] |= static_cast<u8>(simd::any(difference));
    }
  }

  ENVPOOL_RESIZE_FN void look_up(const Table& table, const u8* indices, i32 n, u8* out) {
    const simd::EvenTable even(table.even);
    i32 i = 0;
    for (; i + kBytes <= n; i += kBytes) {
      const Bytes index = simd::load(indices + i);
      if (simd::any_odd(index)) break;
      simd::store(out + i, even(index));
    }
    for (; i < n; ++i) out[i] = table.values[indices[i]];
  }

  ENVPOOL_RESIZE_FN void look_up_max(const Table& table, const u8* a, const u8* b, i32 n, u8* out) {
    const simd::EvenTable even(table.even);
    i32 i = 0;
    for (; i + kBytes <= n; i += kBytes) {
      const Bytes p = simd::load(a + i);
      const Bytes q = simd::load(b + i);
      if (simd::any_odd(simd::both(p, q))) break;
      Bytes values = even(p);
      if (simd::any(simd::differences(p, q))) values = simd::greatest(values, even(q));
      simd::store(out + i, values);
    }
    for (; i < n; ++i) out[i] = max(table.values[a[i]], table.values[b[i]]);
  }

  // Filters eight columns at a time; the line buffer has room for the unused columns of the last block. The number of
  // taps, kDepth, is a template argument so that the loop over taps is unrolled; 0 means the plan's vector_depth.
  // kShared says whether all taps share a pair of loads.
  template <i32 kDepth, bool kShared>
  ENVPOOL_RESIZE_FN void area_blocks(const ResizePlan& plan, const u8* row, i32 x0, i32 count, f32* line) {
    const i32 depth = kDepth != 0 ? kDepth : plan.vector_depth;
    const i32 loads = kShared ? 1 : depth;
    const u16* base = plan_array<u16>(plan, plan.vector_base_at) + x0 / 8 * loads * 2;
    const ResizeVectorTap* tap = plan_array<ResizeVectorTap>(plan, plan.vector_taps_at) + x0 / 8 * depth;
    for (i32 x = 0; x < count; x += 8, base += loads * 2, tap += depth) {
      simd::Pixels pixels = simd::load_pixels(row, base);
      Columns sum = simd::area_product(pixels, tap[0]);
      for (i32 k = 1; k < depth; ++k) {
        if (!kShared) pixels = simd::load_pixels(row, base + 2 * k);
        sum = sum + simd::area_product(pixels, tap[k]);
      }
      simd::store_columns(line + x, sum);
    }
  }

  ENVPOOL_RESIZE_FN void area_line(const ResizePlan& plan, const u8* row, i32 x0, i32 count, f32* line) {
    const bool shared = plan.vector_loads == 1;
    switch (plan.vector_depth) {
      case 0: return ScalarOps::area_line(plan, row, x0, count, line);
      case 2:
        if (shared) return area_blocks<2, true>(plan, row, x0, count, line);
        break;
      case 3:
        if (shared) return area_blocks<3, true>(plan, row, x0, count, line);
        break;
      case 5:
        if (!shared) return area_blocks<5, false>(plan, row, x0, count, line);
        break;  // 320 columns to 84
    }
    shared ? area_blocks<0, true>(plan, row, x0, count, line) : area_blocks<0, false>(plan, row, x0, count, line);
  }

  // Returns the vertical sums of columns x to x + 7.
  template <i32 kCount>
  ENVPOOL_RESIZE_FN Columns column_sum(const f32* carry, const f32* const* lines, const f32* weights, i32 n, i32 x) {
    const i32 taps = kCount != 0 ? kCount : n;
    Columns sum = simd::scaled(simd::load_columns(lines[0] + x), weights[0]);
    if (carry != nullptr) sum = simd::load_columns(carry + x) + sum;
    for (i32 k = 1; k < taps; ++k) sum = sum + simd::scaled(simd::load_columns(lines[k] + x), weights[k]);
    return sum;
  }

  ENVPOOL_RESIZE_FN void area_sum(const f32* carry, const f32* const* lines, const f32* weights, i32 n, i32 count,
                                  f32* sum) {
    for (i32 x = 0; x < count; x += 8) simd::store_columns(sum + x, column_sum<0>(carry, lines, weights, n, x));
  }

  template <i32 kCount>
  ENVPOOL_RESIZE_FN void store_sums(const f32* carry, const f32* const* lines, const f32* weights, i32 n, i32 count,
                                    u8* dst) {
    i32 x = 0;
    for (; x + 8 <= count; x += 8) simd::store_rounded(dst + x, column_sum<kCount>(carry, lines, weights, n, x));
    if (x == count) return;
    u8 rest[8];
    simd::store_rounded(rest, column_sum<kCount>(carry, lines, weights, n, x));
    for (i32 i = 0; x + i < count; ++i) dst[x + i] = rest[i];
  }

  ENVPOOL_RESIZE_FN void area_store(const f32* carry, const f32* const* lines, const f32* weights, i32 n, i32 count,
                                    u8* dst) {
    if (carry == nullptr && n == 3) {
      store_sums<3>(nullptr, lines, weights, n, count, dst);  // for example 210 rows resized to 84
    } else if (carry == nullptr && n == 4) {
      store_sums<4>(nullptr, lines, weights, n, count, dst);  // for example 240 rows resized to 84
    } else {
      store_sums<0>(carry, lines, weights, n, count, dst);
    }
  }

  ENVPOOL_RESIZE_FN void fixed_line(const ResizePlan& plan, const u8* row, i32 x0, i32 count, i16* line) {
    if (plan.vector_depth == 0) {
      ScalarOps::fixed_line(plan, row, x0, count, line);
      return;
    }
    const u16* base = plan_array<u16>(plan, plan.vector_base_at) + x0 / 4;
    const ResizeVectorTap* tap = plan_array<ResizeVectorTap>(plan, plan.vector_taps_at) + x0 / 8;
    for (i32 x = 0; x < count; x += 8, base += 2, ++tap) {
      simd::store_fixed(line + x, simd::load_pixels(row, base), *tap);
    }
  }
};

}  // namespace envpool::atari::resize_detail

#undef ENVPOOL_RESIZE_FN
