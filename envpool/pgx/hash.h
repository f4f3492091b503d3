// SPDX-License-Identifier: Apache-2.0
//
// Random numbers for hashes of positions.
#pragma once

#include "envpool/core/types.h"

namespace envpool::pgx {

ENVPOOL_FN u64 mixed(u64 x) {  // the finalizer of SplitMix64
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

// Returns the random number of a part of a position, which has a number from 1; a hash is the exclusive or of several.
ENVPOOL_FN u64 key_of(i32 number) { return mixed(u64(number) * 0x9E3779B97F4A7C15); }

}  // namespace envpool::pgx
