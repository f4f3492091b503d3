// SPDX-License-Identifier: Apache-2.0
//
// The operations of resize_simd.h for AVX2. Included only by resize_simd.h, on x86-64.
#pragma once

#include <immintrin.h>

#include "envpool/atari/resize_plan.h"
#include "envpool/core/types.h"

#define ENVPOOL_AVX2_FN static ENVPOOL_ALWAYS_INLINE __attribute__((target("avx2")))

namespace envpool::atari::resize_detail::simd {

using Bytes = __m256i;
constexpr i32 kBytes = 32;

ENVPOOL_AVX2_FN Bytes load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
ENVPOOL_AVX2_FN void store(u8* to, Bytes bytes) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes); }
ENVPOOL_AVX2_FN Bytes both(Bytes a, Bytes b) { return _mm256_or_si256(a, b); }
ENVPOOL_AVX2_FN Bytes differences(Bytes a, Bytes b) { return _mm256_xor_si256(a, b); }
ENVPOOL_AVX2_FN Bytes greatest(Bytes a, Bytes b) { return _mm256_max_epu8(a, b); }
ENVPOOL_AVX2_FN bool any(Bytes bits) { return !_mm256_testz_si256(bits, bits); }
ENVPOOL_AVX2_FN bool any_odd(Bytes bytes) { return !_mm256_testz_si256(bytes, _mm256_set1_epi8(1)); }

// The table in eight shuffle tables of 16 bytes.
struct EvenTable {
  __m256i tables[8];

  ENVPOOL_ALWAYS_INLINE __attribute__((target("avx2"))) explicit EvenTable(const u8* even) {
    for (i32 i = 0; i < 8; ++i) {
      tables[i] = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(even + i * 16)));
    }
  }

  // Eight shuffles give one value for each combination of the upper three bits of the index. Blends then select one of
  // the eight values by these bits. A blend reads the top bit of each byte, so shifts move each of the bits there.
  ENVPOOL_ALWAYS_INLINE __attribute__((target("avx2"))) Bytes operator()(Bytes index) const {
    const __m256i low = _mm256_and_si256(_mm256_srli_epi16(index, 1), _mm256_set1_epi8(0x0f));
    const __m256i bit5 = _mm256_slli_epi16(index, 2);
    const __m256i bit6 = _mm256_slli_epi16(index, 1);
    __m256i quarter[4];
    for (i32 i = 0; i < 4; ++i) {
      quarter[i] = _mm256_blendv_epi8(_mm256_shuffle_epi8(tables[i * 2], low),
                                      _mm256_shuffle_epi8(tables[i * 2 + 1], low), bit5);
    }
    const __m256i lower = _mm256_blendv_epi8(quarter[0], quarter[1], bit6);
    const __m256i upper = _mm256_blendv_epi8(quarter[2], quarter[3], bit6);
    return _mm256_blendv_epi8(lower, upper, index);
  }
};

struct Columns {
  __m256 values;
};
ENVPOOL_AVX2_FN Columns load_columns(const f32* from) { return {_mm256_loadu_ps(from)}; }
ENVPOOL_AVX2_FN void store_columns(f32* to, Columns columns) { _mm256_storeu_ps(to, columns.values); }
ENVPOOL_AVX2_FN Columns operator+(Columns a, Columns b) { return {_mm256_add_ps(a.values, b.values)}; }
ENVPOOL_AVX2_FN Columns scaled(Columns columns, const f32& weight) {
  return {_mm256_mul_ps(_mm256_broadcast_ss(&weight), columns.values)};
}

// Puts the low halves of eight 32-bit integers next to each other.
ENVPOOL_AVX2_FN __m128i packed(__m256i whole) {
  return _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
}

// Stores eight values as bytes, rounded half to even.
ENVPOOL_AVX2_FN void store_rounded(u8* to, Columns columns) {
  const __m128i words = packed(_mm256_cvtps_epi32(columns.values));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words, words));
}

// Each half has 16 source bytes, which contain the pixels of four columns.
struct Pixels {
  __m256i halves;
};
ENVPOOL_AVX2_FN Pixels load_pixels(const u8* row, const u16* base) {
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + base[0]));
  const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + base[1]));
  return {_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1)};
}

ENVPOOL_AVX2_FN Columns area_product(Pixels pixels, const ResizeVectorTap& tap) {
  const __m256i picked = _mm256_shuffle_epi8(pixels.halves, load(tap.shuffle));
  return {_mm256_mul_ps(_mm256_cvtepi32_ps(picked), _mm256_loadu_ps(tap.weight.f))};
}

// Filters eight columns. Every 32-bit element has a column's two pixels, as 16-bit integers.
ENVPOOL_AVX2_FN void store_fixed(i16* to, Pixels pixels, const ResizeVectorTap& tap) {
  const __m256i picked = _mm256_shuffle_epi8(pixels.halves, load(tap.shuffle));
  const __m256i sum = _mm256_srli_epi32(_mm256_madd_epi16(picked, load(tap.weight.i)), 4);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), packed(sum));
}

}  // namespace envpool::atari::resize_detail::simd

#undef ENVPOOL_AVX2_FN
