// SPDX-License-Identifier: Apache-2.0
//
// Signatures of the parameter rows that a caller of the pure functions holds (pure.h). The process signs the rows that
// it has checked. A row with a valid signature needs no further checks. This makes rows usable on a device, where the
// checks of options cannot run. NVRTC compiles this file, so it includes no standard header.
#pragma once

#include "envpool/core/types.h"

namespace envpool {

// A secret of the process.
struct SigningKey {
  u64 first, second;
};

// Returns SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012) of `count` words.
ENVPOOL_FN u64 signature_of(const u64* words, i64 count, SigningKey key) {
  u64 a = key.first ^ 0x736f6d6570736575u, b = key.second ^ 0x646f72616e646f6du;
  u64 c = key.first ^ 0x6c7967656e657261u, d = key.second ^ 0x7465646279746573u;
  const auto rotated = [](u64 value, int bits) { return value << bits | value >> (64 - bits); };
  const auto round = [&] {
    a += b;
    c += d;
    b = rotated(b, 13) ^ a;
    d = rotated(d, 16) ^ c;
    a = rotated(a, 32);
    c += b;
    a += d;
    b = rotated(b, 17) ^ c;
    d = rotated(d, 21) ^ a;
    c = rotated(c, 32);
  };
  const auto absorb = [&](u64 word) {
    d ^= word;
    round();
    a ^= word;
  };
  for (i64 i = 0; i < count; ++i) absorb(words[i]);
  absorb(u64(count) << 59);  // the last block of SipHash: the length in bytes modulo 256, and no further bytes
  c ^= 0xff;
  round();
  round();
  round();
  return a ^ b ^ c ^ d;
}

}  // namespace envpool
