// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of resize.h for NEON. Each output is computed by the same operations in the same order, without fused
// multiply-add, and so has the same bits. Included only by resize.h, on aarch64. Loops that are missing here are those
// of ScalarOps, which compilers vectorize.
#pragma once

#include <arm_neon.h>

#include "envpool/atari/resize_plan.h"
#include "envpool/core/types.h"

namespace envpool::atari::resize_detail {

struct NeonOps : ScalarOps {
  // The values of the even palette indices. NTSC colours have even indices only. If a row has an odd index, the rest of
  // the row from there on is looked up byte by byte.
  struct Table {
    const u8* values;
    u8 even[128];
    explicit Table(const u8* table) : values(table) {
      for (i32 i = 0; i < 128; ++i) even[i] = table[i * 2];
    }
  };
  struct EvenTable {
    uint8x16x4_t lower, upper;
    ENVPOOL_ALWAYS_INLINE explicit EvenTable(const Table& table)
        : lower(vld1q_u8_x4(table.even)), upper(vld1q_u8_x4(table.even + 64)) {}
    // An index outside of a table gives 0, or leaves the first argument unchanged.
    ENVPOOL_ALWAYS_INLINE uint8x16_t operator()(uint8x16_t index) const {
      const uint8x16_t half = vshrq_n_u8(index, 1);
      return vqtbx4q_u8(vqtbl4q_u8(lower, half), upper, vsubq_u8(half, vdupq_n_u8(64)));
    }
  };

  ENVPOOL_ALWAYS_INLINE static bool any_odd(uint8x16_t index) { return vmaxvq_u8(vandq_u8(index, vdupq_n_u8(1))) != 0; }

  // Loads each row once and keeps it in registers for the next one. No branch depends on the image.
  static void mark_changes(const u8* rows, i64 stride, i32 width, i32 height, u8* changed) {
    constexpr i32 kParts = 10;
    if (width != kParts * 16) {
      ScalarOps::mark_changes(rows, stride, width, height, changed);
      return;
    }
    uint8x16_t above[kParts];
    for (i32 i = 0; i < kParts; ++i) above[i] = vld1q_u8(rows + i * 16);
    for (i32 y = 1; y < height; ++y) {
      uint8x16_t difference = vdupq_n_u8(0);
      for (i32 i = 0; i < kParts; ++i) {
        const uint8x16_t part = vld1q_u8(rows + y * stride + i * 16);
        difference = vorrq_u8(difference, veorq_u8(part, above[i]));
        above[i] = part;
      }
      changed[y] |= static_cast<u8>(vmaxvq_u8(difference) != 0);
    }
  }

  static void look_up(const Table& table, const u8* indices, i32 n, u8* out) {
    const EvenTable even(table);
    i32 i = 0;
    for (; i + 16 <= n; i += 16) {
      const uint8x16_t index = vld1q_u8(indices + i);
      if (any_odd(index)) break;
      vst1q_u8(out + i, even(index));
    }
    for (; i < n; ++i) out[i] = table.values[indices[i]];
  }

  static void look_up_max(const Table& table, const u8* a, const u8* b, i32 n, u8* out) {
    const EvenTable even(table);
    i32 i = 0;
    for (; i + 16 <= n; i += 16) {
      const uint8x16_t p = vld1q_u8(a + i), q = vld1q_u8(b + i);
      if (any_odd(vorrq_u8(p, q))) break;
      vst1q_u8(out + i, vmaxq_u8(even(p), even(q)));
    }
    for (; i < n; ++i) out[i] = max(table.values[a[i]], table.values[b[i]]);
  }

  // Eight columns, in two registers.
  struct Columns {
    float32x4_t low, high;
  };
  ENVPOOL_ALWAYS_INLINE static Columns load(const f32* from) { return {vld1q_f32(from), vld1q_f32(from + 4)}; }
  ENVPOOL_ALWAYS_INLINE static Columns sum_of(Columns a, Columns b) {
    return {vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)};
  }
  ENVPOOL_ALWAYS_INLINE static void store(f32* to, Columns values) {
    vst1q_f32(to, values.low);
    vst1q_f32(to + 4, values.high);
  }

  // The 16 source bytes that have the pixels of the first four columns, and those of the other four.
  struct BlockPixels {
    uint8x16_t low, high;
  };
  ENVPOOL_ALWAYS_INLINE static BlockPixels block_pixels(const u8* row, const u16* base) {
    return {vld1q_u8(row + base[0]), vld1q_u8(row + base[1])};
  }

  // A shuffle index of 0x80 gives 0.
  ENVPOOL_ALWAYS_INLINE static Columns area_product(BlockPixels pixels, const ResizeVectorTap& tap) {
    const uint8x16_t low = vqtbl1q_u8(pixels.low, vld1q_u8(tap.shuffle));
    const uint8x16_t high = vqtbl1q_u8(pixels.high, vld1q_u8(tap.shuffle + 16));
    const Columns weight = load(tap.weight.f);
    return {vmulq_f32(vcvtq_f32_u32(vreinterpretq_u32_u8(low)), weight.low),
            vmulq_f32(vcvtq_f32_u32(vreinterpretq_u32_u8(high)), weight.high)};
  }

