// SPDX-License-Identifier: Apache-2.0
//
// The lines of discs of othello.h, on boards of a bit for each cell, row * 8 + column.
#pragma once

#include "envpool/core/math/simd.h"
#include "envpool/core/types.h"

namespace envpool::pgx::othello {

// This code is for GPUs, and for CPUs without SIMD code. It follows lines in one direction at a time.
namespace plain {

inline constexpr i32 kDirections = 8;

// Moves every cell by one in a direction. Cells that leave the board come back on its other side, where line_from()
// ends lines.
ENVPOOL_FN u64 shifted(u64 cells, i32 direction) {
  constexpr i32 kShifts[kDirections] = {1, 63, 8, 56, 7, 57, 9, 55};
  const i32 by = kShifts[direction];
  return cells << by | cells >> (64 - by);
}
// Returns the discs `through` which lines from `from` go in a direction. No such disc is at the border at which a line
// in this direction ends.
ENVPOOL_FN u64 line_from(u64 from, u64 through, i32 direction) {
  constexpr u64 kColumns = 0x7E7E7E7E7E7E7E7E, kRows = 0x00FFFFFFFFFFFF00;
  through &= direction < 2 ? kColumns : direction < 4 ? kRows : kColumns & kRows;
  u64 line = through & shifted(from, direction);
  for (i32 i = 0; i < 5; ++i) line |= through & shifted(line, direction);
  return line;
}

ENVPOOL_FN u64 turned_by(u64 disc, u64 own, u64 other) {
  u64 turned = 0;
  for (i32 direction = 0; direction < kDirections; ++direction) {
    const u64 line = line_from(disc, other, direction);
    turned |= (shifted(line, direction) & own) != 0 ? line : 0;
  }
  return turned;
}
ENVPOOL_FN u64 moves_of(u64 own, u64 other) {
  u64 moves = 0;
  for (i32 direction = 0; direction < kDirections; ++direction) {
    moves |= shifted(line_from(own, other, direction), direction);
  }
  return moves & ~(own | other);
}

}  // namespace plain

#if ENVPOOL_SIMD
// This code follows lines in four directions and their opposites at a time.
namespace simd {

typedef u64 Words4 __attribute__((vector_size(32)));

// The lines in the directions of higher cells, by 1, 8, 7 and 9, and in those of lower ones.
struct Lines {
  Words4 up, down;
};
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE Lines lines_from(u64 from, u64 through) {
  constexpr u64 kColumns = 0x7E7E7E7E7E7E7E7E;  // lines along rows and diagonals end at the first and the last one
  const Words4 by = {1, 8, 7, 9}, twice = by + by, start = Words4{} + from;
  const Words4 discs = Words4{through & kColumns, through, through & kColumns, through & kColumns};
  Words4 up = discs & start << by, down = discs & start >> by;
  up |= discs & up << by;
  down |= discs & down >> by;
  // From here on, lines grow by two discs at a time.
  const Words4 two_up = discs & discs << by, two_down = discs & discs >> by;
  for (i32 i = 0; i < 2; ++i) {
    up |= two_up & up << twice;
    down |= two_down & down >> twice;
  }
  return {up, down};
}
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE u64 all_of(Words4 words) {
  return (words[0] | words[1]) | (words[2] | words[3]);
}

ENVPOOL_SIMD_TARGET inline u64 turned_by(u64 disc, u64 own, u64 other) {
  const Words4 by = {1, 8, 7, 9}, ends = Words4{} + own;
  const Lines lines = lines_from(disc, other);
  const Words4 up_ends = Words4((lines.up << by & ends) != 0), down_ends = Words4((lines.down >> by & ends) != 0);
  return all_of((lines.up & up_ends) | (lines.down & down_ends));
}
ENVPOOL_SIMD_TARGET inline u64 moves_of(u64 own, u64 other) {
  const Words4 by = {1, 8, 7, 9};
  const Lines lines = lines_from(own, other);
  return all_of(lines.up << by | lines.down >> by) & ~(own | other);
}

}  // namespace simd
#else
namespace simd = plain;
#endif

// Returns the discs of the other player that a disc turns over.
ENVPOOL_FN u64 turned_by(u64 disc, u64 own, u64 other) {
  return has_simd() ? simd::turned_by(disc, own, other) : plain::turned_by(disc, own, other);
}
// Returns the cells in which a disc turns others over.
ENVPOOL_FN u64 moves_of(u64 own, u64 other) {
  return has_simd() ? simd::moves_of(own, other) : plain::moves_of(own, other);
}

}  // namespace envpool::pgx::othello
