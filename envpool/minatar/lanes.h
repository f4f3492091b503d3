// SPDX-License-Identifier: Apache-2.0
//
// Eight small numbers in one word, a byte each: the eight rows that things run through in Asterix and Freeway.
#pragma once

#include "envpool/core/types.h"

namespace envpool::minatar {

struct Lanes {
  static constexpr u64 kOnes = 0x0101010101010101u;

  ENVPOOL_FN static i32 get(u64 lanes, i32 lane) { return i32(lanes >> (8 * lane) & 255); }
  // Below, lanes hold at most 122, and answers are 0 or 1.
  ENVPOOL_FN static u64 nonzero(u64 lanes) { return (lanes + 127 * kOnes) >> 7 & kOnes; }
  ENVPOOL_FN static u64 above(u64 lanes, u64 limit) { return (lanes + (127 - limit) * kOnes) >> 7 & kOnes; }
  ENVPOOL_FN static u64 one_to_ten(u64 lanes) { return nonzero(lanes) & ~above(lanes, 10); }
  // The lowest four bits of each lane, but at most `limit`.
  ENVPOOL_FN static u64 at_most(u64 lanes, u64 limit) {
    lanes &= 15 * kOnes;
    const u64 over = fill(above(lanes, limit));
    return (lanes & ~over) | (limit * kOnes & over);
  }
  // The sum of lanes of 0 or 1, and a mask of each lane.
  ENVPOOL_FN static i32 sum(u64 lanes) { return i32(lanes * kOnes >> 56); }
  ENVPOOL_FN static u64 fill(u64 lanes) { return lanes * 255; }
};

}  // namespace envpool::minatar
