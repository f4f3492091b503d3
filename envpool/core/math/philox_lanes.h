// SPDX-License-Identifier: Apache-2.0
//
// Computes several blocks of random words at a time, with SIMD instructions that every processor of x86-64 has. The
// words are those of philox4x32_10.
#pragma once

#include "envpool/core/math/rng.h"

#if defined(__SSE2__) && !defined(__CUDACC__)
#define ENVPOOL_PHILOX_LANES 1
#include <emmintrin.h>
#else
#define ENVPOOL_PHILOX_LANES 0
#endif

#if ENVPOOL_PHILOX_LANES

namespace envpool {

// Writes the words of a generator from its next draw on, which is the first one of a block. There are kCount words, a
// multiple of four.
template <i32 kCount>
ENVPOOL_ALWAYS_INLINE void philox_blocks(const Rng& rng, u32 (&out)[kCount]) {
  // The lower half of each 64 bits is a word of a block; the upper half is not used. Two pairs of blocks are
  // computed together, because each operation waits for the one before it.
  constexpr i32 kPairs = 2, kBlocks = kCount / 4;
  const auto both = [](u32 word) { return _mm_set1_epi64x(word); };
  const __m128i times0 = both(0xD2511F53u), times2 = both(0xCD9E8D57u);
  const u32 begin = u32(rng.draws >> 2);
  for (i32 first = 0; first < kBlocks; first += 2 * kPairs) {
    __m128i word[kPairs][4];
    for (i32 pair = 0; pair < kPairs; ++pair) {
      const u32 block = begin + u32(first + 2 * pair);
      word[pair][0] = _mm_set_epi64x(block + 1, block);
      word[pair][1] = both(rng.agent);
      word[pair][2] = both(rng.stream);
      word[pair][3] = both(rng.episode);
    }
    u32 key0 = u32(rng.seed), key1 = u32(rng.seed >> 32);
    for (i32 round = 0; round < 10; ++round, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
      const __m128i keys0 = both(key0), keys1 = both(key1);
      for (auto& it : word) {
        const __m128i product0 = _mm_mul_epu32(it[0], times0), product2 = _mm_mul_epu32(it[2], times2);
        it[0] = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(product2, 32), it[1]), keys0);
        it[1] = product2;
        it[2] = _mm_xor_si128(_mm_xor_si128(_mm_srli_epi64(product0, 32), it[3]), keys1);
        it[3] = product0;
      }
    }
    for (i32 pair = 0; pair < kPairs; ++pair) {
      __m128i* const it = word[pair];
      const __m128i low = _mm_unpacklo_epi32(it[0], it[1]), high = _mm_unpacklo_epi32(it[2], it[3]);
      const __m128i next_low = _mm_unpackhi_epi32(it[0], it[1]), next_high = _mm_unpackhi_epi32(it[2], it[3]);
      const __m128i blocks[2] = {_mm_unpacklo_epi64(low, high), _mm_unpacklo_epi64(next_low, next_high)};
      for (i32 i = 0; i < 2; ++i) {
        const i32 block = first + 2 * pair + i;
        if (block < kBlocks) _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 4 * block), blocks[i]);
      }
    }
  }
}

}  // namespace envpool

#endif
