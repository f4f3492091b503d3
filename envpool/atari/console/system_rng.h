// SPDX-License-Identifier: Apache-2.0
//
// The generator of power-on RAM and timer values. ALE seeds it with the same constant for every ROM, so successive
// resets of a console always give the same sequence of values. Each console holds its own generator, so that this is
// exact for any number of resets.
#pragma once

#include "envpool/atari/console/state.h"

namespace envpool::atari {

constexpr u32 kSystemSeed = 4753849;  // ALE's

ENVPOOL_FN void seed_rng(SystemRng& rng, u32 seed) {
  rng.word[0] = seed;
  for (u32 i = 1; i < 624; ++i) {
    rng.word[i] = 1812433253u * (rng.word[i - 1] ^ rng.word[i - 1] >> 30) + i;
  }
  rng.next = 0;
}

ENVPOOL_FN u32 next_word(SystemRng& rng) {
  const u32 i = rng.next;
  rng.next = i == 623 ? 0 : i + 1;
  const u32 joined = (rng.word[i] & 0x80000000u) | (rng.word[rng.next] & 0x7FFFFFFFu);
  u32 y = rng.word[i < 227 ? i + 397 : i - 227] ^ joined >> 1 ^ (joined & 1 ? 0x9908B0DFu : 0);
  rng.word[i] = y;
  y ^= y >> 11;
  y ^= y << 7 & 0x9D2C5680u;
  y ^= y << 15 & 0xEFC60000u;
  return y ^ y >> 18;
}

}  // namespace envpool::atari
