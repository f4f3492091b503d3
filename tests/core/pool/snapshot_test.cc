// SPDX-License-Identifier: Apache-2.0
//
// Tests snapshots and clones of environments.
#include "envpool/core/pool/env_pool.h"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/core/environments.h"
#include "tests/support/testing.h"

namespace envpool::testing {

// An environment whose state is an image of equal rows, of which an action changes a pixel.
struct ImageEnv {
  static constexpr const char* kName = "ImageEnv";
  static constexpr i32 kWidth = 80, kHeight = 100;
  struct Params {};
  struct State {
    i32 steps;
    u8 image[kHeight][kWidth];
  };
  static void options(OptionSpecs& o) { o.integer("goal", 10, "ignored"); }
  static Params params(const OptionValues&) { return {}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<u8>("obs", {kHeight, kWidth});
    spec.action<i32>().categories(kHeight * kWidth);
  }
  static std::vector<abi::Repetition> repetitions(const Params&) {
    return {{offset_of(&State::image) + kWidth, kWidth * (kHeight - 1), kWidth}};
  }
  ENVPOOL_FN static void reset(State& state, const Params&, Rng& rng) {
    state.steps = 0;
    for (u8& pixel : state.image[0]) pixel = u8(rng.bits());
    for (i32 row = 1; row < kHeight; ++row) {
      for (i32 x = 0; x < kWidth; ++x) state.image[row][x] = state.image[0][x];
    }
  }
  ENVPOOL_FN static Outcome step(State& state, const Params&, ActionRow action, Rng& rng) {
    ++state.steps;
    state.image[*action.at<i32>(0) / kWidth][*action.at<i32>(0) % kWidth] = u8(rng.bits());
    return {f32(state.steps)};
  }
  ENVPOOL_FN static void observe(const State& state, const Params&, Row row) {
    u8* const obs = row.at<u8>(0);
    for (i32 i = 0; i < kHeight * kWidth; ++i) obs[i] = state.image[i / kWidth][i % kWidth];
  }
};

std::string image_of(const Block& block, i32 row) {
  constexpr i32 kBytes = ImageEnv::kWidth * ImageEnv::kHeight;
  return {reinterpret_cast<const char*>(block.values<u8>(kObs)) + row * kBytes, kBytes};
}

TEST(a_restored_environment_continues_exactly) {
  const auto pool = PoolConfig{.num_envs = 2, .goal = 100}.sum_env();
  reset_all(*pool);
  (void)pool->recv();
  (void)step(*pool, {5, 6});
  const std::string state = snapshot_of(*pool, 0);
  const i64 start = start_of(*step(*pool, {7, 8}), 0);
  restore(*pool, 1, state);
  const Batch batch = step(*pool, {1, 7});
  CHECK_EQ(start_of(*batch, 1), start);
  CHECK_EQ(sum_of(*batch, 1), 12);
  std::string damaged = state;
  damaged.back() = char(damaged.back() ^ 1);
  CHECK_THROWS(restore(*pool, 0, damaged), std::invalid_argument);
  CHECK_THROWS(restore(*pool, 0, std::string_view(state).substr(0, 3)), std::invalid_argument);
  CHECK_THROWS(restore(*pool, 0, {}), std::invalid_argument);
  const auto other = PoolConfig{}.varying_players();
  CHECK_THROWS(restore(*other, 0, state), std::invalid_argument);
}

// The pool knows whether an episode is over and how many players it has; both are part of a state.
TEST(restore_and_clone_copy_the_status_of_the_episode) {
  for (const bool clones : {false, true}) {
    const auto pool = PoolConfig{.num_envs = 2, .autoreset = abi::kAutoresetDisabled, .goal = 10}.sum_env();
    const auto copy = [&](EnvPool& of, i32 from, i32 to) {
      if (clones) return of.clone(&from, &to, 1);
      restore(of, to, snapshot_of(of, from));
    };
    reset_all(*pool);
    (void)pool->recv();
    (void)step(*pool, {10, 1});  // the episode of environment 0 is over
    CHECK_THROWS(send(*pool, {0}, {1}), std::invalid_argument);
    copy(*pool, 1, 0);
    CHECK_EQ(sum_of(*step(*pool, {9, 1}), 0), 10);
    copy(*pool, 0, 1);
    CHECK_THROWS(send(*pool, {1}, {1}), std::invalid_argument);

    const auto varying = PoolConfig{.num_envs = 8}.varying_players();
    reset_all(*varying);
    (void)varying->recv();
    i32 other = 1;
    while (other < 7 && varying->players(other) == varying->players(0)) ++other;
    CHECK(varying->players(other) != varying->players(0));
    copy(*varying, other, 0);
    CHECK_EQ(varying->players(0), varying->players(other));
  }
}

TEST(a_snapshot_of_an_image_contains_only_what_differs) {
  const auto pool = PoolConfig{.num_envs = 2}(table<ImageEnv>());
  reset_all(*pool);
  (void)pool->recv();
  for (i32 k = 0; k < 20; ++k) (void)step(*pool, {k * 397, k * 31});
  const std::string state = snapshot_of(*pool, 0);
  CHECK(i64(state.size()) < i64(sizeof(ImageEnv::State)) / 8);
  const Batch before = step(*pool, {5, 6});
  restore(*pool, 1, state);
  CHECK(snapshot_of(*pool, 1) == state);
  const Batch after = step(*pool, {7, 5});
  CHECK(image_of(*after, 1) == image_of(*before, 0));
  for (const size_t at : {size_t{0}, size_t{8}, size_t{16}, size_t{24}, size_t{28}, size_t{40}, state.size() - 1}) {
    std::string damaged = state;
    damaged[at] = char(damaged[at] ^ 1);
    CHECK_THROWS(restore(*pool, 0, damaged), std::invalid_argument);
  }
}

// It has another magic number and another checksum, and is not packed.
TEST(a_snapshot_of_the_first_format_is_restored) {
  const auto pool = PoolConfig{.num_envs = 2}(table<ImageEnv>());
  reset_all(*pool);
  (void)pool->recv();
  (void)step(*pool, {5, 6});
  const std::string now = snapshot_of(*pool, 0);
  const i64 bytes = slot_bytes<ImageEnv::State>(0);
  const i32 source = 0;
  std::string first(size_t(32 + bytes), '\0');
  std::memcpy(first.data(), now.data(), 32);
  const u64 magic = 0x31304C4F4F50564E, none = 0;
  std::memcpy(first.data(), &magic, 8);
  std::memcpy(first.data() + 16, &none, 8);
  pool->read_states(&source, 1, 0, bytes, first.data() + 32);
  const u64 sum = fnv_hash(first.data(), i64(first.size()));
  std::memcpy(first.data() + 16, &sum, 8);
  restore(*pool, 1, first);
  CHECK(snapshot_of(*pool, 1) == now);
  first.back() = char(first.back() ^ 1);
  CHECK_THROWS(restore(*pool, 1, first), std::invalid_argument);
}

// The checksums are right, but the packed bytes are not.
TEST(a_forged_packed_state_is_refused) {
  const auto pool = PoolConfig{.num_envs = 2}(table<ImageEnv>());
  reset_all(*pool);
  (void)pool->recv();
  const std::string good = snapshot_of(*pool, 0);
  const auto is_restored = [&](std::string forged) {
    const u64 none = 0;
    std::memcpy(forged.data() + 16, &none, 8);
    const u64 sum = word_hash(std::string_view(forged).substr(32), word_hash({forged.data(), 32}, 0));
    std::memcpy(forged.data() + 16, &sum, 8);
    try {
      restore(*pool, 1, forged);
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  };
  CHECK(is_restored(good));
  CHECK(!is_restored(good.substr(0, good.size() - 8)));
  CHECK(!is_restored(good + std::string(8, '\1')));
  CHECK(!is_restored(good.substr(0, 32)));
  const auto other = PoolConfig{.num_envs = 2}.sum_env();  // its states are not packed
  reset_all(*other);
  (void)other->recv();
  std::string wrong = snapshot_of(*other, 0);
  wrong[7] = '3';  // the number of the packed format
  const u64 none = 0;
  std::memcpy(wrong.data() + 16, &none, 8);
  const u64 sum = word_hash(std::string_view(wrong).substr(32), word_hash({wrong.data(), 32}, 0));
  std::memcpy(wrong.data() + 16, &sum, 8);
  CHECK_THROWS(restore(*other, 0, wrong), std::invalid_argument);
}

TEST(several_environments_are_saved_restored_and_cloned_in_one_call) {
  const auto pool = PoolConfig{.num_envs = 4, .goal = 100}.sum_env();
  reset_all(*pool);
  (void)pool->recv();
  (void)step(*pool, {1, 2, 3, 4});
  const auto sums = [&] {
    const Batch batch = step(*pool, {0, 0, 0, 0});
    return std::vector<i64>{sum_of(*batch, 0), sum_of(*batch, 1), sum_of(*batch, 2), sum_of(*batch, 3)};
  };
  const i32 saved[] = {3, 0, 3}, all[] = {0, 1, 2, 3};
  const std::vector<std::string> states = pool->snapshot(saved, 3);
  CHECK_EQ(states.size(), 3u);
  CHECK(states[0] == states[2] && states[0] != states[1]);
  (void)step(*pool, {10, 10, 10, 10});
  const std::string_view views[] = {states[0], states[1], "nonsense"};
  const i32 to[] = {1, 2, 0};
  CHECK_THROWS(pool->restore(to, 3, views), std::invalid_argument);
  CHECK((sums() == std::vector<i64>{11, 12, 13, 14}));  // nothing was restored
  pool->restore(to, 2, views);
  CHECK((sums() == std::vector<i64>{11, 4, 1, 14}));
  const i32 twice[] = {1, 1}, outside[] = {1, 4};
  CHECK_THROWS(pool->restore(twice, 2, views), std::invalid_argument);
  CHECK_THROWS(pool->restore(outside, 2, views), std::invalid_argument);
  CHECK_THROWS(pool->snapshot(outside, 2), std::invalid_argument);
  // Environments exchange their states: each source is read before anything is written.
  const i32 sources[] = {1, 0, 3, 3};
  pool->clone(sources, all, 4);
  CHECK((sums() == std::vector<i64>{4, 11, 14, 14}));
  CHECK_THROWS(pool->clone(outside, all, 2), std::invalid_argument);
  CHECK_THROWS(pool->clone(all, twice, 2), std::invalid_argument);
}

TEST(an_asynchronous_pool_observes_more_environments_than_a_batch_has) {
  const auto pool = PoolConfig{.num_envs = 40, .batch_size = 2, .goal = 100}.sum_env();
  reset_all(*pool);
  for (i32 k = 0; k < 20; ++k) (void)pool->recv();
  const std::vector<i32> ids = all_ids(*pool);
  const Batch batch = pool->observe(ids.data(), 40);
  CHECK_EQ(batch->rows(), 40);
  for (i32 row = 0; row < 40; ++row) CHECK_EQ(batch->values<i32>(abi::kEnvId)[row], row);
  const i32 twice[] = {1, 1};
  CHECK_THROWS(pool->observe(twice, 2), std::invalid_argument);
  CHECK_THROWS(pool->observe(twice, 0), std::invalid_argument);
}

// The author of an environment made a mistake.
struct WrongPlaceEnv : SumEnv {
  static std::vector<abi::Repetition> repetitions(const Params&) { return {{0, 8, 1000}}; }
};
struct ShortDistanceEnv : SumEnv {
  static std::vector<abi::Repetition> repetitions(const Params&) { return {{8, 8, 4}}; }
};
struct OverlappingEnv : SumEnv {
  static std::vector<abi::Repetition> repetitions(const Params&) { return {{8, 8, 8}, {12, 4, 8}}; }
};
struct TooLargeEnv : SumEnv {
  static std::vector<abi::Repetition> repetitions(const Params&) { return {{8, 100000, 8}}; }
};
TEST(impossible_repetitions_are_refused) {
  CHECK_THROWS(PoolConfig{}(table<WrongPlaceEnv>()), std::invalid_argument);
  CHECK_THROWS(PoolConfig{}(table<ShortDistanceEnv>()), std::invalid_argument);
  CHECK_THROWS(PoolConfig{}(table<OverlappingEnv>()), std::invalid_argument);
  CHECK_THROWS(PoolConfig{}(table<TooLargeEnv>()), std::invalid_argument);
}

}  // namespace envpool::testing

TEST_MAIN()
