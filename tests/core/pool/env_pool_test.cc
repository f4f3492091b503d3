// SPDX-License-Identifier: Apache-2.0
//
// Tests the batches, trajectories, exceptions and threads of a pool.
#include "envpool/core/pool/env_pool.h"

#include <cfenv>
#include <map>
#include <set>

#include "tests/core/environments.h"
#include "tests/support/allocations.h"
#include "tests/support/testing.h"

namespace envpool::testing {

TEST(rows_are_in_the_order_of_the_send) {
  const auto pool = PoolConfig{.num_envs = 6}.sum_env();
  reset_all(*pool);
  {
    const Batch batch = pool->recv();
  }
  send(*pool, {4, 1, 3}, {40, 10, 30});
  send(*pool, {0, 5}, {1, 5});
  const Batch first = pool->recv();
  CHECK_EQ(first->rows(), 3);
  for (i32 row = 0; row < 3; ++row) {
    const i32 env_id = first->values<i32>(abi::kEnvId)[row];
    CHECK_EQ(env_id, (std::vector<i32>{4, 1, 3})[size_t(row)]);
    CHECK_EQ(sum_of(*first, row), env_id * 10);
  }
  const Batch second = pool->recv();
  CHECK_EQ(second->values<i32>(abi::kEnvId)[1], 5);
}

// Every trajectory is a function of the seed, the environment's index and the actions alone.
TEST(trajectories_do_not_depend_on_threads_or_batches) {
  std::map<i32, std::vector<i64>> expected;
  for (const auto& [threads, batch] : {std::pair{1, 0}, {2, 0}, {3, 0}, {8, 0}, {1, 3}, {2, 1}, {3, 5}, {8, 12}}) {
    const auto pool = PoolConfig{.num_envs = 12, .batch_size = batch, .num_threads = threads}.sum_env();
    std::map<i32, std::vector<i64>> seen;
    reset_all(*pool);
    const auto enough = [&] {
      bool all = seen.size() == 12;
      for (const auto& [env_id, trajectory] : seen) all &= trajectory.size() >= 3 * 30;
      return all;
    };
    while (!enough()) {
      const Batch block = pool->recv();
      std::vector<i32> ids, actions;
      for (i32 row = 0; row < block->rows(); ++row) {
        const i32 env_id = block->values<i32>(abi::kEnvId)[row];
        auto& trajectory = seen[env_id];
        trajectory.insert(trajectory.end(),
                          {start_of(*block, row), sum_of(*block, row), block->values<i32>(abi::kStepType)[row]});
        ids.push_back(env_id);
        actions.push_back(env_id % 4 + i32(trajectory.size() / 3) % 3);
      }
      send(*pool, ids, actions);
    }
    for (auto& [env_id, trajectory] : seen) trajectory.resize(3 * 30);
    if (expected.empty()) expected = seen;
    CHECK(seen == expected);
  }
  std::set<i64> starts;
  for (const auto& [env_id, trajectory] : expected) starts.insert(trajectory[0]);
  CHECK_EQ(starts.size(), 12u);
}

TEST(an_environment_cannot_be_sent_twice) {
  const auto pool = PoolConfig{.num_envs = 3}.sum_env();
  reset_all(*pool);
  CHECK_THROWS(send(*pool, {1}, {0}), std::runtime_error);
  CHECK_THROWS(snapshot_of(*pool, 1), std::runtime_error);
  {
    const Batch batch = pool->recv();
  }
  CHECK_THROWS(send(*pool, {1, 1}, {0, 0}), std::invalid_argument);
  CHECK_THROWS(send(*pool, {3}, {0}), std::invalid_argument);
  CHECK_THROWS(send(*pool, {-1}, {0}), std::invalid_argument);
  CHECK_THROWS(send(*pool, {}, {}), std::invalid_argument);
  CHECK_EQ(pool->under_way(), 0);
  CHECK_EQ(step(*pool, {1, 2, 3})->rows(), 3);
}

TEST(an_endless_wait_is_refused) {
  const auto sync = PoolConfig{.num_envs = 2}.sum_env();
  CHECK_THROWS(sync->recv(), std::runtime_error);
  const auto async = PoolConfig{.num_envs = 4, .batch_size = 3}.sum_env();
  send(*async, {0, 1}, {0, 0});
  CHECK_THROWS(async->recv(), std::runtime_error);
  send(*async, {2}, {0});
  CHECK_EQ(async->recv()->rows(), 3);
}

TEST(calls_from_xla_never_wait_for_other_threads) {
  for (i32 batch_size : {0, 3}) {
    const auto pool = PoolConfig{.num_envs = 4, .batch_size = batch_size}.sum_env();
    send(*pool, {0, 1}, {0, 0});
    std::thread([&] { send(*pool, {2}, {0}); }).join();  // a second thread has called the pool
    const std::vector<i32> counts = batch_size == 0 ? std::vector<i32>{2, 1} : std::vector<i32>{3};
    for (i32 count : counts) CHECK_EQ(pool->recv({}, {}, CallerHelp::kNo, Caller::kXla)->rows(), count);
    CHECK_THROWS(pool->recv({}, {}, CallerHelp::kNo, Caller::kXla), std::runtime_error);
    CHECK_THROWS(pool->recv(after(0.01)), TimedOut);
  }
}

TEST(an_exception_is_reported_by_recv) {
  for (i32 batch_size : {0, 2}) {
    const auto pool = PoolConfig{.num_envs = 4, .batch_size = batch_size}.faulty();
    reset_all(*pool);
    std::vector<Failure> failures;
    for (i32 rows = 0; rows < 4;) rows += pool->recv()->rows();
    send(*pool, {0, 1, 2, 3}, {0, 1, 0, 4});
    for (i32 rows = 0; rows < 4;) {
      const Batch batch = pool->recv();
      for (i32 row = 0; row < batch->rows(); ++row) {
        const i32 env_id = batch->values<i32>(abi::kEnvId)[row];
        CHECK_EQ(batch->values<i32>(kObs)[row], env_id == 1 || env_id == 3 ? 1000 : 1001);
        CHECK_EQ(batch->values<i32>(abi::kStepType)[row], env_id == 1 ? 0 : (env_id == 3 ? 2 : 1));
      }
      failures.insert(failures.end(), batch->failures().begin(), batch->failures().end());
      rows += batch->rows();
    }
    CHECK_EQ(failures.size(), 1u);
    CHECK_EQ(failures[0].env_id, 1);
    CHECK_EQ(failures[0].message, "step threw");
    failures.clear();
    send(*pool, {0, 1, 2, 3}, {0, 0, 0, 0});  // resets environment 3, which throws
    for (i32 rows = 0; rows < 4;) {
      const Batch batch = pool->recv();
      for (i32 row = 0; row < batch->rows(); ++row) {
        if (batch->values<i32>(abi::kEnvId)[row] == 3) CHECK_EQ(batch->values<i32>(kObs)[row], 0);
      }
      failures.insert(failures.end(), batch->failures().begin(), batch->failures().end());
      rows += batch->rows();
    }
    CHECK_EQ(failures.size(), 1u);
    CHECK_EQ(failures[0].message, "reset threw");
    send(*pool, {3, 0}, {0, 0});  // resets environment 3 again
    const Batch batch = pool->recv();
    CHECK(batch->failures().empty());
  }
}

// FaultyEnv with steps that are known to be short, so that an asynchronous pool claims the rows of a run at once.
class ShortFaultyEnv : public FaultyEnv {
 public:
  static constexpr const char* kName = "ShortFaultyEnv";
  static constexpr bool kBounded = true;
  using FaultyEnv::FaultyEnv;
};

TEST(an_exception_in_a_run_is_reported_in_the_batch_of_its_row) {
  constexpr i32 kEnvs = 40, kBatch = 8, kFaulty = 21;
  const auto pool =
      PoolConfig{.num_envs = kEnvs, .batch_size = kBatch, .num_threads = 1}(table<ShortFaultyEnv>(), "ignored");
  const std::vector<i32> ids = all_ids(*pool);
  reset_all(*pool);
  for (int round = 0; round < 30; ++round) {
    std::vector<i32> actions(kEnvs, 0);
    if (round > 0) {
      if (round % 5 == 4) actions[kFaulty] = 1;
      send(*pool, ids, actions);
    }
    std::set<i32> seen;
    for (i32 rows = 0; rows < kEnvs; rows += kBatch) {
      const Batch batch = pool->recv();
      bool has_faulty = false;
      for (i32 row = 0; row < kBatch; ++row) {
        const i32 env_id = batch->values<i32>(abi::kEnvId)[row];
        seen.insert(env_id);
        has_faulty |= env_id == kFaulty;
        const i32 steps = env_id == kFaulty ? round < 4 ? round : (round + 1) % 5 : round;
        CHECK_EQ(batch->values<i32>(kObs)[row], 1000 + steps);
      }
      CHECK_EQ(batch->failures().size(), has_faulty && round % 5 == 4 ? 1u : 0u);
    }
    CHECK_EQ(i32(seen.size()), kEnvs);
  }
}

TEST(an_exception_in_a_constructor_is_reported) {
  CHECK_THROWS((PoolConfig{.num_envs = 3, .goal = 1}(table<FaultyEnv>(), "throw_in_constructor")),
               std::invalid_argument);
}

TEST(several_threads_can_use_a_pool) {
  const auto pool = PoolConfig{.num_envs = 30, .batch_size = 4, .num_threads = 2}.sum_env();
  reset_all(*pool);
  std::atomic<i32> received{0};
  std::vector<std::thread> actors;
  for (int t = 0; t < 3; ++t) {
    actors.emplace_back([&] {
      while (received < 6000) {
        try {
          const Batch batch = pool->recv(after(0.2));
          received += batch->rows();
          std::vector<i32> ids(batch->values<i32>(abi::kEnvId), batch->values<i32>(abi::kEnvId) + batch->rows());
          send(*pool, ids, std::vector<i32>(ids.size(), 1));
        } catch (const TimedOut&) {
        }
      }
    });
  }
  for (std::thread& actor : actors) actor.join();
  pool->discard();
  CHECK_EQ(pool->under_way(), 0);
  reset_all(*pool);
  CHECK_EQ(pool->recv()->rows(), 4);
  pool->close(std::chrono::seconds(5));
}

// Reports the rounding mode in which it runs.
class RoundingModeEnv : public HostEnvBase {
 public:
  static constexpr const char* kName = "RoundingModeEnv";
  static constexpr bool kBounded = true;
  static void spec(const Params& params, Spec& spec) {
    HostEnvBase::spec(params, spec);
    spec.render_height = spec.render_width = 1;
  }
  RoundingModeEnv(const Params&, i32) { CHECK_EQ(std::fegetround(), FE_TONEAREST); }
  void reset(Rng&) { CHECK_EQ(std::fegetround(), FE_TONEAREST); }
  Outcome step(ActionRow, Rng&) { return {f32(std::fegetround())}; }
  void observe(Row row) { *row.at<i32, 1>(0) = std::fegetround(); }
  void render(u8* rgb) { rgb[0] = rgb[1] = rgb[2] = u8(std::fegetround() / 256); }
};

TEST(environments_run_in_the_default_rounding_mode) {
  for (i32 threads : {1, 2}) {
    std::fesetround(FE_UPWARD);
    const auto pool = PoolConfig{.num_envs = 2, .num_threads = threads}(table<RoundingModeEnv>());
    reset_all(*pool);
    for (int i = 0; i < 3; ++i) {
      const Batch batch = i == 0 ? pool->recv({}, {}, CallerHelp::kYes) : step(*pool, {1, 1});
      for (i32 row = 0; row < 2; ++row) CHECK_EQ(batch->values<i32>(kObs)[row], FE_TONEAREST);
    }
    u8 rgb[3];
    const i32 first = 0;
    pool->render(&first, 1, rgb);
    CHECK_EQ(rgb[0], FE_TONEAREST);
    CHECK_EQ(std::fegetround(), FE_UPWARD);
    std::fesetround(FE_TONEAREST);
  }
}

TEST(threads_have_names) {
  const auto pool = PoolConfig{.num_envs = 2, .num_threads = 2}.faulty();
  reset_all(*pool);
  (void)pool->recv();
  for (int i = 0; i < 20; ++i) (void)step(*pool, {2, 2});
  const std::lock_guard lock(FaultyEnv::names_mutex);
  CHECK_EQ(FaultyEnv::names.count("envpool-0") + FaultyEnv::names.count("envpool-1"), 2u);
}

TEST(stepping_does_not_allocate) {
  for (i32 batch_size : {0, 16}) {
    const auto pool = PoolConfig{.num_envs = 64, .batch_size = batch_size, .goal = 5}.sum_env();
    reset_all(*pool);
    std::vector<i32> actions(64, 1);
    const void* field = actions.data();
    const auto rounds = [&](int count) {
      for (int i = 0; i < count; ++i) {
        const Batch batch = pool->recv();
        pool->send(batch->values<i32>(abi::kEnvId), batch->rows(), &field);
      }
    };
    rounds(200);
    CHECK_EQ(allocations_of([&] { rounds(500); }), 0);
  }
}

TEST(a_pool_can_have_more_threads_than_environments) {
  const auto pool = PoolConfig{.num_envs = 2, .num_threads = 64}.sum_env();
  reset_all(*pool);
  (void)pool->recv();
  for (int i = 0; i < 100; ++i) (void)step(*pool, {1, 1});
  pool->close(std::chrono::seconds(5));
  CHECK_THROWS(step(*pool, {1, 1}), std::runtime_error);
}

}  // namespace envpool::testing

TEST_MAIN()
