// SPDX-License-Identifier: Apache-2.0
//
// The operations of resize_simd.h for NEON. Included only by resize_simd.h, on aarch64.
#pragma once

#include <arm_neon.h>

#include "envpool/atari/resize_plan.h"
#include "envpool/core/types.h"

namespace envpool::atari::resize_detail::simd {

using Bytes = uint8x16_t;
constexpr i32 kBytes = 16;

ENVPOOL_ALWAYS_INLINE Bytes load(const u8* from) { return vld1q_u8(from); }
ENVPOOL_ALWAYS_INLINE void store(u8* to, Bytes bytes) { vst1q_u8(to, bytes); }
ENVPOOL_ALWAYS_INLINE Bytes both(Bytes a, Bytes b) { return vorrq_u8(a, b); }
ENVPOOL_ALWAYS_INLINE Bytes differences(Bytes a, Bytes b) { return veorq_u8(a, b); }
ENVPOOL_ALWAYS_INLINE Bytes greatest(Bytes a, Bytes b) { return vmaxq_u8(a, b); }
ENVPOOL_ALWAYS_INLINE bool any(Bytes bits) { return vmaxvq_u8(bits) != 0; }
ENVPOOL_ALWAYS_INLINE bool any_odd(Bytes bytes) { return any(vandq_u8(bytes, vdupq_n_u8(1))); }

struct EvenTable {
  uint8x16x4_t lower, upper;

  ENVPOOL_ALWAYS_INLINE explicit EvenTable(const u8* even) : lower(vld1q_u8_x4(even)), upper(vld1q_u8_x4(even + 64)) {}
  // An index outside of a table gives 0, or leaves the first argument unchanged.
  ENVPOOL_ALWAYS_INLINE Bytes operator()(Bytes index) const {
    const uint8x16_t half = vshrq_n_u8(index, 1);
    return vqtbx4q_u8(vqtbl4q_u8(lower, half), upper, vsubq_u8(half, vdupq_n_u8(64)));
  }
};

struct Columns {
  float32x4_t low, high;
};
ENVPOOL_ALWAYS_INLINE Columns load_columns(const f32* from) { return {vld1q_f32(from), vld1q_f32(from + 4)}; }
ENVPOOL_ALWAYS_INLINE void store_columns(f32* to, Columns columns) {
  vst1q_f32(to, columns.low);
  vst1q_f32(to + 4, columns.high);
}
ENVPOOL_ALWAYS_INLINE Columns operator+(Columns a, Columns b) {
  return {vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high)};
}
ENVPOOL_ALWAYS_INLINE Columns scaled(Columns columns, const f32& weight) {
  return {vmulq_n_f32(columns.low, weight), vmulq_n_f32(columns.high, weight)};
}

// Stores eight values as bytes, rounded half to even.
ENVPOOL_ALWAYS_INLINE void store_rounded(u8* to, Columns columns) {
  const uint16x4_t low = vqmovn_u32(vcvtnq_u32_f32(columns.low)), high = vqmovn_u32(vcvtnq_u32_f32(columns.high));
  vst1_u8(to, vqmovn_u16(vcombine_u16(low, high)));
}

// The 16 source bytes that contain the pixels of the first four columns, and those of the other four.
struct Pixels {
  uint8x16_t low, high;
};
ENVPOOL_ALWAYS_INLINE Pixels load_pixels(const u8* row, const u16* base) {
  return {vld1q_u8(row + base[0]), vld1q_u8(row + base[1])};
}

// A shuffle index of 0x80 gives 0.
ENVPOOL_ALWAYS_INLINE Columns area_product(Pixels pixels, const ResizeVectorTap& tap) {
  const uint8x16_t low = vqtbl1q_u8(pixels.low, vld1q_u8(tap.shuffle));
  const uint8x16_t high = vqtbl1q_u8(pixels.high, vld1q_u8(tap.shuffle + 16));
  const Columns weight = load_columns(tap.weight.f);
  return {vmulq_f32(vcvtq_f32_u32(vreinterpretq_u32_u8(low)), weight.low),
          vmulq_f32(vcvtq_f32_u32(vreinterpretq_u32_u8(high)), weight.high)};
}

// Returns four filtered columns. Every 32-bit element has a column's two pixels, as 16-bit integers.
ENVPOOL_ALWAYS_INLINE int16x4_t fixed_columns(uint8x16_t pixels, const u8* shuffle, const i16* weights) {
  const int16x8_t picked = vreinterpretq_s16_u8(vqtbl1q_u8(pixels, vld1q_u8(shuffle)));
  const int16x8_t weight = vld1q_s16(weights);
  const int32x4_t low = vmull_s16(vget_low_s16(picked), vget_low_s16(weight)), high = vmull_high_s16(picked, weight);
  return vshrn_n_s32(vpaddq_s32(low, high), 4);
}
ENVPOOL_ALWAYS_INLINE void store_fixed(i16* to, Pixels pixels, const ResizeVectorTap& tap) {
  vst1_s16(to, fixed_columns(pixels.low, tap.shuffle, tap.weight.i));
  vst1_s16(to + 4, fixed_columns(pixels.high, tap.shuffle + 16, tap.weight.i + 8));
}

}  // namespace envpool::atari::resize_detail::simd
