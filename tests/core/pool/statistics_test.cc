// SPDX-License-Identifier: Apache-2.0
//
// Tests returns of episodes, normalized observations and normalized rewards. tests/python/statistics_test.py compares
// them with gymnasium's wrappers.
#include "envpool/core/pool/env_pool.h"

#include <cmath>

#include "tests/core/environments.h"
#include "tests/support/testing.h"

namespace envpool::testing {

const StatisticsOptions kEverything{true, "obs", Normalization{}, Normalization{}};

std::vector<std::vector<f64>> values_of(EnvPool& pool) {
  return pool.access_statistics([](Statistics& statistics) {
    std::vector<std::vector<f64>> values;
    for (const Statistics::Part& part : statistics.parts()) {
      std::vector<f64>& numbers = values.emplace_back();
      for (i64 i = 0; i < part.count; ++i) {
        numbers.push_back(part.dtype == abi::kF32 ? static_cast<const f32*>(part.data)[i]
                                                  : static_cast<const f64*>(part.data)[i]);
      }
    }
    return values;
  });
}
const f64* returns_of(const Batch& batch) { return batch->values<f64>(batch->layout().find("episode_return")); }

TEST(arrays_exist_only_with_their_options) {
  for (const abi::Autoreset autoreset : {abi::kAutoresetNextStep, abi::kAutoresetSameStep}) {
    const bool same_step = autoreset == abi::kAutoresetSameStep;
    const auto plain = PoolConfig{.autoreset = autoreset}.sum_env();
    const auto pool = PoolConfig{.autoreset = autoreset, .statistics = kEverything}.sum_env();
    const BlockLayout &off = plain->block_layout(), &on = pool->block_layout();
    CHECK_EQ(on.arrays.size() - off.arrays.size(), same_step ? 3u : 2u);
    CHECK_EQ(off.find("episode_return"), -1);
    CHECK_EQ(off.raw_obs, -1);
    CHECK_EQ(on.raw_obs, off.find("obs"));
    CHECK_EQ(on.normalized_obs, on.find("obs"));
    CHECK_EQ(on.final_normalized_obs, on.find("final.obs"));
    CHECK(on.arrays[size_t(on.find("obs"))].dtype == abi::kF32);
    CHECK(on.arrays[size_t(on.find("raw.obs"))].dtype == abi::kI64);
    CHECK_EQ(on.find("final.obs") >= 0, same_step);
    CHECK_EQ(on.find("raw.final.obs"), same_step ? on.raw_obs + on.own_fields : -1);
  }
}

// Rewards of SumEnv are the sums of the actions so far: 3, 6, 9 and 12, with which an episode ends.
TEST(returns_are_sums_of_one_episode) {
  for (const abi::Autoreset autoreset : {abi::kAutoresetNextStep, abi::kAutoresetSameStep}) {
    const auto pool = PoolConfig{.num_envs = 2, .autoreset = autoreset, .statistics = {true}}.sum_env();
    reset_all(*pool);
    CHECK_EQ(returns_of(pool->recv())[1], 0);
    const std::vector<f64> expected = autoreset == abi::kAutoresetNextStep
                                          ? std::vector<f64>{3, 9, 18, 30, 0, 3, 9, 18, 30, 0, 3}
                                          : std::vector<f64>{3, 9, 18, 30, 3, 9, 18, 30, 3};
    for (const f64 value : expected) CHECK_EQ(returns_of(step(*pool, {3, 3}))[1], value);
  }
}

TEST(returns_belong_to_environments_and_not_to_rows) {
  const auto pool = PoolConfig{.num_envs = 3, .goal = 1000, .statistics = {true}}.sum_env();
  reset_all(*pool);
  (void)pool->recv();
  send(*pool, {2, 0}, {5, 1});
  send(*pool, {1}, {9});
  Batch batch = pool->recv();
  CHECK_EQ(returns_of(batch)[0], 5);
  CHECK_EQ(returns_of(batch)[1], 1);
  CHECK_EQ(returns_of(pool->recv())[0], 9);
  batch = step(*pool, {1, 1, 1});
  CHECK_EQ(returns_of(batch)[0], 1 + 2);
  CHECK_EQ(returns_of(batch)[1], 9 + 10);
  CHECK_EQ(returns_of(batch)[2], 5 + 6);
}

TEST(asynchronous_pools_sum_the_rewards_of_each_environment) {
  const auto pool = PoolConfig{.num_envs = 6, .batch_size = 2, .statistics = {true}}.sum_env();
  reset_all(*pool);
  std::vector<f64> sums(6);
  for (int i = 0; i < 300; ++i) {
    const Batch batch = pool->recv();
    const i32* const ids = batch->values<i32>(abi::kEnvId);
    for (i32 row = 0; row < 2; ++row) {
      f64& sum = sums[size_t(ids[row])];
      sum = batch->values<i32>(abi::kElapsed)[row] == 0 ? 0 : sum + f64(batch->values<f32>(abi::kReward)[row]);
      CHECK_EQ(returns_of(batch)[row], sum);
    }
    send(*pool, {ids[0], ids[1]}, {1 + i % 3, 2});
  }
}

TEST(a_batch_that_is_put_back_is_processed_once) {
  const PoolConfig config{.num_envs = 3, .statistics = kEverything};
  const auto pool = config.sum_env(), twin = config.sum_env();
  for (const auto& each : {pool, twin}) {
    reset_all(*each);
    (void)each->recv();
  }
  (void)step(*twin, {1, 2, 3});
  send(*pool, {0, 1, 2}, {1, 2, 3});
  for (int i = 0; i < 3; ++i) pool->put_back(pool->begin_recv());
  (void)pool->recv();
  CHECK(values_of(*pool) == values_of(*twin));
}

TEST(observations_in_integers_are_normalized_in_float64) {
  const auto pool =
      PoolConfig{.num_envs = 2, .goal = 1000, .statistics = {false, "obs", Normalization{}, {}}}.sum_env();
  reset_all(*pool);
  (void)pool->recv();
  f64 mean = 0, var = f64(f32(1e-4)) / 2.0001, count = 2.0001;  // after a batch of zeros
  for (const i32 action : {1, 7, 3}) {
    const Batch batch = step(*pool, {action, 0});
    const f64 sums[2] = {f64(sum_of(*batch, 0)), 0}, center = sums[0] / 2, delta = center - mean;
    var = (var * count + center * center * 2 + delta * delta * count * 2 / (count + 2)) / (count + 2);
    mean += delta * 2 / (count + 2);
    count += 2;
    const f32* const obs = batch->values<f32>(batch->layout().find("obs"));
    for (int row = 0; row < 2; ++row) {
      CHECK(std::abs(obs[2 * row + 1] - (sums[row] - mean) / std::sqrt(var + 1e-8)) < 1e-6);
    }
  }
}

TEST(results_do_not_depend_on_threads) {
  std::vector<std::vector<f64>> values[2];
  for (const i32 threads : {1, 4}) {
    const auto pool = PoolConfig{.num_envs = 200, .num_threads = threads, .statistics = kEverything}.sum_env();
    reset_all(*pool);
    (void)pool->recv();
    std::vector<i32> actions(200);
    for (int i = 0; i < 50; ++i) {
      for (i32 k = 0; k < 200; ++k) actions[size_t(k)] = (i + k) % 5;
      (void)step(*pool, actions);
    }
    values[threads == 4] = values_of(*pool);
  }
  CHECK(values[0] == values[1]);
}

TEST(copies_and_restored_states_have_the_returns_that_are_known) {
  const auto pool = PoolConfig{.num_envs = 3, .goal = 1000, .statistics = kEverything}.sum_env();
  reset_all(*pool);
  (void)pool->recv();
  (void)step(*pool, {1, 2, 3});
  const i32 sources[] = {1, 0}, ids[] = {0, 1};
  pool->clone(sources, ids, 2);  // exchanges two states
  restore(*pool, 2, snapshot_of(*pool, 2));
  const Batch batch = pool->observe(all_ids(*pool).data(), 3);
  CHECK_EQ(returns_of(batch)[0], 2);
  CHECK_EQ(returns_of(batch)[1], 1);
  CHECK(std::isnan(returns_of(batch)[2]));
}

}  // namespace envpool::testing

TEST_MAIN()
