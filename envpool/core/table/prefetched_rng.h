// SPDX-License-Identifier: Apache-2.0
//
// Prefetches the next random words of many environments with SIMD code. If the CPU has AVX2 or NEON, computing the
// words of eight generators costs little more than computing one. An environment uses this if the generator is a
// template parameter of its step:
//
//   template <class Draws>
//   ENVPOOL_FN static Outcome step(State&, const Params&, ActionRow, Draws&);
//
// By default only the next word is prefetched, which suits steps that usually draw one word. A step that calls
// uniform() draws two. Both words are prefetched if the environment defines
//
//   static constexpr int kPrefetchedWords = 2;
//
// If the step computes an expensive function of the word, that can be vectorized too. Define
//
//   template <class T, class Words>
//   ENVPOOL_ALWAYS_INLINE static T number(Words);    // f32 of u32, or f32x4 of u32x4
//
// and call `draws.template number_if<Env>(wanted)` in the step, as its only draw. number() is then evaluated for four
// environments at once.
#pragma once

#include "envpool/core/env.h"
#include "envpool/core/math/lanes.h"
#include "envpool/core/math/rng.h"
#include "envpool/core/math/simd.h"

#if ENVPOOL_AVX2
#include <immintrin.h>
#elif ENVPOOL_NEON
#include <arm_neon.h>
#endif

#if ENVPOOL_SIMD
#include <cstddef>
#endif

namespace envpool {

// A generator with one prefetched word, or with two, which are used only if both belong to one Philox block.
template <int kWords>
struct PrefetchedRng {
  Rng& rng;
  u32 word[kWords];
  bool used = false;

  ENVPOOL_FN u32 bits() {
    if (used) return rng.bits();
    used = true;
    ++rng.draws;
    return word[0];
  }
  ENVPOOL_FN f32 uniform_f32() { return f32(bits() >> 8) * (1.0f / 16777216.0f); }
  ENVPOOL_FN f64 uniform() {
    if constexpr (kWords == 2) {
      if (!used && (rng.draws & 3) < 3) {
        used = true;
        rng.draws += 2;
        return Rng::unit(word[0], word[1]);
      }
    }
    return underlying().uniform();
  }
  ENVPOOL_FN f64 uniform(f64 low, f64 high) { return low + (high - low) * uniform(); }
  // The following functions may draw more words, so they ignore the prefetched ones.
  template <int kCount>
  ENVPOOL_FN void uniforms(f64 low, f64 high, f64 (&out)[kCount]) {
    underlying().uniforms(low, high, out);
  }
  ENVPOOL_FN u32 below(u32 n) { return underlying().below(n); }

 private:
  ENVPOOL_FN Rng& underlying() {
    used = true;
    return rng;
  }
};

// A generator with a precomputed value of Env::number() for the next word.
struct PrefetchedNumber {
  Rng& rng;
  f32 number;

  template <class Env>
  ENVPOOL_FN f32 number_if(bool wanted) {
    rng.draws += wanted;
    return number;
  }
};

// Returns the number of words to prefetch for a step, 0 if the environment does not use prefetching.
template <class Env>
constexpr int prefetched_words() {
  using Params = typename Env::Params;
  if constexpr (!ENVPOOL_SIMD || !requires(typename Env::State& state, const Params& params, ActionRow action,
                                           PrefetchedRng<1>& drawn) { Env::step(state, params, action, drawn); }) {
    return 0;
  } else if constexpr (requires { Env::kPrefetchedWords; }) {
    static_assert(Env::kPrefetchedWords == 1 || Env::kPrefetchedWords == 2);
    return Env::kPrefetchedWords;
  } else {
    return 1;
  }
}
template <class Env>
constexpr bool kTakesPrefetchedRng = prefetched_words<Env>() > 0;
template <class Env>
constexpr bool kTakesPrefetchedNumber =
    kTakesPrefetchedRng<Env> && requires(u32 word) { Env::template number<f32>(word); };

#if ENVPOOL_SIMD

static_assert(sizeof(Rng) == 32 && offsetof(Rng, seed) == 0 && offsetof(Rng, stream) == 8 &&
                  offsetof(Rng, episode) == 12 && offsetof(Rng, agent) == 16 && offsetof(Rng, draws) == 24,
              "eight generators are eight rows of eight words, transposed below");

#if ENVPOOL_AVX2

// The upper and lower halves of eight 32-bit products.
struct Product {
  __m256i high, low;
};
__attribute__((target("avx2"), always_inline)) inline Product multiply(__m256i x, u32 by) {
  const __m256i factor = _mm256_set1_epi32(i32(by));
  const __m256i even = _mm256_mul_epu32(x, factor), odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), factor);
  return {_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA),
          _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA)};
}

// Computes the next words of generators at equal distances in memory; `count` is a multiple of eight. words[0] has the
// next word of each generator, words[1] the word after it if both belong to the same block.
template <int kWords, i64 kMax>
__attribute__((target("avx2"))) inline void next_words(const u8* first, i64 stride, i64 count,
                                                       u32 (&words)[kWords][kMax]) {
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
    const __m256i position = _mm256_and_si256(word[6], _mm256_set1_epi32(3));
    for (int w = 0; w < kWords; ++w) {
      __m256i drawn = counter[w];
      for (int i = 1; i + w < 4; ++i) {
        drawn = _mm256_blendv_epi8(drawn, counter[i + w], _mm256_cmpeq_epi32(position, _mm256_set1_epi32(i)));
      }
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(words[w] + k), drawn);
    }
  }
}

#else

