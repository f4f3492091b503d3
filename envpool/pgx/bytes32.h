// SPDX-License-Identifier: Apache-2.0
//
// The functions of bits.h that write arrays, for CPUs with AVX2: they write 32 bytes at a time. Included only by
// bits.h, on x86-64.
#pragma once

#include <immintrin.h>

#include "envpool/core/math/simd.h"
#include "envpool/core/types.h"

namespace envpool::pgx::bytes32 {

// From which byte, and which bit of it, bytes_of() makes each byte of its vector.
template <i32 kRun>
struct Order {
  alignas(32) u8 byte[32], bit[32];

  constexpr Order() : byte{}, bit{} {
    for (i32 at = 0; at < 32; ++at) {
      const i32 half = at / 16, run = at % 16 / kRun, cell = (2 * run + half) * kRun + at % kRun;
      byte[at] = u8(cell / 8);
      bit[at] = u8(1 << cell % 8);
    }
  }
};
template <i32 kRun>
inline constexpr Order<kRun> kOrder;

// Returns 32 bits as bytes of 0 and 1. Runs of kRun bits are in the lower and in the upper half of the vector in turn.
// Unpacking works on halves, so that elements of 16 / kRun bytes, which are made of such bytes, are in order.
template <i32 kRun>
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE __m256i bytes_of(u32 bits) {
  const __m256i byte = _mm256_load_si256(reinterpret_cast<const __m256i*>(kOrder<kRun>.byte));
  const __m256i bit = _mm256_load_si256(reinterpret_cast<const __m256i*>(kOrder<kRun>.bit));
  const __m256i bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(i32(bits)), byte);
  return _mm256_min_epu8(_mm256_and_si256(bytes, bit), _mm256_set1_epi8(1));
}
// Writes the first of 32 bytes, as many as are left of an array.
template <i32 kLeft>
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE void write_bytes(void* to, __m256i bytes) {
  if constexpr (kLeft >= 32) {
    _mm256_storeu_si256(static_cast<__m256i*>(to), bytes);
  } else if constexpr (kLeft > 0) {
    __builtin_memcpy(to, &bytes, kLeft);
  }
}
template <i32 kLeft>
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE void write_bytes(void* to, __m128i bytes) {
  if constexpr (kLeft > 0) __builtin_memcpy(to, &bytes, kLeft < 16 ? kLeft : 16);
}

template <i32 kCells>
ENVPOOL_SIMD_TARGET inline void write_set(bool* to, u64 set) {
  write_bytes<kCells>(to, bytes_of<16>(u32(set)));
  write_bytes<kCells - 32>(to + 32, bytes_of<16>(u32(set >> 32)));
}

// Writes two channels of 32 cells, as many as are left.
template <i32 kLeft>
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE void write_channels(bool* to, __m256i ones, __m256i twos) {
  write_bytes<2 * kLeft>(to, _mm256_unpacklo_epi8(ones, twos));
  write_bytes<2 * kLeft - 32>(to + 32, _mm256_unpackhi_epi8(ones, twos));
}
template <i32 kCells>
ENVPOOL_SIMD_TARGET inline void write_both_channels(bool* to, bool* other, u64 one, u64 two) {
  const __m256i ones = bytes_of<8>(u32(one)), twos = bytes_of<8>(u32(two));
  write_channels<kCells>(to, ones, twos);
  write_channels<kCells>(other, twos, ones);
  const __m256i upper_ones = bytes_of<8>(u32(one >> 32)), upper_twos = bytes_of<8>(u32(two >> 32));
  write_channels<kCells - 32>(to + 64, upper_ones, upper_twos);
  write_channels<kCells - 32>(other + 64, upper_twos, upper_ones);
}

// Writes four channels of 32 cells, as many as are left. `rest` has the pair that all cells have.
template <i32 kLeft>
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE void write_four_channels(bool* to, __m256i ones, __m256i twos, __m256i rest) {
  const __m256i lower = _mm256_unpacklo_epi8(ones, twos), upper = _mm256_unpackhi_epi8(ones, twos);
  write_bytes<4 * kLeft>(to, _mm256_unpacklo_epi16(lower, rest));
  write_bytes<4 * kLeft - 32>(to + 32, _mm256_unpackhi_epi16(lower, rest));
  write_bytes<4 * kLeft - 64>(to + 64, _mm256_unpacklo_epi16(upper, rest));
  write_bytes<4 * kLeft - 96>(to + 96, _mm256_unpackhi_epi16(upper, rest));
}
template <i32 kCells>
ENVPOOL_SIMD_TARGET inline void write_both_four_channels(bool* to, bool* other, u64 one, u64 two, u32 rest,
                                                         u32 others_rest) {
  const __m256i rests = _mm256_set1_epi16(i16(rest)), other_rests = _mm256_set1_epi16(i16(others_rest));
  const __m256i ones = bytes_of<4>(u32(one)), twos = bytes_of<4>(u32(two));
  write_four_channels<kCells>(to, ones, twos, rests);
  write_four_channels<kCells>(other, twos, ones, other_rests);
  const __m256i upper_ones = bytes_of<4>(u32(one >> 32)), upper_twos = bytes_of<4>(u32(two >> 32));
  write_four_channels<kCells - 32>(to + 128, upper_ones, upper_twos, rests);
  write_four_channels<kCells - 32>(other + 128, upper_twos, upper_ones, other_rests);
}

