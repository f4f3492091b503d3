// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/math/rng.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "envpool/core/math/philox_lanes.h"
#include "tests/support/testing.h"

namespace {

using namespace envpool;

void check_block(Philox4 counter, u32 key0, u32 key1, Philox4 expected) {
  const Philox4 block = philox4x32_10(counter, key0, key1);
  for (int i = 0; i < 4; ++i) CHECK_EQ(block.word[i], expected.word[i]);
}
// The known-answer vectors of Random123, the library of Philox's authors.
TEST(known_answers) {
  check_block({{0, 0, 0, 0}}, 0, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  check_block({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  check_block({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0,
              {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

#if ENVPOOL_PHILOX_LANES
template <i32 kCount>
void check_blocks(Rng rng) {
  u32 words[kCount];
  philox_blocks(rng, words);
  for (const u32 word : words) CHECK_EQ(word, rng.bits());
}
TEST(several_blocks_are_the_words_of_a_generator) {
  for (const u64 draws : {u64{0}, u64{52} * 99, u64{~0u} * 4 - 8, (u64{1} << 34) - 4}) {
    const Rng rng{.seed = 0x123456789ABCDEF0u, .stream = ~0u, .episode = 7, .agent = 0x80000001u, .draws = draws};
    check_blocks<4>(rng);
    check_blocks<12>(rng);
    check_blocks<28>(rng);
    check_blocks<52>(rng);
  }
}
#endif

// The tests below use fixed seeds, so they are deterministic. A good generator would exceed the bounds with a
// probability of one in a million.

// Returns the chi-square statistic of counts that should be equal, as standard deviations from its mean.
f64 excess(const std::vector<i64>& counts) {
  f64 total = 0, sum = 0;
  for (const i64 count : counts) total += f64(count);
  const f64 mean = total / f64(counts.size());
  for (const i64 count : counts) sum += (f64(count) - mean) * (f64(count) - mean) / mean;
  const f64 degrees = f64(counts.size() - 1);
  return (sum - degrees) / std::sqrt(2 * degrees);
}

// Returns the Kolmogorov-Smirnov statistic for the uniform distribution on [0, 1), times sqrt(n).
f64 distance(std::vector<f64> draws) {
  std::sort(draws.begin(), draws.end());
  const f64 n = f64(draws.size());
  f64 worst = 0;
  for (size_t i = 0; i < draws.size(); ++i) {
    worst = std::max({worst, f64(i + 1) / n - draws[i], draws[i] - f64(i) / n});
  }
  return worst * std::sqrt(n);
}

TEST(below_is_uniform) {
  for (const u32 n : {2u, 3u, 7u, 100u, 1000u}) {
    Rng rng{.seed = n};
    std::vector<i64> counts(n);
    for (int i = 0; i < 1000000; ++i) ++counts[rng.below(n)];
    CHECK(std::fabs(excess(counts)) < 6);
  }
}
TEST(below_is_unbiased_for_large_bounds) {
  Rng rng{.seed = 1};  // 3 * 2^30: without rejection, a third of the numbers would be twice as frequent
  std::vector<i64> counts(3);
  for (int i = 0; i < 1000000; ++i) ++counts[rng.below(3u << 30) >> 30];
  CHECK(std::fabs(excess(counts)) < 6);
  CHECK_EQ(Rng{}.below(1), 0u);
}
TEST(uniform_is_uniform_and_below_one) {
  Rng rng{.seed = 2};
  std::vector<f64> doubles, floats, centred;
  for (int i = 0; i < 200000; ++i) {
    doubles.push_back(rng.uniform());
    floats.push_back(f64(rng.uniform_f32()));
    centred.push_back((rng.uniform(-0.05, 0.05) + 0.05) * 10);
  }
  for (const auto* draws : {&doubles, &floats, &centred}) {
    CHECK(distance(*draws) < 2.7);
    CHECK(*std::min_element(draws->begin(), draws->end()) >= 0);
    CHECK(*std::max_element(draws->begin(), draws->end()) < 1);
  }
}

// Returns the correlation of two sequences, times sqrt(n).
f64 correlation(const std::vector<f64>& a, const std::vector<f64>& b) {
  f64 sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - 0.5) * (b[i] - 0.5) * 12;
  return sum / std::sqrt(f64(a.size()));
}
std::vector<f64> draws(Rng rng, int n = 20000) {
  std::vector<f64> all;
  for (int i = 0; i < n; ++i) all.push_back(rng.uniform());
  return all;
}
TEST(neighbouring_draws_and_streams_are_uncorrelated) {
  const std::vector<f64> base = draws({.seed = 42});
  const Rng neighbours[] = {{.seed = 43},
                            {.seed = 42 + (u64{1} << 32)},
                            {.seed = 42, .stream = 1},
                            {.seed = 42, .episode = 1},
                            {.seed = 42, .agent = 1},
                            {.seed = 41, .stream = 1}};
  for (const Rng& rng : neighbours) {
    const std::vector<f64> other = draws(rng);
    CHECK(std::fabs(correlation(base, other)) < 5);
    CHECK(base[0] != other[0]);
  }
  std::vector<f64> later(base.begin() + 1, base.end()), earlier(base.begin(), base.end() - 1);
  CHECK(std::fabs(correlation(earlier, later)) < 5);
}
// A pool uses the first draws of many streams, seeds and episodes.
TEST(first_draws_are_uniform_across_streams_seeds_and_episodes) {
  for (int dimension = 0; dimension < 4; ++dimension) {
    std::vector<f64> firsts, seconds;
    for (u32 i = 0; i < 100000; ++i) {
      Rng rng;
      (dimension == 0 ? rng.stream : dimension == 1 ? rng.episode : rng.agent) = dimension < 3 ? i : 0;
      if (dimension == 3) rng.seed = i;
      firsts.push_back(rng.uniform());
      seconds.push_back(rng.uniform());
    }
    CHECK(distance(firsts) < 2.7);
    CHECK(std::fabs(correlation(firsts, seconds)) < 5);
    std::vector<f64> shifted(firsts.begin() + 1, firsts.end());
    shifted.push_back(firsts[0]);
    CHECK(std::fabs(correlation(firsts, shifted)) < 5);
  }
}
// In the original EnvPool (1.2.5), environment i has the seed `seed + i`, so pools with neighbouring seeds share most
// of their trajectories. In this package, they must share none.
TEST(neighbouring_seeds_share_no_stream) {
  std::vector<u32> firsts;
  for (u64 seed = 0; seed < 100; ++seed) {
    for (u32 stream = 0; stream < 100; ++stream) {
      Rng rng{.seed = seed, .stream = stream};
      firsts.push_back(rng.bits());
    }
  }
  std::sort(firsts.begin(), firsts.end());
  // 10^4 of 2^32 numbers: one equal pair has a probability of 1/86; three are practically impossible.
  CHECK(firsts.end() - std::unique(firsts.begin(), firsts.end()) <= 2);
}
TEST(an_episode_restarts_the_stream_and_a_copy_continues_it) {
  Rng rng{.seed = 9};
  const u32 first = rng.bits();
  for (int i = 0; i < 10; ++i) rng.bits();
  Rng copy = rng;
  CHECK_EQ(copy.bits(), rng.bits());
  rng.begin_episode(1);
  CHECK(rng.bits() != first);
  rng.begin_episode(0);
  CHECK_EQ(rng.bits(), first);
}

}  // namespace

TEST_MAIN()
