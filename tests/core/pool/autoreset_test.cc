// SPDX-License-Identifier: Apache-2.0
//
// Tests the autoreset modes, the time limit and seeds.
#include "envpool/core/pool/env_pool.h"

#include "tests/core/environments.h"
#include "tests/support/testing.h"

namespace envpool::testing {

TEST(next_step_autoreset) {
  const auto pool = PoolConfig{.goal = 10}.sum_env();
  {
    const Batch first = step(*pool, {7});
    CHECK_EQ(sum_of(*first, 0), 0);
  }  // the first step resets
  {
    const Batch last = step(*pool, {10});
    CHECK_EQ(last->values<u8>(abi::kTerminated)[0], 1);
    CHECK_EQ(last->values<u8>(abi::kTruncated)[0], 0);
    CHECK_EQ(last->values<f32>(abi::kDiscount)[0], 0.0f);
    CHECK_EQ(last->values<f32>(abi::kReward)[0], 10.0f);
    CHECK_EQ(last->values<i32>(abi::kStepType)[0], 2);
    CHECK_EQ(sum_of(*last, 0), 10);
  }
  const Batch next = step(*pool, {3});
  CHECK_EQ(next->values<i32>(abi::kStepType)[0], 0);
  CHECK_EQ(next->values<i32>(abi::kElapsed)[0], 0);
  CHECK_EQ(next->values<f32>(abi::kReward)[0], 0.0f);
  CHECK_EQ(sum_of(*next, 0), 0);
}

TEST(same_step_autoreset_returns_the_last_observation) {
  const auto pool = PoolConfig{.autoreset = abi::kAutoresetSameStep, .goal = 10}.sum_env();
  reset_all(*pool);
  const i64 start = start_of(*pool->recv(), 0);
  const Batch batch = step(*pool, {12});
  const int final_obs = pool->block_layout().find("final.obs");
  CHECK_EQ(batch->values<i64>(final_obs)[0], start);
  CHECK_EQ(batch->values<i64>(final_obs)[1], 12);
  CHECK_EQ(sum_of(*batch, 0), 0);
  CHECK(start_of(*batch, 0) != start);
  CHECK_EQ(batch->values<u8>(abi::kTerminated)[0], 1);
  CHECK_EQ(batch->values<i32>(abi::kElapsed)[0], 1);
  CHECK_EQ(sum_of(*step(*pool, {4}), 0), 4);
}

TEST(without_autoreset_an_ended_episode_cannot_be_stepped) {
  const auto pool = PoolConfig{.num_envs = 2, .autoreset = abi::kAutoresetDisabled, .goal = 10}.sum_env();
  CHECK_THROWS(step(*pool, {1, 1}), std::invalid_argument);
  reset_all(*pool);
  {
    const Batch batch = pool->recv();
  }
  {
    const Batch batch = step(*pool, {10, 1});
  }
  CHECK_THROWS(step(*pool, {1, 1}), std::invalid_argument);
  send(*pool, {1}, {1});
  CHECK_EQ(sum_of(*pool->recv(), 0), 2);
  const i32 first = 0;
  pool->reset(&first, 1);
  CHECK_EQ(sum_of(*pool->recv(), 0), 0);
  CHECK_EQ(sum_of(*step(*pool, {1, 1}), 1), 3);
}

TEST(termination_and_truncation_are_distinguished) {
  const auto pool = PoolConfig{.num_envs = 2, .max_episode_steps = 2, .goal = 10}.sum_env();
  reset_all(*pool);
  {
    const Batch batch = pool->recv();
  }
  {
    const Batch batch = step(*pool, {5, 1});
  }
  const Batch batch = step(*pool, {5, 1});
  CHECK_EQ(batch->values<u8>(abi::kTerminated)[0], 1);  // terminated at the time limit
  CHECK_EQ(batch->values<u8>(abi::kTruncated)[0], 1);
  CHECK_EQ(batch->values<f32>(abi::kDiscount)[0], 0.0f);
  CHECK_EQ(batch->values<u8>(abi::kTerminated)[1], 0);
  CHECK_EQ(batch->values<u8>(abi::kTruncated)[1], 1);
  CHECK_EQ(batch->values<f32>(abi::kDiscount)[1], 1.0f);
}

TEST(a_reset_with_seeds_is_reproducible) {
  const auto pool = PoolConfig{.num_envs = 2}.sum_env();
  const i32 ids[] = {0, 1};
  const u64 seeds[] = {5, 5};
  const u32 streams[] = {0, 0};
  pool->reset(ids, 2, seeds, streams);
  i64 first;
  {
    const Batch batch = pool->recv();
    first = start_of(*batch, 0);
    CHECK_EQ(first, start_of(*batch, 1));
  }
  pool->reset(ids, 2);
  CHECK(start_of(*pool->recv(), 0) != first);
  pool->reset(ids, 2, seeds, streams);
  CHECK_EQ(start_of(*pool->recv(), 0), first);
}

}  // namespace envpool::testing

TEST_MAIN()
