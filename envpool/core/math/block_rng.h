// SPDX-License-Identifier: Apache-2.0
//
// A generator for code that draws many numbers. It returns the same words as an Rng, which it advances, but computes
// each block of four words only once.
#pragma once

#include "envpool/core/math/rng.h"

namespace envpool {

class BlockRng {
 public:
  ENVPOOL_FN explicit BlockRng(Rng& rng) : rng_(rng) {}

  ENVPOOL_FN u32 bits() {
    const u64 at = rng_.draws++;
    if (at >> 2 != held_) {
      held_ = at >> 2;
      block_ = philox4x32_10(Philox4{{u32(held_), rng_.agent, rng_.stream, rng_.episode}}, u32(rng_.seed),
                             u32(rng_.seed >> 32));
    }
    return block_.word[at & 3];
  }
  // The functions below return the same values as the functions of Rng with the same names.
  ENVPOOL_FN u32 below(u32 n) {
    u64 product = u64{bits()} * n;
    if (u32(product) < n) {
      const u32 threshold = (0u - n) % n;
      while (u32(product) < threshold) product = u64{bits()} * n;
    }
    return u32(product >> 32);
  }
  ENVPOOL_FN f32 uniform_f32() { return f32(bits() >> 8) * (1.0f / 16777216.0f); }
  ENVPOOL_FN f64 uniform() {
    const u32 first = bits();
    return Rng::unit(first, bits());
  }

 private:
  Rng& rng_;
  u64 held_ = ~u64{0};
  Philox4 block_{};
};

}  // namespace envpool
