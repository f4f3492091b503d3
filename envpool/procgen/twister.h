// SPDX-License-Identifier: Apache-2.0
//
// The Mersenne Twister mt19937 of M. Matsumoto and T. Nishimura (1998), from which the reference draws a level and what
// happens in it: a level's seed is the generator's seed.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::procgen {

class Twister {
 public:
  ENVPOOL_FN void seed(u32 seed) {
    word_[0] = seed;
    for (u32 i = 1; i < kWords; ++i) word_[i] = 1812433253u * (word_[i - 1] ^ word_[i - 1] >> 30) + i;
    next_ = 0;
  }

  // Returns the next 32 bits. A word is replaced when it is needed, because most levels draw fewer than there are.
  ENVPOOL_FN u32 bits() {
    const i32 at = next_;
    next_ = at + 1 < kWords ? at + 1 : 0;
    const i32 far = at + kShift < kWords ? at + kShift : at + kShift - kWords;
    const u32 mixed = (word_[at] & 0x80000000u) | (word_[next_] & 0x7FFFFFFFu);
    u32 x = word_[at] = word_[far] ^ mixed >> 1 ^ ((mixed & 1) != 0 ? 0x9908B0DFu : 0u);
    x ^= x >> 11;
    x ^= x << 7 & 0x9D2C5680u;
    x ^= x << 15 & 0xEFC60000u;
    return x ^ x >> 18;
  }

  // Returns a number below n, which must be at least 1.
  ENVPOOL_FN i32 below(i32 n) { return i32(bits() % u32(n)); }

  // Returns a number from 0 to 1, which is 1 for the greatest words.
  ENVPOOL_FN f32 unit() { return f32(f64(bits()) / 4294967296.0); }

  // Writes `count` different numbers below n, of which there must be so many.
  ENVPOOL_FN void choose(i32 n, i32 count, i32* out) {
    constexpr i32 kTries = 10'000;  // a bound that no seed reaches
    i32 tries = 0;
    for (i32 i = 0; i < count; ++i) {
      bool is_new = false;
      while (!is_new && tries++ < kTries) {
        out[i] = below(n);
        is_new = true;
        for (i32 k = 0; k < i; ++k) is_new = is_new && out[k] != out[i];
      }
    }
  }

  ENVPOOL_FN void repair() { keep_within(next_, 0, kWords - 1); }

 private:
  static constexpr i32 kWords = 624, kShift = 397;
  u32 word_[kWords];
  i32 next_;
};

}  // namespace envpool::procgen