// The upper and lower halves of four 32-bit products.
struct Product {
  uint32x4_t high, low;
};
ENVPOOL_ALWAYS_INLINE Product multiply(uint32x4_t x, u32 by) {
  const uint32x4_t factor = vdupq_n_u32(by);
  const uint32x4_t first = vreinterpretq_u32_u64(vmull_u32(vget_low_u32(x), vget_low_u32(factor)));
  const uint32x4_t second = vreinterpretq_u32_u64(vmull_high_u32(x, factor));
  return {vuzp2q_u32(first, second), vuzp1q_u32(first, second)};
}

// Transposes a matrix of four rows of four words.
ENVPOOL_ALWAYS_INLINE void transpose(const uint32x4_t (&row)[4], uint32x4_t* column) {
  const uint64x2_t even0 = vreinterpretq_u64_u32(vtrn1q_u32(row[0], row[1]));
  const uint64x2_t even1 = vreinterpretq_u64_u32(vtrn1q_u32(row[2], row[3]));
  const uint64x2_t odd0 = vreinterpretq_u64_u32(vtrn2q_u32(row[0], row[1]));
  const uint64x2_t odd1 = vreinterpretq_u64_u32(vtrn2q_u32(row[2], row[3]));
  column[0] = vreinterpretq_u32_u64(vtrn1q_u64(even0, even1));
  column[1] = vreinterpretq_u32_u64(vtrn1q_u64(odd0, odd1));
  column[2] = vreinterpretq_u32_u64(vtrn2q_u64(even0, even1));
  column[3] = vreinterpretq_u32_u64(vtrn2q_u64(odd0, odd1));
}

// Does the same as the function for AVX2 above, for four generators at a time.
template <int kWords, i64 kMax>
inline void next_words(const u8* first, i64 stride, i64 count, u32 (&words)[kWords][kMax]) {
  for (i64 k = 0; k < count; k += 4) {
    uint32x4_t lower[4], upper[4], word[8];
    for (int i = 0; i < 4; ++i) {
      const u32* const generator = reinterpret_cast<const u32*>(first + (k + i) * stride);
      lower[i] = vld1q_u32(generator);
      upper[i] = vld1q_u32(generator + 4);
    }
    transpose(lower, word);
    transpose(upper, word + 4);
    uint32x4_t key0 = word[0], key1 = word[1];
    uint32x4_t counter[4] = {vsliq_n_u32(vshrq_n_u32(word[6], 2), word[7], 30), word[4], word[2], word[3]};
    for (int round = 0; round < 10; ++round) {
      const Product p0 = multiply(counter[0], 0xD2511F53u), p1 = multiply(counter[2], 0xCD9E8D57u);
      counter[0] = veorq_u32(veorq_u32(p1.high, counter[1]), key0);
      counter[1] = p1.low;
      counter[2] = veorq_u32(veorq_u32(p0.high, counter[3]), key1);
      counter[3] = p0.low;
      key0 = vaddq_u32(key0, vdupq_n_u32(0x9E3779B9u));
      key1 = vaddq_u32(key1, vdupq_n_u32(0xBB67AE85u));
    }
    const uint32x4_t position = vandq_u32(word[6], vdupq_n_u32(3));
    for (int w = 0; w < kWords; ++w) {
      uint32x4_t drawn = counter[w];
      for (u32 i = 1; i + w < 4; ++i) {
        drawn = vbslq_u32(vceqq_u32(position, vdupq_n_u32(i)), counter[i + w], drawn);
      }
      vst1q_u32(words[w] + k, drawn);
    }
  }
}

#endif

// Evaluates Env::number() for each word; `count` is a multiple of four.
template <class Env>
ENVPOOL_SIMD_TARGET __attribute__((flatten)) inline void compute_numbers(const u32* words, i64 count, f32* numbers) {
  for (i64 k = 0; k < count; k += 4) {
    const f32x4 values = Env::template number<f32x4>(u32x4{words[k], words[k + 1], words[k + 2], words[k + 3]});
    for (int lane = 0; lane < 4; ++lane) numbers[k + lane] = values[lane];
  }
}

// The prefetched words of up to kMax generators.
template <class Env, i64 kMax>
struct PrefetchedRngs {
  static constexpr int kWords = prefetched_words<Env>();
  u32 words[kWords][kMax];
  f32 numbers[kTakesPrefetchedNumber<Env> ? kMax : 1];

  // Returns how many of `count` generators can be prefetched: a multiple of eight, or 0 without SIMD code.
  static i64 batch_size(i64 count) {
    static const bool available = has_simd();
    return available ? (count < kMax ? count : kMax) / 8 * 8 : 0;
  }
  // Prefetches from generators at equal distances in memory.
  void prefetch(const Rng& first, i64 stride, i64 count) {
    next_words(reinterpret_cast<const u8*>(&first), stride, count, words);
    if constexpr (kTakesPrefetchedNumber<Env>) compute_numbers<Env>(words[0], count, numbers);
  }
  // Returns the object to pass to the step of environment k in place of its generator.
  ENVPOOL_ALWAYS_INLINE auto rng(Rng& rng, i64 k) const {
    if constexpr (kTakesPrefetchedNumber<Env>) {
      return PrefetchedNumber{rng, numbers[k]};
    } else if constexpr (kWords == 2) {
      return PrefetchedRng<2>{rng, {words[0][k], words[1][k]}};
    } else {
      return PrefetchedRng<1>{rng, {words[0][k]}};
    }
  }
};

#else

template <class Env, i64 kMax>
struct PrefetchedRngs;

#endif

}  // namespace envpool
