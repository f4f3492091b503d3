// SPDX-License-Identifier: Apache-2.0
//
// Tests that prefetched words equal the words that the generators would produce, at any position.
#include "envpool/core/table/prefetched_rng.h"

#include "tests/support/testing.h"

namespace envpool {

#if ENVPOOL_SIMD
template <int kWords>
struct DrawEnv {
  static constexpr int kPrefetchedWords = kWords;
  struct Params {};
  struct State {};
  template <class Draws>
  static Outcome step(State&, const Params&, ActionRow, Draws&) {
    return {};
  }
};

// Compares the draws of prefetched and plain generators. `draw` returns a value that depends on all bits of a draw.
template <int kWords, class Draw>
void check_same_draws(Draw draw) {
  constexpr i64 kCount = 24;
  for (u64 first = 0; first < 40; ++first) {
    Rng rngs[kCount], reference[kCount];
    for (u32 i = 0; i < kCount; ++i) {
      const u64 draws = first * (first % 5 == 0 ? u64{1} << 32 : 1) + i;  // some exceed 32 bits
      reference[i] = rngs[i] = {.seed = first << 33 | i % 3, .stream = i, .episode = u32(first), .draws = draws};
    }
    PrefetchedRngs<DrawEnv<kWords>, kCount> prefetched;
    prefetched.prefetch(rngs[0], sizeof(Rng), kCount);
    for (i64 i = 0; i < kCount; ++i) {
      auto prefetched_rng = prefetched.rng(rngs[i], i);
      for (int k = 0; k < 3; ++k) CHECK_EQ(draw(prefetched_rng), draw(reference[i]));
      CHECK_EQ(rngs[i].draws, reference[i].draws);
    }
  }
}
template <int kWords>
void check_draws() {
  check_same_draws<kWords>([](auto& rng) { return rng.bits(); });
  check_same_draws<kWords>([](auto& rng) { return rng.uniform_f32(); });
  check_same_draws<kWords>([](auto& rng) { return rng.uniform(); });
  check_same_draws<kWords>([](auto& rng) { return rng.uniform(-1, 1); });
  check_same_draws<kWords>([](auto& rng) { return rng.below(1000); });
  check_same_draws<kWords>([](auto& rng) { return rng.uniform() + rng.bits(); });
}
#endif

TEST(prefetched_words_equal_the_next_words) {
#if ENVPOOL_SIMD
  if (!has_simd()) return;
  check_draws<1>();
  check_draws<2>();
#endif
}

}  // namespace envpool

TEST_MAIN()
