// SPDX-License-Identifier: Apache-2.0
//
// SIMD within a register: a 64-bit word has eight lanes of one byte each. In Asterix and Freeway, objects move in eight
// rows of the board, and each lane stands for one of these rows.
#pragma once

#include "envpool/core/types.h"

namespace envpool::minatar {

struct Lanes {
  static constexpr u64 kOnes = 0x0101010101010101u;

  ENVPOOL_FN static i32 get(u64 lanes, i32 lane) { return i32(lanes >> (8 * lane) & 255); }
  // The functions below take lanes of at most 122 and return lanes of 0 or 1.
  ENVPOOL_FN static u64 nonzero(u64 lanes) { return (lanes + 127 * kOnes) >> 7 & kOnes; }
  ENVPOOL_FN static u64 above(u64 lanes, u64 limit) { return (lanes + (127 - limit) * kOnes) >> 7 & kOnes; }
  ENVPOOL_FN static u64 one_to_ten(u64 lanes) { return nonzero(lanes) & ~above(lanes, 10); }
  // Returns the lowest four bits of each lane, but at most `limit`.
  ENVPOOL_FN static u64 at_most(u64 lanes, u64 limit) {
    lanes &= 15 * kOnes;
    const u64 over = to_mask(above(lanes, limit));
    return (lanes & ~over) | (limit * kOnes & over);
  }
  // These functions take lanes of 0 or 1.
  ENVPOOL_FN static i32 sum(u64 lanes) { return i32(lanes * kOnes >> 56); }
  ENVPOOL_FN static u64 to_mask(u64 lanes) { return lanes * 255; }
};

}  // namespace envpool::minatar
