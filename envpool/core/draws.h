// SPDX-License-Identifier: Apache-2.0
//
// The next random words of many environments at once. An environment whose step mostly draws one word, and which takes
// its generator as a template's argument,
//
//   template <class Draws>
//   ENVPOOL_FN static Outcome step(State&, const Params&, ActionRow, Draws&);
//
// is given that word where the processor has AVX2: eight generators cost little more than one.
#pragma once

#include "envpool/core/avx2.h"
#include "envpool/core/env.h"
#include "envpool/core/rng.h"

#if ENVPOOL_AVX2
#include <immintrin.h>

#include <cstddef>
#endif

namespace envpool {

// A generator whose next word is there already.
struct NextDrawn {
  Rng& rng;
  u32 word;
  bool taken = false;

  ENVPOOL_FN u32 bits() {
    if (taken) return rng.bits();
    taken = true;
    ++rng.draws;
    return word;
  }
  ENVPOOL_FN f32 uniform_f32() { return f32(bits() >> 8) * (1.0f / 16777216.0f); }
  // What takes more words draws them itself.
  ENVPOOL_FN f64 uniform() { return all().uniform(); }
  ENVPOOL_FN f64 uniform(f64 low, f64 high) { return all().uniform(low, high); }
  template <int kCount>
  ENVPOOL_FN void uniforms(f64 low, f64 high, f64 (&out)[kCount]) {
    all().uniforms(low, high, out);
  }
  ENVPOOL_FN u32 below(u32 n) { return all().below(n); }

 private:
  ENVPOOL_FN Rng& all() {
    taken = true;
    return rng;
  }
};

template <class Env>
constexpr bool kTakesDrawn =
    ENVPOOL_AVX2 && requires(typename Env::State& state, const typename Env::Params& params, ActionRow action,
                             NextDrawn& drawn) { Env::step(state, params, action, drawn); };

#if ENVPOOL_AVX2

static_assert(sizeof(Rng) == 32 && offsetof(Rng, seed) == 0 && offsetof(Rng, stream) == 8 &&
                  offsetof(Rng, episode) == 12 && offsetof(Rng, agent) == 16 && offsetof(Rng, draws) == 24,
              "eight generators are eight rows of eight words, transposed below");

struct Product {
  __m256i high, low;
};
__attribute__((target("avx2"), always_inline)) inline Product multiply(__m256i x, u32 by) {
  const __m256i factor = _mm256_set1_epi32(i32(by));
  const __m256i even = _mm256_mul_epu32(x, factor), odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), factor);
  return {_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA),
          _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA)};
}

// What bits() would return of generators that follow each other at equal distances; `count` is a multiple of eight.
__attribute__((target("avx2"))) inline void next_words(const u8* first, i64 stride, i64 count, u32* words) {
  for (i64 k = 0; k < count; k += 8) {
    __m256i row[8], pair[8], four[8], word[8];
    for (int i = 0; i < 8; ++i) {
      row[i] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first + (k + i) * stride));
    }
    for (int i = 0; i < 8; i += 2) {
      pair[i] = _mm256_unpacklo_epi32(row[i], row[i + 1]);
      pair[i + 1] = _mm256_unpackhi_epi32(row[i], row[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
      four[i] = _mm256_unpacklo_epi64(pair[i], pair[i + 2]);
      four[i + 1] = _mm256_unpackhi_epi64(pair[i], pair[i + 2]);
      four[i + 2] = _mm256_unpacklo_epi64(pair[i + 1], pair[i + 3]);
      four[i + 3] = _mm256_unpackhi_epi64(pair[i + 1], pair[i + 3]);
    }
    for (int i = 0; i < 4; ++i) {
      word[i] = _mm256_permute2x128_si256(four[i], four[i + 4], 0x20);
      word[i + 4] = _mm256_permute2x128_si256(four[i], four[i + 4], 0x31);
    }
    __m256i key0 = word[0], key1 = word[1];
    const __m256i index = _mm256_or_si256(_mm256_srli_epi32(word[6], 2), _mm256_slli_epi32(word[7], 30));
    __m256i counter[4] = {index, word[4], word[2], word[3]};
    for (int round = 0; round < 10; ++round) {
      const Product p0 = multiply(counter[0], 0xD2511F53u), p1 = multiply(counter[2], 0xCD9E8D57u);
      counter[0] = _mm256_xor_si256(_mm256_xor_si256(p1.high, counter[1]), key0);
      counter[1] = p1.low;
      counter[2] = _mm256_xor_si256(_mm256_xor_si256(p0.high, counter[3]), key1);
      counter[3] = p0.low;
      key0 = _mm256_add_epi32(key0, _mm256_set1_epi32(i32(0x9E3779B9u)));
      key1 = _mm256_add_epi32(key1, _mm256_set1_epi32(i32(0xBB67AE85u)));
    }
    const __m256i place = _mm256_and_si256(word[6], _mm256_set1_epi32(3));
    __m256i drawn = counter[0];
    for (int i = 1; i < 4; ++i) {
      drawn = _mm256_blendv_epi8(drawn, counter[i], _mm256_cmpeq_epi32(place, _mm256_set1_epi32(i)));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(words + k), drawn);
  }
}

#endif

}  // namespace envpool
