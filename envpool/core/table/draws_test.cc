// SPDX-License-Identifier: Apache-2.0
//
// That words drawn ahead are those that each generator would give alone, to the last bit, wherever it stands.
#include "envpool/core/table/draws.h"

#include "envpool/core/testing/testing.h"

namespace envpool {

#if ENVPOOL_AVX2
template <int kWords>
struct Drawer {
  static constexpr int kWordsAhead = kWords;
  struct Params {};
  struct State {};
  template <class Draws>
  static Outcome step(State&, const Params&, ActionRow, Draws&) {
    return {};
  }
};

// `draw` takes numbers of a generator and tells something of all their bits.
template <int kWords, class Draw>
void check_alike(Draw draw) {
  constexpr i64 kCount = 24;
  for (u64 first = 0; first < 40; ++first) {
    Rng rngs[kCount], alone[kCount];
    for (u32 i = 0; i < kCount; ++i) {
      const u64 draws = first * (first % 5 == 0 ? u64{1} << 32 : 1) + i;  // some past what 32 bits hold
      alone[i] = rngs[i] = {.seed = first << 33 | i % 3, .stream = i, .episode = u32(first), .draws = draws};
    }
    Ahead<Drawer<kWords>, kCount> ahead;
    ahead.draw(rngs[0], sizeof(Rng), kCount);
    for (i64 i = 0; i < kCount; ++i) {
      auto drawn = ahead.give(rngs[i], i);
      for (int k = 0; k < 3; ++k) CHECK_EQ(draw(drawn), draw(alone[i]));
      CHECK_EQ(rngs[i].draws, alone[i].draws);
    }
  }
}
template <int kWords>
void check_draws() {
  check_alike<kWords>([](auto& rng) { return rng.bits(); });
  check_alike<kWords>([](auto& rng) { return rng.uniform_f32(); });
  check_alike<kWords>([](auto& rng) { return rng.uniform(); });
  check_alike<kWords>([](auto& rng) { return rng.uniform(-1, 1); });
  check_alike<kWords>([](auto& rng) { return rng.below(1000); });
  check_alike<kWords>([](auto& rng) { return rng.uniform() + rng.bits(); });
}
#endif

TEST(words_drawn_ahead_are_the_next_ones) {
#if ENVPOOL_AVX2
  if (!has_avx2()) return;
  check_draws<1>();
  check_draws<2>();
#endif
}

}  // namespace envpool

TEST_MAIN()