// Returns bytes of 0 and 1, multiplied by a constant.
template <i32 kBy>
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE __m256i times(__m256i set) {
  if constexpr (kBy == 1) return set;
  return _mm256_and_si256(_mm256_cmpeq_epi8(set, _mm256_set1_epi8(1)), _mm256_set1_epi8(i8(kBy)));
}
// Returns the numbers of 32 cells as signed bytes, in the order of bytes_of().
template <i32 kRun, i32 kOne, i32 kTwo, i32 kEmpty>
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE __m256i numbers_of(u32 one, u32 two) {
  const __m256i ones = times<kOne>(bytes_of<kRun>(one)), twos = times<kTwo>(bytes_of<kRun>(two));
  return _mm256_add_epi8(_mm256_add_epi8(ones, twos), _mm256_set1_epi8(i8(kEmpty)));
}
// Writes the numbers of 32 cells, as many as are left.
template <i32 kLeft, i32 kOne, i32 kTwo, i32 kEmpty>
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE void write_numbers(i32* to, u32 one, u32 two) {
  const __m256i bytes = numbers_of<4, kOne, kTwo, kEmpty>(one, two);
  // A shift extends the sign of a byte that is the upper byte of a number.
  const __m256i lower = _mm256_unpacklo_epi8(bytes, bytes), upper = _mm256_unpackhi_epi8(bytes, bytes);
  write_bytes<4 * kLeft>(to, _mm256_srai_epi32(_mm256_unpacklo_epi16(lower, lower), 24));
  write_bytes<4 * kLeft - 32>(to + 8, _mm256_srai_epi32(_mm256_unpackhi_epi16(lower, lower), 24));
  write_bytes<4 * kLeft - 64>(to + 16, _mm256_srai_epi32(_mm256_unpacklo_epi16(upper, upper), 24));
  write_bytes<4 * kLeft - 96>(to + 24, _mm256_srai_epi32(_mm256_unpackhi_epi16(upper, upper), 24));
}
template <i32 kCells, i32 kOne, i32 kTwo, i32 kEmpty>
ENVPOOL_SIMD_TARGET inline void write_board(i32* to, u64 one, u64 two) {
  write_numbers<kCells, kOne, kTwo, kEmpty>(to, u32(one), u32(two));
  write_numbers<kCells - 32, kOne, kTwo, kEmpty>(to + 32, u32(one >> 32), u32(two >> 32));
}

// Writes two channels of up to four rows of sets that have bit row * 8 + column for each cell. Four rows are 32 bits.
template <i32 kRows, i32 kColumns>
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE void write_four_rows(bool* to, __m256i ones, __m256i twos) {
  constexpr i32 kBytes = 2 * kColumns, kLeft = kBytes * kRows;
  const __m256i even = _mm256_unpacklo_epi8(ones, twos), odd = _mm256_unpackhi_epi8(ones, twos);
  write_bytes<kLeft>(to, _mm256_castsi256_si128(even));
  write_bytes<kLeft - kBytes>(to + kBytes, _mm256_castsi256_si128(odd));
  write_bytes<kLeft - 2 * kBytes>(to + 2 * kBytes, _mm256_extracti128_si256(even, 1));
  write_bytes<kLeft - 3 * kBytes>(to + 3 * kBytes, _mm256_extracti128_si256(odd, 1));
}
template <i32 kRows, i32 kColumns>
ENVPOOL_SIMD_TARGET inline void write_both_channels_by_rows(bool* to, bool* other, u64 one, u64 two) {
  const __m256i ones = bytes_of<16>(u32(one)), twos = bytes_of<16>(u32(two));
  write_four_rows<kRows, kColumns>(to, ones, twos);
  write_four_rows<kRows, kColumns>(other, twos, ones);
  const __m256i last_ones = bytes_of<16>(u32(one >> 32)), last_twos = bytes_of<16>(u32(two >> 32));
  write_four_rows<kRows - 4, kColumns>(to + 8 * kColumns, last_ones, last_twos);
  write_four_rows<kRows - 4, kColumns>(other + 8 * kColumns, last_twos, last_ones);
}

template <i32 kRows, i32 kColumns>
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE void write_two_rows_of_numbers(i32* to, __m128i bytes) {
  constexpr i32 kBytes = 4 * kColumns, kLeft = kBytes * kRows;
  write_bytes<kLeft>(to, _mm256_cvtepi8_epi32(bytes));
  write_bytes<kLeft - kBytes>(to + kColumns, _mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8)));
}
template <i32 kRows, i32 kColumns, i32 kOne, i32 kTwo, i32 kEmpty>
ENVPOOL_SIMD_TARGET inline void write_board_by_rows(i32* to, u64 one, u64 two) {
  const __m256i first = numbers_of<16, kOne, kTwo, kEmpty>(u32(one), u32(two));
  const __m256i last = numbers_of<16, kOne, kTwo, kEmpty>(u32(one >> 32), u32(two >> 32));
  write_two_rows_of_numbers<kRows, kColumns>(to, _mm256_castsi256_si128(first));
  write_two_rows_of_numbers<kRows - 2, kColumns>(to + 2 * kColumns, _mm256_extracti128_si256(first, 1));
  write_two_rows_of_numbers<kRows - 4, kColumns>(to + 4 * kColumns, _mm256_castsi256_si128(last));
  write_two_rows_of_numbers<kRows - 6, kColumns>(to + 6 * kColumns, _mm256_extracti128_si256(last, 1));
}

}  // namespace envpool::pgx::bytes32