  // Filters eight columns at a time; the line buffer has room for the unused columns of the last block. kDepth is the
  // number of taps, or 0 for the plan's vector_depth. kShared says whether all taps share a pair of loads.
  template <i32 kDepth, bool kShared>
  static void area_blocks(const ResizePlan& plan, const u8* row, i32 x0, i32 count, f32* line) {
    const i32 depth = kDepth != 0 ? kDepth : plan.vector_depth;
    const i32 loads = kShared ? 1 : depth;
    const u16* base = plan_array<u16>(plan, plan.vector_base_at) + x0 / 8 * loads * 2;
    const ResizeVectorTap* tap = plan_array<ResizeVectorTap>(plan, plan.vector_taps_at) + x0 / 8 * depth;
    for (i32 x = 0; x < count; x += 8, base += loads * 2, tap += depth) {
      BlockPixels pixels = block_pixels(row, base);
      Columns sum = area_product(pixels, tap[0]);
      for (i32 k = 1; k < depth; ++k) {
        if (!kShared) pixels = block_pixels(row, base + 2 * k);
        sum = sum_of(sum, area_product(pixels, tap[k]));
      }
      store(line + x, sum);
    }
  }

  static void area_line(const ResizePlan& plan, const u8* row, i32 x0, i32 count, f32* line) {
    const bool shared = plan.vector_loads == 1;
    switch (plan.vector_depth) {
      case 0: return ScalarOps::area_line(plan, row, x0, count, line);
      case 2:
        if (shared) return area_blocks<2, true>(plan, row, x0, count, line);
        break;
      case 3:
        if (shared) return area_blocks<3, true>(plan, row, x0, count, line);
        break;
    }
    shared ? area_blocks<0, true>(plan, row, x0, count, line) : area_blocks<0, false>(plan, row, x0, count, line);
  }

  // Returns the vertical sums of columns x to x + 7.
  template <i32 kCount>
  ENVPOOL_ALWAYS_INLINE static Columns column_sum(const f32* carry, const f32* const* lines, const f32* weights, i32 n,
                                                  i32 x) {
    const i32 taps = kCount != 0 ? kCount : n;
    const auto product = [&](i32 k) {
      const Columns line = load(lines[k] + x);
      return Columns{vmulq_n_f32(line.low, weights[k]), vmulq_n_f32(line.high, weights[k])};
    };
    Columns sum = product(0);
    if (carry != nullptr) sum = sum_of(load(carry + x), sum);
    for (i32 k = 1; k < taps; ++k) sum = sum_of(sum, product(k));
    return sum;
  }

  static void area_sum(const f32* carry, const f32* const* lines, const f32* weights, i32 n, i32 count, f32* sum) {
    for (i32 x = 0; x < count; x += 8) store(sum + x, column_sum<0>(carry, lines, weights, n, x));
  }

  // Returns eight values as bytes, rounded half to even.
  ENVPOOL_ALWAYS_INLINE static uint8x8_t to_bytes(Columns values) {
    return vqmovn_u16(vcombine_u16(vqmovn_u32(vcvtnq_u32_f32(values.low)), vqmovn_u32(vcvtnq_u32_f32(values.high))));
  }

  template <i32 kCount>
  static void store_sums(const f32* carry, const f32* const* lines, const f32* weights, i32 n, i32 count, u8* dst) {
    i32 x = 0;
    for (; x + 8 <= count; x += 8) vst1_u8(dst + x, to_bytes(column_sum<kCount>(carry, lines, weights, n, x)));
    if (x == count) return;
    u8 rest[8];
    vst1_u8(rest, to_bytes(column_sum<kCount>(carry, lines, weights, n, x)));
    for (i32 i = 0; x + i < count; ++i) dst[x + i] = rest[i];
  }

  static void area_store(const f32* carry, const f32* const* lines, const f32* weights, i32 n, i32 count, u8* dst) {
    if (carry == nullptr && n == 3) {
      store_sums<3>(nullptr, lines, weights, n, count, dst);  // for example 210 rows resized to 84
    } else if (carry == nullptr && n == 4) {
      store_sums<4>(nullptr, lines, weights, n, count, dst);  // for example 240 rows resized to 84
    } else {
      store_sums<0>(carry, lines, weights, n, count, dst);
    }
  }

  // Returns four filtered columns. Every 32-bit element has a column's two pixels, as 16-bit integers.
  ENVPOOL_ALWAYS_INLINE static int16x4_t fixed_columns(uint8x16_t pixels, const u8* shuffle, const i16* weights) {
    const int16x8_t picked = vreinterpretq_s16_u8(vqtbl1q_u8(pixels, vld1q_u8(shuffle)));
    const int16x8_t weight = vld1q_s16(weights);
    const int32x4_t sum =
        vpaddq_s32(vmull_s16(vget_low_s16(picked), vget_low_s16(weight)), vmull_high_s16(picked, weight));
    return vshrn_n_s32(sum, 4);
  }

  static void fixed_line(const ResizePlan& plan, const u8* row, i32 x0, i32 count, i16* line) {
    if (plan.vector_depth == 0) {
      ScalarOps::fixed_line(plan, row, x0, count, line);
      return;
    }
    const u16* base = plan_array<u16>(plan, plan.vector_base_at) + x0 / 4;
    const ResizeVectorTap* tap = plan_array<ResizeVectorTap>(plan, plan.vector_taps_at) + x0 / 8;
    for (i32 x = 0; x < count; x += 8, base += 2, ++tap) {
      const BlockPixels pixels = block_pixels(row, base);
      vst1_s16(line + x, fixed_columns(pixels.low, tap->shuffle, tap->weight.i));
      vst1_s16(line + x + 4, fixed_columns(pixels.high, tap->shuffle + 16, tap->weight.i + 8));
    }
  }
};

}  // namespace envpool::atari::resize_detail
