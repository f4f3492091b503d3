// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of resize.h for AVX2. Each output is computed by the same operations in the same order, without fused
// multiply-add, and so has the same bits. Included only by resize.h, on x86-64.
#pragma once

#include <immintrin.h>

#include "envpool/atari/resize_plan.h"
#include "envpool/core/types.h"

#define ENVPOOL_AVX2_FN static inline __attribute__((target("avx2")))

namespace envpool::atari::resize_detail {

struct Avx2Ops : ScalarOps {
  // The values of the even palette indices, as eight 16-byte shuffle tables. NTSC colours have even indices only. If a
  // row has an odd index, the rest of the row from there on is looked up byte by byte.
  struct Table {
    const u8* values;
    u8 even[128];
    explicit Table(const u8* table) : values(table) {
      for (i32 i = 0; i < 128; ++i) even[i] = table[i * 2];
    }
  };

  ENVPOOL_AVX2_FN __m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

  ENVPOOL_AVX2_FN bool equal(const u8* a, const u8* b, i32 n) {
    i32 i = 0;
    __m256i difference = _mm256_setzero_si256();
    for (; i + 32 <= n; i += 32) {
      difference = _mm256_or_si256(difference, _mm256_xor_si256(load(a + i), load(b + i)));
    }
    return _mm256_testz_si256(difference, difference) & ScalarOps::equal(a + i, b + i, n - i);
  }

  // Loads each row once and keeps it in registers for the next one. No branch depends on the image.
  ENVPOOL_AVX2_FN void mark_changes(const u8* rows, i64 stride, i32 width, i32 height, u8* changed) {
    constexpr i32 kParts = 5;
    if (width != kParts * 32) {
      ScalarOps::mark_changes(rows, stride, width, height, changed);
      return;
    }
    __m256i above[kParts];
    for (i32 i = 0; i < kParts; ++i) above[i] = load(rows + i * 32);
    for (i32 y = 1; y < height; ++y) {
      __m256i difference = _mm256_setzero_si256();
      for (i32 i = 0; i < kParts; ++i) {
        const __m256i part = load(rows + y * stride + i * 32);
        difference = _mm256_or_si256(difference, _mm256_xor_si256(part, above[i]));
        above[i] = part;
      }
      changed[y] |= static_cast<u8>(!_mm256_testz_si256(difference, difference));
    }
  }

  // Eight shuffles give one value for each combination of the upper three bits of the index. Blends then select one of
  // the eight values by these bits. A blend reads the top bit of each byte, so shifts move each of the bits there.
  ENVPOOL_AVX2_FN __m256i look_up_even(const __m256i* tables, __m256i index) {
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

  ENVPOOL_AVX2_FN void load_tables(const Table& table, __m256i* tables) {
    for (i32 i = 0; i < 8; ++i) {
      const void* from = table.even + i * 16;
      tables[i] = _mm256_broadcastsi128_si256(_mm_loadu_si128(static_cast<const __m128i*>(from)));
    }
  }

  ENVPOOL_AVX2_FN void look_up(const Table& table, const u8* indices, i32 n, u8* out) {
    __m256i tables[8];
    load_tables(table, tables);
    i32 i = 0;
    for (; i + 32 <= n; i += 32) {
      const __m256i index = load(indices + i);
      if (!_mm256_testz_si256(index, _mm256_set1_epi8(1))) break;
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), look_up_even(tables, index));
    }
    for (; i < n; ++i) out[i] = table.values[indices[i]];
  }

