// SPDX-License-Identifier: Apache-2.0
//
// Writes sets of cells, which have a bit for each cell, into arrays. CPUs write eight bytes at a time. GPUs do not,
// because rows need not be aligned.
#pragma once

#include "envpool/core/types.h"

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

// Writes whether each cell is in a set.
template <i32 kCells>
ENVPOOL_ALWAYS_INLINE void write_set(bool* to, u64 set) {
  i32 cell = 0;
#ifndef __CUDACC__
  for (; cell + 8 <= kCells; cell += 8) {
    const u64 eight = bytes_of(set >> cell);
    __builtin_memcpy(to + cell, &eight, sizeof(eight));
  }
#endif
  for (; cell < kCells; ++cell) to[cell] = has(set, cell);
}

// Writes whether each cell is in either of two sets: the channels of an observation, bool[kCells][2].
template <i32 kCells>
ENVPOOL_ALWAYS_INLINE void write_channels(bool* to, u64 one, u64 two) {
  i32 cell = 0;
#ifndef __CUDACC__
  for (; cell + 4 <= kCells; cell += 4) {
    const u64 eight = even_bytes_of(one >> cell) | even_bytes_of(two >> cell) << 8;
    __builtin_memcpy(to + 2 * cell, &eight, sizeof(eight));
  }
#endif
  for (; cell < kCells; ++cell) {
    to[2 * cell] = has(one, cell);
    to[2 * cell + 1] = has(two, cell);
  }
}

// Writes numbers: `empty`, plus `one` or `two` for the cells of two sets, which have no cell in common.
template <i32 kCells>
ENVPOOL_ALWAYS_INLINE void write_board(i32* to, u64 set_one, u64 set_two, i8 one, i8 two, i32 empty) {
#ifdef __CUDACC__
  for (i32 cell = 0; cell < kCells; ++cell) {
    to[cell] = empty + one * i32(has(set_one, cell)) + two * i32(has(set_two, cell));
  }
#else
  i8 numbers[(kCells + 7) / 8 * 8];
  for (i32 cell = 0; cell < kCells; cell += 8) {
    const u64 eight = bytes_of(set_one >> cell) * u8(one) | bytes_of(set_two >> cell) * u8(two);
    __builtin_memcpy(numbers + cell, &eight, sizeof(eight));
  }
  for (i32 cell = 0; cell < kCells; ++cell) to[cell] = empty + numbers[cell];
#endif
}

}  // namespace envpool::pgx
