// SPDX-License-Identifier: Apache-2.0
//
// The normal distribution, by G. Box and M. Muller, "A note on the generation of random normal deviates" (1958).
#pragma once

#include "envpool/core/portable.h"

namespace envpool::misc {

// Mean 0, variance 1; at most 6.2 away, which one of 2^28 draws is. One block of the generator holds the 53 bits that
// it takes: 27 for the radius, 26 for the angle.
ENVPOOL_FN f32 normal(Rng& rng) {
  const u64 bits = u64(rng.uniform() * 9007199254740992.0);
  const f32 radius = f32(i32(bits >> 26) + 1) * (1.0f / 134217728.0f);  // in (0, 1]
  const f32 turn = f32(i32(bits & 0x3FFFFFFu)) * (1.0f / 67108864.0f);
  return sqrt(-2 * log(radius)) * cos(f32(2 * kPi) * turn);
}

}  // namespace envpool::misc
