// SPDX-License-Identifier: Apache-2.0
//
// Sets of cells, which have a bit for each cell, and how they are written into arrays. CPUs write 16 bytes at a time
// (bytes16.h), or 32 if they have AVX2 (bytes32.h). GPUs write single elements, because rows need not be aligned.
#pragma once

#include "envpool/core/math/simd.h"
#include "envpool/core/types.h"
#include "envpool/pgx/constants.h"
#ifndef __CUDACC__
#include "envpool/pgx/bytes16.h"
#endif
#if ENVPOOL_AVX2
#include "envpool/pgx/bytes32.h"
#endif

namespace envpool::pgx {

// Returns the lowest eight bits as bytes of 0 and 1.
ENVPOOL_ALWAYS_INLINE u64 bytes_of(u64 bits) {
  bits &= 0xFF;
  bits = (bits | bits << 28) & 0x0000000F0000000F;
  bits = (bits | bits << 14) & 0x0003000300030003;
  return (bits | bits << 7) & 0x0101010101010101;
}

// Returns the lowest four bits as the even bytes of eight.
ENVPOOL_ALWAYS_INLINE u64 even_bytes_of(u64 bits) { return (bits & 0xF) * 0x0000200040008001 & 0x0001000100010001; }

ENVPOOL_ALWAYS_INLINE bool has(u64 set, i32 cell) { return (set >> cell & 1) != 0; }

// Returns the number of cells in a set.
ENVPOOL_FN i32 count(u64 cells) {
  cells -= cells >> 1 & 0x5555555555555555;
  cells = (cells & 0x3333333333333333) + (cells >> 2 & 0x3333333333333333);
  return i32(((cells + (cells >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56);
}

// Returns the lowest cell of a set that is not empty.
ENVPOOL_ALWAYS_INLINE i32 lowest(u64 cells) {
#ifdef __CUDA_ARCH__
  return __ffsll(i64(cells)) - 1;
#else
  return __builtin_ctzll(cells);
#endif
}

#ifndef __CUDACC__
#if !ENVPOOL_AVX2
namespace bytes32 = bytes16;
#endif
// Returns whether arrays of so many cells are written with AVX2. For fewer, a call would take as long.
template <i32 kCells>
ENVPOOL_ALWAYS_INLINE bool writes_32_bytes() {
  return ENVPOOL_AVX2 && kCells > 48 && has_simd();
}
#endif

// Writes whether each cell is in a set.
template <i32 kCells>
ENVPOOL_ALWAYS_INLINE void write_set(bool* to, u64 set) {
#ifdef __CUDACC__
  for (i32 cell = 0; cell < kCells; ++cell) to[cell] = has(set, cell);
#else
  return writes_32_bytes<kCells>() ? bytes32::write_set<kCells>(to, set) : bytes16::write_set<kCells>(to, set);
#endif
}

// Writes whether each cell is in either of two sets: the channels of an observation, bool[kCells][2].
template <i32 kCells>
ENVPOOL_ALWAYS_INLINE void write_channels(bool* to, u64 one, u64 two) {
#ifdef __CUDACC__
  for (i32 cell = 0; cell < kCells; ++cell) {
    to[2 * cell] = has(one, cell);
    to[2 * cell + 1] = has(two, cell);
  }
#else
  bytes16::write_channels<kCells>(to, one, two);
#endif
}
// Writes the channels of two players, which see them in different orders.
template <i32 kCells>
ENVPOOL_ALWAYS_INLINE void write_both_channels(bool* to, bool* other, u64 one, u64 two) {
#ifdef __CUDACC__
  write_channels<kCells>(to, one, two);
  write_channels<kCells>(other, two, one);
#else
  return writes_32_bytes<kCells>() ? bytes32::write_both_channels<kCells>(to, other, one, two)
                                   : bytes16::write_both_channels<kCells>(to, other, one, two);
#endif
}
// The same with four channels, bool[kCells][4]. The last two are the bytes of `rest`, the same in all cells, or of
// `others_rest` for the other player.
template <i32 kCells>
ENVPOOL_ALWAYS_INLINE void write_both_four_channels(bool* to, bool* other, u64 one, u64 two, u32 rest,
                                                    u32 others_rest) {
#ifdef __CUDACC__
  for (i32 cell = 0; cell < kCells; ++cell) {
    to[4 * cell] = other[4 * cell + 1] = has(one, cell);
    to[4 * cell + 1] = other[4 * cell] = has(two, cell);
    for (i32 k = 0; k < 2; ++k) {
      to[4 * cell + 2 + k] = has(rest, 8 * k);
      other[4 * cell + 2 + k] = has(others_rest, 8 * k);
    }
  }
#else
  return writes_32_bytes<kCells>() ? bytes32::write_both_four_channels<kCells>(to, other, one, two, rest, others_rest)
                                   : bytes16::write_both_four_channels<kCells>(to, other, one, two, rest, others_rest);
#endif
}

// Writes numbers: kEmpty, plus kOne or kTwo for the cells of two sets, which have no cell in common.
template <i32 kCells, i32 kOne, i32 kTwo, i32 kEmpty>
ENVPOOL_ALWAYS_INLINE void write_board(i32* to, u64 one, u64 two) {
#ifdef __CUDACC__
  for (i32 cell = 0; cell < kCells; ++cell) {
    to[cell] = kEmpty + kOne * i32(has(one, cell)) + kTwo * i32(has(two, cell));
  }
#else
  return writes_32_bytes<kCells>() ? bytes32::write_board<kCells, kOne, kTwo, kEmpty>(to, one, two)
                                   : bytes16::write_board<kCells, kOne, kTwo, kEmpty>(to, one, two);
#endif
}

// The functions below write sets that have bit row * 8 + column for each cell, and at most seven columns, row by row.
// This one calls write(place, bit) with the place of each cell in the array, and its bit.
template <i32 kRows, i32 kColumns, class Write>
ENVPOOL_FN void for_cells_by_rows(Write&& write) {
  for (i32 row = 0; row < kRows; ++row) {
    for (i32 column = 0; column < kColumns; ++column) write(kColumns * row + column, 8 * row + column);
  }
}
template <i32 kRows, i32 kColumns>
ENVPOOL_ALWAYS_INLINE void write_channels_by_rows(bool* to, u64 one, u64 two) {
  for_cells_by_rows<kRows, kColumns>([&](i32 at, i32 bit) {
    to[2 * at] = has(one, bit);
    to[2 * at + 1] = has(two, bit);
  });
}
template <i32 kRows, i32 kColumns>
ENVPOOL_ALWAYS_INLINE void write_both_channels_by_rows(bool* to, bool* other, u64 one, u64 two) {
#ifdef __CUDACC__
  write_channels_by_rows<kRows, kColumns>(to, one, two);
  write_channels_by_rows<kRows, kColumns>(other, two, one);
#else
  return has_simd() ? bytes32::write_both_channels_by_rows<kRows, kColumns>(to, other, one, two)
                    : bytes16::write_both_channels_by_rows<kRows, kColumns>(to, other, one, two);
#endif
}
template <i32 kRows, i32 kColumns, i32 kOne, i32 kTwo, i32 kEmpty>
ENVPOOL_ALWAYS_INLINE void write_board_by_rows(i32* to, u64 one, u64 two) {
#ifdef __CUDACC__
  for_cells_by_rows<kRows, kColumns>(
      [&](i32 at, i32 bit) { to[at] = kEmpty + kOne * i32(has(one, bit)) + kTwo * i32(has(two, bit)); });
#else
  return has_simd() ? bytes32::write_board_by_rows<kRows, kColumns, kOne, kTwo, kEmpty>(to, one, two)
                    : bytes16::write_board_by_rows<kRows, kColumns, kOne, kTwo, kEmpty>(to, one, two);
#endif
}

// Exchanges two sets if `exchanges`. There is no branch, because it would be mispredicted.
template <class Set>
struct Exchanged {
  Set one, two;

  ENVPOOL_FN Exchanged(Set a, Set b, bool exchanges) : one(a), two(b) {
    const Set different = (a ^ b) & (Set{0} - Set(exchanges));
    one ^= different;
    two ^= different;
  }
};

}  // namespace envpool::pgx
