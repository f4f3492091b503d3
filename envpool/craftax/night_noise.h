// SPDX-License-Identifier: Apache-2.0
//
// The noise that is seen in the images of nights.
#pragma once

#include "envpool/core/math/block_rng.h"
#include "envpool/core/math/philox_lanes.h"

namespace envpool::craftax {

// A part of the state of an environment that draws images: the generator of the episode's reset.
struct NoiseOrigin {
  u32 seed[2], stream, episode;

  ENVPOOL_FN void set(const Rng& rng) {
    seed[0] = u32(rng.seed);
    seed[1] = u32(rng.seed >> 32);
    stream = rng.stream;
    episode = rng.episode;
  }
  // Returns a generator for a time, at which `words` words are used. The numbers are those of an agent that does not
  // exist, so they are independent of the numbers that steps draw.
  ENVPOOL_FN Rng at(i32 time, i32 words) const {
    constexpr u32 kNoAgent = 1;
    return {.seed = u64{seed[1]} << 32 | seed[0],
            .stream = stream,
            .episode = episode,
            .agent = kNoAgent,
            .draws = u64(u32(time)) * u64(words)};
  }
};

// Numbers that are uniform in [0, 1), for each pixel of a view. They have 16 bits, because colours have 8, and
// because more would take longer.
template <i32 kCells, i32 kPixels>  // of the view, of a cell
struct NightNoise {
  static constexpr i32 kWords = (kPixels + 7) / 8 * 4;  // of a cell, so that each begins with a block of words
  static constexpr i32 kMostWords = kCells * kWords;

  Rng rng;

  ENVPOOL_FN NightNoise(const NoiseOrigin& origin, i32 time) : rng(origin.at(time, kMostWords)) {}

  // Returns the numbers of the pixels of a cell from `first` on, which is even.
  template <i32 kCount>
  ENVPOOL_FN void fill(i32 cell, i32 first, f32 (&out)[kCount]) const {
    Rng own = rng;
    own.draws += u64(cell * kWords + first / 2);
#if ENVPOOL_PHILOX_LANES
    if constexpr (kCount == kPixels) {  // so `first` is 0, and the numbers begin with a block
      u32 words[kWords];
      philox_blocks(own, words);
      for (i32 i = 0; i < kCount / 2; ++i) {
        out[2 * i] = number(words[i] & 0xFFFF);
        out[2 * i + 1] = number(words[i] >> 16);
      }
      if constexpr (kCount % 2 != 0) out[kCount - 1] = number(words[kCount / 2] & 0xFFFF);
      return;
    }
#endif
    BlockRng words(own);
    u32 word = 0;
    for (i32 i = 0; i < kCount; ++i) {
      word = (i & 1) == 0 ? words.bits() : word >> 16;
      out[i] = number(word & 0xFFFF);
    }
  }

 private:
  ENVPOOL_FN static f32 number(u32 bits) { return f32(i32(bits)) / 65536.0f; }
};

}  // namespace envpool::craftax
