// SPDX-License-Identifier: Apache-2.0
//
// Tests snapshots and clones of environments.
#include "envpool/core/pool/env_pool.h"

#include "tests/core/environments.h"
#include "tests/support/testing.h"

namespace envpool::testing {

TEST(a_restored_environment_continues_exactly) {
  const auto pool = PoolConfig{.num_envs = 2, .goal = 100}.sum_env();
  reset_all(*pool);
  (void)pool->recv();
  (void)step(*pool, {5, 6});
  const std::string state = pool->snapshot(0);
  const i64 start = start_of(*step(*pool, {7, 8}), 0);
  pool->restore(1, state.data(), i64(state.size()));
  const Batch batch = step(*pool, {1, 7});
  CHECK_EQ(start_of(*batch, 1), start);
  CHECK_EQ(sum_of(*batch, 1), 12);
  std::string damaged = state;
  damaged.back() = char(damaged.back() ^ 1);
  CHECK_THROWS(pool->restore(0, damaged.data(), i64(damaged.size())), std::invalid_argument);
  CHECK_THROWS(pool->restore(0, state.data(), 3), std::invalid_argument);
  CHECK_THROWS(pool->restore(0, nullptr, 0), std::invalid_argument);
  const auto other = PoolConfig{}.varying_players();
  CHECK_THROWS(other->restore(0, state.data(), i64(state.size())), std::invalid_argument);
}

// The pool knows whether an episode is over and how many players it has; both are part of a state.
TEST(restore_and_clone_copy_the_status_of_the_episode) {
  for (const bool clones : {false, true}) {
    const auto pool = PoolConfig{.num_envs = 2, .autoreset = abi::kAutoresetDisabled, .goal = 10}.sum_env();
    const auto copy = [&](EnvPool& of, i32 from, i32 to) {
      if (clones) return of.clone(from, &to, 1);
      const std::string state = of.snapshot(from);
      of.restore(to, state.data(), i64(state.size()));
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

}  // namespace envpool::testing

TEST_MAIN()
