// SPDX-License-Identifier: Apache-2.0
//
// Philox4x32-10, the counter-based generator of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
// A draw is a pure function of seed, stream, episode, agent and draw index. Generators share no state, results do not
// depend on threads, and a generator takes 32 bytes.
#pragma once

#include "envpool/core/types.h"

namespace envpool {

struct Philox4 {
  u32 word[4];
};

// Returns one block of four words, from a 128-bit counter and a 64-bit key.
ENVPOOL_FN Philox4 philox4x32_10(Philox4 counter, u32 key0, u32 key1) {
  for (int round = 0; round < 10; ++round) {
    const u64 p0 = u64{0xD2511F53u} * counter.word[0];
    const u64 p1 = u64{0xCD9E8D57u} * counter.word[2];
    counter =
        Philox4{{u32(p1 >> 32) ^ counter.word[1] ^ key0, u32(p1), u32(p0 >> 32) ^ counter.word[3] ^ key1, u32(p0)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// The generator that is passed to an environment. `seed` is the user's; `stream` is the environment's index in its
// pool, so pools with neighbouring seeds share no stream; `episode` counts resets; `agent` is 0 for the environment
// itself and i + 1 for its agent i; `draws` counts the words taken since the episode began. A stream has 2^34 words per
// episode.
struct Rng {
  u64 seed = 0;
  u32 stream = 0;
  u32 episode = 0;
  u32 agent = 0;
  u64 draws = 0;

  // Returns the next 32 uniform bits.
  ENVPOOL_FN u32 bits() {
    const u64 at = draws++;
    return block(at >> 2).word[at & 3];
  }

  // If `wanted`, draws a word and returns Env::number() of it. Otherwise draws nothing and returns an unspecified
  // number.
  template <class Env>
  ENVPOOL_FN f32 number_if(bool wanted) {
    return wanted ? Env::template number<f32>(bits()) : 0;
  }

  // Return a number uniform in [0, 1): a multiple of 2^-24 as a float, of 2^-53 as a double.
  ENVPOOL_FN f32 uniform_f32() { return f32(bits() >> 8) * (1.0f / 16777216.0f); }
  ENVPOOL_FN f64 uniform() {
    const u64 at = draws;
    draws += 2;
    const Philox4 words = block(at >> 2);  // usually contains both words
    return unit(words.word[at & 3], (at & 3) < 3 ? words.word[(at & 3) + 1] : block((at >> 2) + 1).word[0]);
  }
  // Returns the value of uniform() for its two words.
  ENVPOOL_FN static f64 unit(u32 first, u32 second) {
    return (f64(first >> 5) * 67108864.0 + f64(second >> 6)) * (1.0 / 9007199254740992.0);
  }
  ENVPOOL_FN f64 uniform(f64 low, f64 high) { return low + (high - low) * uniform(); }

  // Draws kCount values of uniform(low, high). Computes each block only once; separate calls of uniform() would compute
  // blocks repeatedly.
  template <int kCount>
  ENVPOOL_FN void uniforms(f64 low, f64 high, f64 (&out)[kCount]) {
    Philox4 words{};
    u64 held = ~u64{0};
    const auto word = [&](u64 at) {
      if (at >> 2 != held) words = block(held = at >> 2);
      return words.word[at & 3];
    };
    for (int i = 0; i < kCount; ++i, draws += 2) {
      const u32 first = word(draws), second = word(draws + 1);
      out[i] = low + (high - low) * unit(first, second);
    }
  }

  // Returns an unbiased uniform integer in [0, n), n >= 1, by Lemire's multiply-and-reject method.
  ENVPOOL_FN u32 below(u32 n) {
    u64 product = u64{bits()} * n;
    if (u32(product) < n) {
      const u32 threshold = (0u - n) % n;
      while (u32(product) < threshold) product = u64{bits()} * n;
    }
    return u32(product >> 32);
  }

  ENVPOOL_FN void begin_episode(u32 number) {
    episode = number;
    agent = 0;
    draws = 0;
  }

 private:
  ENVPOOL_FN Philox4 block(u64 index) const {
    return philox4x32_10(Philox4{{u32(index), agent, stream, episode}}, u32(seed), u32(seed >> 32));
  }
};

}  // namespace envpool