  ENVPOOL_AVX2_FN void look_up_max(const Table& table, const u8* a, const u8* b, i32 n, u8* out) {
    __m256i tables[8];
    load_tables(table, tables);
    i32 i = 0;
    for (; i + 32 <= n; i += 32) {
      const __m256i p = load(a + i);
      const __m256i q = load(b + i);
      if (!_mm256_testz_si256(_mm256_or_si256(p, q), _mm256_set1_epi8(1))) break;
      const __m256i values = _mm256_max_epu8(look_up_even(tables, p), look_up_even(tables, q));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), values);
    }
    for (; i < n; ++i) out[i] = max(table.values[a[i]], table.values[b[i]]);
  }

  // Loads 16 source bytes into each half of the result. Each half has the source pixels of four columns.
  ENVPOOL_AVX2_FN __m256i block_pixels(const u8* row, const u16* base) {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + base[0]));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + base[1]));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
  }

  // Filters eight columns at a time; the line buffer has room for the unused columns of the last block. The number of
  // taps, kDepth, is a template argument so that the loop over taps is unrolled; 0 means the plan's vector_depth.
  // kShared says whether all taps share a pair of loads.
  template <i32 kDepth, bool kShared>
  ENVPOOL_AVX2_FN void area_blocks(const ResizePlan& plan, const u8* row, i32 x0, i32 count, f32* line) {
    const i32 depth = kDepth != 0 ? kDepth : plan.vector_depth;
    const i32 loads = kShared ? 1 : depth;
    const u16* base = plan_array<u16>(plan, plan.vector_base_at) + x0 / 8 * loads * 2;
    const ResizeVectorTap* tap = plan_array<ResizeVectorTap>(plan, plan.vector_taps_at) + x0 / 8 * depth;
    for (i32 x = 0; x < count; x += 8, base += loads * 2, tap += depth) {
      __m256i pixels = block_pixels(row, base);
      __m256 sum = area_product(pixels, tap[0]);
      for (i32 k = 1; k < depth; ++k) {
        if (!kShared) pixels = block_pixels(row, base + 2 * k);
        sum = _mm256_add_ps(sum, area_product(pixels, tap[k]));
      }
      _mm256_storeu_ps(line + x, sum);
    }
  }

  ENVPOOL_AVX2_FN __m256 area_product(__m256i pixels, const ResizeVectorTap& tap) {
    const __m256i picked = _mm256_shuffle_epi8(pixels, load(tap.shuffle));
    return _mm256_mul_ps(_mm256_cvtepi32_ps(picked), _mm256_loadu_ps(tap.weight.f));
  }

  ENVPOOL_AVX2_FN void area_line(const ResizePlan& plan, const u8* row, i32 x0, i32 count, f32* line) {
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
  ENVPOOL_AVX2_FN __m256 column_sum(const f32* carry, const f32* const* lines, const f32* weights, i32 n, i32 x) {
    const i32 taps = kCount != 0 ? kCount : n;
    __m256 sum = _mm256_mul_ps(_mm256_broadcast_ss(weights), _mm256_loadu_ps(lines[0] + x));
    if (carry != nullptr) sum = _mm256_add_ps(_mm256_loadu_ps(carry + x), sum);
    for (i32 k = 1; k < taps; ++k) {
      sum = _mm256_add_ps(sum, _mm256_mul_ps(_mm256_broadcast_ss(weights + k), _mm256_loadu_ps(lines[k] + x)));
    }
    return sum;
  }

  ENVPOOL_AVX2_FN void area_sum(const f32* carry, const f32* const* lines, const f32* weights, i32 n, i32 count,
                                f32* sum) {
    for (i32 x = 0; x < count; x += 8) {
      _mm256_storeu_ps(sum + x, column_sum<0>(carry, lines, weights, n, x));
    }
  }

  // Returns eight values as bytes, rounded half to even.
  ENVPOOL_AVX2_FN __m128i to_bytes(__m256 values) {
    const __m256i whole = _mm256_cvtps_epi32(values);
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    return _mm_packus_epi16(words, words);
  }

  template <i32 kCount>
  ENVPOOL_AVX2_FN void store_sums(const f32* carry, const f32* const* lines, const f32* weights, i32 n, i32 count,
                                  u8* dst) {
    i32 x = 0;
    for (; x + 8 <= count; x += 8) {
      const __m128i bytes = to_bytes(column_sum<kCount>(carry, lines, weights, n, x));
      _mm_storel_epi64(reinterpret_cast<__m128i*>(dst + x), bytes);
    }
    if (x == count) return;
    u8 rest[8];
    const __m128i bytes = to_bytes(column_sum<kCount>(carry, lines, weights, n, x));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(rest), bytes);
    for (i32 i = 0; x + i < count; ++i) dst[x + i] = rest[i];
  }

  ENVPOOL_AVX2_FN void area_store(const f32* carry, const f32* const* lines, const f32* weights, i32 n, i32 count,
                                  u8* dst) {
    if (carry == nullptr && n == 3) {
      store_sums<3>(nullptr, lines, weights, n, count, dst);  // for example 210 rows resized to 84
    } else if (carry == nullptr && n == 4) {
      store_sums<4>(nullptr, lines, weights, n, count, dst);  // for example 240 rows resized to 84
    } else {
      store_sums<0>(carry, lines, weights, n, count, dst);
    }
  }

  ENVPOOL_AVX2_FN void fixed_line(const ResizePlan& plan, const u8* row, i32 x0, i32 count, i16* line) {
    if (plan.vector_depth == 0) {
      ScalarOps::fixed_line(plan, row, x0, count, line);
      return;
    }
    const u16* base = plan_array<u16>(plan, plan.vector_base_at) + x0 / 4;
    const ResizeVectorTap* tap = plan_array<ResizeVectorTap>(plan, plan.vector_taps_at) + x0 / 8;
    for (i32 x = 0; x < count; x += 8, base += 2, ++tap) {
      const __m256i picked = _mm256_shuffle_epi8(block_pixels(row, base), load(tap->shuffle));
      const __m256i sum = _mm256_srli_epi32(_mm256_madd_epi16(picked, load(tap->weight.i)), 4);
      const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(line + x), words);
    }
  }
};

}  // namespace envpool::atari::resize_detail

#undef ENVPOOL_AVX2_FN
