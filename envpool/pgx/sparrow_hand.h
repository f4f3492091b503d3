// SPDX-License-Identifier: Apache-2.0
//
// Hands of sparrow mahjong, and what complete ones are worth.
#pragma once

#include "envpool/pgx/bits.h"

namespace envpool::pgx {

// How many tiles of each of the eleven types a player has, or how many red ones: nine bamboos, the green and the red
// dragon. Counts have four bits; after an illegal discard, one of them is -1.
struct SparrowHand {
  static constexpr i32 kTypes = 11, kBamboos = 9, kGreen = 9, kRed = 10, kMostOfType = 4;

  u64 counts;

  ENVPOOL_FN i32 of(i32 type) const { return i32(i64(counts << (60 - 4 * type)) >> 60); }
  ENVPOOL_FN SparrowHand with(i32 type, i32 more) const {
    const u64 mask = u64{0xF} << 4 * type;
    return {(counts & ~mask) | (u64(of(type) + more) << 4 * type & mask)};
  }

  ENVPOOL_ALWAYS_INLINE void write(i32* to) const {  // the counts of all types
#ifdef __CUDACC__
    for (i32 type = 0; type < kTypes; ++type) to[type] = of(type);
#else
    i8 each[16];
    for (i32 half = 0; half < 2; ++half) {  // eight types, of which each gets a byte
      u64 bytes = counts >> 32 * half & 0xFFFFFFFF;
      bytes = (bytes | bytes << 16) & 0x0000FFFF0000FFFF;
      bytes = (bytes | bytes << 8) & 0x00FF00FF00FF00FF;
      bytes = (bytes | bytes << 4) & 0x0F0F0F0F0F0F0F0F;
      bytes |= (bytes >> 3 & 0x0101010101010101) * 0xF0;  // the sign
      __builtin_memcpy(each + 8 * half, &bytes, sizeof(bytes));
    }
    for (i32 type = 0; type < kTypes; ++type) to[type] = each[type];
#endif
  }
  ENVPOOL_FN i32 sum() const {  // of counts that are not negative
    constexpr u64 kEven = 0x0F0F0F0F0F0F;
    return i32(((counts & kEven) + (counts >> 4 & kEven)) * 0x010101010101 >> 40 & 0xFF);
  }

  // Returns the points of a hand of two sets, which are three equal tiles or three consecutive bamboos, or 0 if it is
  // not complete. Red tiles and those of type `dora` are worth a point each, unless all tiles are of certain kinds.
  ENVPOOL_FN i32 points(i32 dora, i32 reds) const {
    constexpr u32 kEnds = 0x701, kGreens = 0x2AE, kMiddle = 0x0FE;  // 1, 9 and dragons; green ones; 2 to 8
    u64 rest = counts;
    u32 types = 0;
    i32 sum = 0;
    for (i32 set = 0; set < 2; ++set) {
      const i32 type = rest != 0 ? lowest(rest) >> 2 : 0;
      const u64 here = rest >> 4 * type;
      const bool equal = (here & 0xF) >= 3;
      const bool consecutive = type + 2 < kBamboos && (here & 0xF) != 0 && (here & 0xF0) != 0 && (here & 0xF00) != 0;
      if (!equal && !consecutive) return 0;
      rest -= u64(equal ? 0x3 : 0x111) << 4 * type;
      types |= (equal ? 1u : 7u) << type;
      sum += equal ? 2 : 1;
    }
    if (rest != 0) return 0;
    if (reds >= 6) return sum + 20;
    if ((types & ~kEnds) == 0) return sum + 15;
    if ((types & ~kGreens) == 0) return sum + 10;
    return sum + i32((types & ~kMiddle) == 0) + of(dora) + reds;
  }

  // Sets counts that no game has to 0.
  ENVPOOL_FN void repair() {
    constexpr u64 kEach = 0x11111111111;  // a bit for each type
    const u64 eight = counts >> 3, four = counts >> 2, two = counts >> 1;
    const u64 small = ~eight & (~four | (~two & ~counts)), negative = eight & four & two & counts;
    counts &= ((small | negative) & kEach) * 0xF;
  }
};

}  // namespace envpool::pgx
