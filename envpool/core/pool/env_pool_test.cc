// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/pool/env_pool.h"

#include <cfenv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "envpool/core/testing/allocations.h"
#include "envpool/core/testing/environments.h"
#include "envpool/core/testing/testing.h"

namespace envpool::testing {

constexpr int kObs = abi::kCommonFields;

// Says which way it is made to round, wherever it computes.
class Rounder {
 public:
  static constexpr const char* kName = "Rounder";
  struct Params {};
  static void options(OptionSpecs& o) { o.integer("goal", 10, "ignored"); }
  static Params params(const OptionValues&) { return {}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<i32>("obs");
    spec.action<i32>().categories(2);
    spec.render_height = spec.render_width = 1;
  }
  static constexpr bool kBounded = true;
  Rounder(const Params&, i32) { CHECK_EQ(std::fegetround(), FE_TONEAREST); }
  void reset(Rng&) { CHECK_EQ(std::fegetround(), FE_TONEAREST); }
  Outcome step(ActionRow, Rng&) { return {f32(std::fegetround())}; }
  void observe(Row row) { *row.at<i32, 1>(0) = std::fegetround(); }
  void render(u8* rgb) { rgb[0] = rgb[1] = rgb[2] = u8(std::fegetround() / 256); }
};

// Says that it allocates as much memory as an option asks for, but allocates none.
class Claimant {
 public:
  static constexpr const char* kName = "Claimant";
  struct Params {
    i64 bytes;
  };
  static void options(OptionSpecs& o) { o.integer("goal", 0, "bytes of the heap that an environment claims"); }
  static Params params(const OptionValues& values) { return {values.integer("goal")}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<i32>("obs");
    spec.action<i32>();
  }
  static i64 heap_bytes(const Params& params) { return params.bytes; }
  Claimant(const Params&, i32) { ++made; }
  void reset(Rng&) {}
  Outcome step(ActionRow, Rng&) { return {}; }
  void observe(Row row) { *row.at<i32, 1>(0) = 0; }

  static inline std::atomic<i32> made{0};
};

i64 start_of(const Block& block, i32 row) { return block.values<i64>(kObs)[row * 2]; }
i64 sum_of(const Block& block, i32 row) { return block.values<i64>(kObs)[row * 2 + 1]; }

TEST(rows_come_back_in_the_order_asked_for) {
  const auto pool = Making{.num_envs = 6}.counter();
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
    const auto pool = Making{.num_envs = 12, .batch_size = batch, .num_threads = threads}.counter();
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

TEST(next_step_autoreset) {
  const auto pool = Making{.goal = 10}.counter();
  {
    const Batch first = step(*pool, {7});
    CHECK_EQ(sum_of(*first, 0), 0);
  }  // before any reset a step is one
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

TEST(same_step_autoreset_keeps_the_last_observation) {
  const auto pool = Making{.autoreset = abi::kAutoresetSameStep, .goal = 10}.counter();
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

TEST(without_autoreset_an_ended_episode_is_refused) {
  const auto pool = Making{.num_envs = 2, .autoreset = abi::kAutoresetDisabled, .goal = 10}.counter();
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

TEST(the_end_and_the_time_limit_are_told_apart) {
  const auto pool = Making{.num_envs = 2, .max_episode_steps = 2, .goal = 10}.counter();
  reset_all(*pool);
  {
    const Batch batch = pool->recv();
  }
  {
    const Batch batch = step(*pool, {5, 1});
  }
  const Batch batch = step(*pool, {5, 1});
  CHECK_EQ(batch->values<u8>(abi::kTerminated)[0], 1);  // at the limit, and a true end
  CHECK_EQ(batch->values<u8>(abi::kTruncated)[0], 1);
  CHECK_EQ(batch->values<f32>(abi::kDiscount)[0], 0.0f);
  CHECK_EQ(batch->values<u8>(abi::kTerminated)[1], 0);
  CHECK_EQ(batch->values<u8>(abi::kTruncated)[1], 1);
  CHECK_EQ(batch->values<f32>(abi::kDiscount)[1], 1.0f);
}

TEST(seeds_are_honoured) {
  const auto pool = Making{.num_envs = 2}.counter();
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

TEST(an_environment_is_under_way_once) {
  const auto pool = Making{.num_envs = 3}.counter();
  reset_all(*pool);
  CHECK_THROWS(send(*pool, {1}, {0}), std::runtime_error);
  CHECK_THROWS(pool->snapshot(1), std::runtime_error);
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

TEST(a_wait_that_cannot_end_is_refused) {
  const auto sync = Making{.num_envs = 2}.counter();
  CHECK_THROWS(sync->recv(), std::runtime_error);
  const auto async = Making{.num_envs = 4, .batch_size = 3}.counter();
  send(*async, {0, 1}, {0, 0});
  CHECK_THROWS(async->recv(), std::runtime_error);
  send(*async, {2}, {0});
  CHECK_EQ(async->recv()->rows(), 3);
}

TEST(jitted_code_never_waits_for_others) {
  for (i32 batch_size : {0, 3}) {
    const auto pool = Making{.num_envs = 4, .batch_size = batch_size}.counter();
    send(*pool, {0, 1}, {0, 0});
    std::thread([&] { send(*pool, {2}, {0}); }).join();  // there are two callers now
    const std::vector<i32> counts = batch_size == 0 ? std::vector<i32>{2, 1} : std::vector<i32>{3};
    for (i32 count : counts) CHECK_EQ(pool->recv({}, {}, CallerHelp::kNo, Caller::kXla)->rows(), count);
    CHECK_THROWS(pool->recv({}, {}, CallerHelp::kNo, Caller::kXla), std::runtime_error);
    CHECK_THROWS(pool->recv(in(0.01)), TimedOut);
  }
}

TEST(an_exception_reaches_recv_and_nothing_is_lost) {
  for (i32 batch_size : {0, 2}) {
    const auto pool = Making{.num_envs = 4, .batch_size = batch_size}.moody();
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
    send(*pool, {0, 1, 2, 3}, {0, 0, 0, 0});  // 3 is reset, and throws
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
    send(*pool, {3, 0}, {0, 0});  // and is reset again
    const Batch batch = pool->recv();
    CHECK(batch->failures().empty());
  }
}

TEST(an_environment_that_cannot_be_made_says_so) {
  CHECK_THROWS((Making{.num_envs = 3, .goal = 1}(table<Moody>(), "stillborn")), std::invalid_argument);
}

TEST(a_hang_stops_neither_the_others_nor_close) {
  Moody::release = false;
  const auto pool = Making{.num_envs = 3, .batch_size = 1, .num_threads = 2}.moody();
  reset_all(*pool);
  for (i32 i = 0; i < 3; ++i) (void)pool->recv();
  send(*pool, {0, 1}, {3, 0});
  CHECK_EQ(pool->recv(in(5))->values<i32>(abi::kEnvId)[0], 1);
  CHECK_THROWS(pool->recv(in(0.05)), TimedOut);
  send(*pool, {2}, {0});
  CHECK_EQ(pool->recv(in(5))->values<i32>(abi::kEnvId)[0], 2);
  CHECK_THROWS(pool->recv({}, [] { return true; }), Interrupted);
  CHECK_THROWS(pool->close(std::chrono::milliseconds(50)), TimedOut);
  CHECK_THROWS(pool->recv(), std::runtime_error);
  Moody::release = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

TEST(threads_may_share_a_pool) {
  const auto pool = Making{.num_envs = 30, .batch_size = 4, .num_threads = 2}.counter();
  reset_all(*pool);
  std::atomic<i32> received{0};
  std::vector<std::thread> actors;
  for (int t = 0; t < 3; ++t) {
    actors.emplace_back([&] {
      while (received < 6000) {
        try {
          const Batch batch = pool->recv(in(0.2));
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

// A receiver that went to sleep while workers were to do the work was once not woken for work that was left to callers.
TEST(a_wait_ends_whoever_was_to_do_the_work) {
  for (int round = 0; round < 40; ++round) {
    const auto pool = Making{.num_envs = 12, .batch_size = 2, .num_threads = 2, .goal = 1000}.counter();
    reset_all(*pool);
    std::atomic<i32> timed_out{0};
    std::vector<std::thread> actors;
    for (int t = 0; t < 3; ++t) {
      actors.emplace_back([&] {
        try {
          for (int i = 0; i < 200; ++i) {
            const Batch batch = pool->recv(in(20));
            const std::vector<i32> ids(batch->values<i32>(abi::kEnvId),
                                       batch->values<i32>(abi::kEnvId) + batch->rows());
            send(*pool, ids, std::vector<i32>(ids.size(), 1));
          }
        } catch (const TimedOut&) {
          ++timed_out;
        }
      });
    }
    for (std::thread& actor : actors) actor.join();
    CHECK_EQ(timed_out.load(), 0);
  }
}

// A send of work that is not worth a worker leaves it to callers in recv. One that is asleep there already, because the
// work before was for workers, was once not woken. It wakes every 50 ms to look for signals, but then did not look for
// work; the model in wake_protocol_test.cc has this order too.
TEST(a_receiver_that_sleeps_is_woken_for_work_that_is_left_to_callers) {
  for (int round = 0; round < 6; ++round) {
    const auto pool = Making{.num_envs = 4, .batch_size = 2, .num_threads = 2, .goal = 100000}.counter();
    reset_all(*pool);
    for (int i = 0; i < 2; ++i) (void)pool->recv();
    for (int i = 0; i < 50; ++i) {  // so that the cost of a step is known
      send(*pool, {0, 1}, {1, 1});
      (void)pool->recv();
    }
    reset_all(*pool);  // for workers, because its cost is not known
    for (int i = 0; i < 2; ++i) (void)pool->recv();
    std::thread([&] { CHECK_THROWS(pool->recv(in(0)), TimedOut); }).join();  // there are two callers now
    bool timed_out = false;
    std::thread receiver([&] {
      try {
        (void)pool->recv(in(2));
      } catch (const TimedOut&) {
        timed_out = true;
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(round < 3 ? 5 : 70));
    send(*pool, {0}, {1});
    send(*pool, {1}, {1});
    receiver.join();
    CHECK(!timed_out);
  }
}

// Returns how long after `event` a thread ends that waits in recv meanwhile: the best of some times. A wait looks for
// signals every 50 ms, so that one whose wake-up is missing ends too, but late.
template <class Prepare, class Event>
f64 fastest_wakeup_ms(Prepare&& prepare, Event&& event) {
  f64 best = HUGE_VAL;
  for (int round = 0; round < 8; ++round) {
    const std::shared_ptr<EnvPool> pool = prepare();
    std::thread([&] { CHECK_THROWS(pool->recv(in(0)), TimedOut); }).join();  // there are two callers now
    EnvPool::Clock::time_point woken;
    std::thread receiver([&] {
      try {
        (void)pool->recv(in(5));
      } catch (const TimedOut&) {
        CHECK(!"woken");
      } catch (const std::runtime_error&) {  // closed
      }
      woken = EnvPool::Clock::now();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const EnvPool::Clock::time_point begin = EnvPool::Clock::now();
    event(*pool);
    receiver.join();
    best = std::min(best, std::chrono::duration<f64, std::milli>(woken - begin).count());
  }
  return best;
}

TEST(a_waiting_receiver_is_woken_at_once) {
  Batch held;
  const auto with_batch_held = [&] {
    held.reset();
    const auto pool = Making{.num_envs = 2, .num_threads = 1}.moody();
    reset_all(*pool);
    held = pool->begin_recv();
    return pool;
  };
  CHECK(fastest_wakeup_ms(with_batch_held, [&](EnvPool& pool) { pool.put_back(std::move(held)); }) < 25);
  CHECK(fastest_wakeup_ms(with_batch_held, [](EnvPool& pool) { pool.close(std::chrono::seconds(5)); }) < 25);
  held.reset();
  const auto idle = [] {
    const auto pool = Making{.num_envs = 2, .num_threads = 1}.moody();
    reset_all(*pool);
    (void)pool->recv();
    return pool;
  };
  CHECK(fastest_wakeup_ms(idle, [](EnvPool& pool) { send(pool, {1}, {2}); }) < 25);  // a step of 1 ms
}

// The close is what waits here, for a worker in the middle of a step.
TEST(a_close_ends_as_soon_as_the_threads_do) {
  f64 best = HUGE_VAL;
  for (int round = 0; round < 8; ++round) {
    const auto pool = Making{.num_envs = 1, .num_threads = 1}.moody();
    reset_all(*pool);
    (void)pool->recv();
    send(*pool, {0}, {2});
    const EnvPool::Clock::time_point begin = EnvPool::Clock::now();
    pool->close(std::chrono::seconds(5));
    best = std::min(best, std::chrono::duration<f64, std::milli>(EnvPool::Clock::now() - begin).count());
  }
  CHECK(best < 25);
}

TEST(a_closed_pool_keeps_no_idle_blocks) {
  const auto pool = Making{.num_envs = 4}.counter();
  reset_all(*pool);
  (void)pool->recv();
  CHECK(pool->blocks()->idle_bytes() > 0);
  pool->close(std::chrono::seconds(5));
  CHECK_EQ(pool->blocks()->idle_bytes(), 0);
}

// Its steps take long although callers run them, and it notices when it is destroyed in the middle of one.
class Slow {
 public:
  static constexpr const char* kName = "Slow";
  static constexpr bool kBounded = true;
  struct Params {};
  static void options(OptionSpecs& o) { o.integer("goal", 10, "ignored"); }
  static Params params(const OptionValues&) { return {}; }
  static void spec(const Params&, Spec& spec) {
    spec.obs<i32>("obs");
    spec.action<i32>().categories(2);
  }
  Slow(const Params&, i32) {}
  Slow(const Slow&) = delete;
  ~Slow() { CHECK(!stepping_); }
  void reset(Rng&) {}
  Outcome step(ActionRow, Rng&) {
    stepping_ = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    stepping_ = false;
    return {};
  }
  void observe(Row row) { *row.at<i32, 1>(0) = 0; }

 private:
  std::atomic<bool> stepping_{false};
};

TEST(a_close_waits_for_a_caller_that_steps) {
  const auto pool = Making{.num_envs = 1, .num_threads = 1}(envpool::table<Slow>());
  reset_all(*pool);
  (void)pool->recv();
  (void)step(*pool, {0});  // so that its cost is known
  std::thread caller([&] {
    try {
      (void)step(*pool, {0});
    } catch (const std::runtime_error&) {  // closed
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  pool->close(std::chrono::seconds(5));
  caller.join();
}

TEST(a_batch_that_was_put_back_is_received_again_first) {
  for (i32 batch_size : {0, 3}) {
    const auto pool = Making{.num_envs = 6, .batch_size = batch_size}.counter();
    reset_all(*pool);
    Batch batch = pool->begin_recv();
    const Block* const block = batch.get();
    CHECK_EQ(pool->under_way(), 6);
    CHECK_THROWS(send(*pool, {block->values<i32>(abi::kEnvId)[0]}, {1}), std::runtime_error);
    pool->put_back(std::move(batch));
    batch = pool->recv(in(1));
    CHECK(batch.get() == block);
    CHECK_EQ(pool->under_way(), 6 - block->rows());
    pool->discard();
    CHECK_EQ(pool->under_way(), 0);
    reset_all(*pool);
    pool->put_back(pool->begin_recv());
    pool->discard();
    CHECK_EQ(pool->under_way(), 0);
    CHECK_EQ(step(*pool, std::vector<i32>(6, 1))->rows(), batch_size == 0 ? 6 : 3);
    pool->put_back(batch_size == 0 ? (reset_all(*pool), pool->begin_recv()) : pool->begin_recv());  // and closed
  }
}

TEST(several_batches_that_were_put_back_are_all_received_again) {
  const auto pool = Making{.num_envs = 6, .batch_size = 2}.counter();
  reset_all(*pool);
  Batch first = pool->begin_recv(), second = pool->begin_recv();
  const std::set<const Block*> blocks{first.get(), second.get()};
  pool->put_back(std::move(first));
  pool->put_back(std::move(second));
  std::set<const Block*> again;
  std::vector<Batch> held;
  for (int i = 0; i < 2; ++i) again.insert(held.emplace_back(pool->recv(in(1))).get());
  CHECK(again == blocks);
  CHECK_EQ(pool->recv(in(1))->rows(), 2);
  CHECK_EQ(pool->under_way(), 0);
}

// What a send does not say of the others it does not take memory for.
TEST(sends_of_single_environments_take_the_memory_of_one_batch) {
  const auto pool = Making{.num_envs = 512, .num_threads = 1, .goal = 1000}.counter();
  reset_all(*pool);
  (void)pool->recv();
  for (i32 i = 0; i < 512; ++i) send(*pool, {i}, {1});
  std::vector<Batch> held;
  for (i32 i = 0; i < 512; ++i) held.push_back(pool->recv());
  i64 bytes = 0;
  for (const Batch& batch : held) bytes += batch->layout().bytes(batch->capacity());
  CHECK(bytes <= i64(512 * 64 * held[0]->layout().arrays.size()));  // of 64 bytes each, for so few
  CHECK_EQ(held[7]->capacity(), 1);
}

TEST(players_may_be_asked_for_while_others_step) {
  const auto pool = Making{.num_envs = 8, .goal = 100}.counter();
  reset_all(*pool);
  (void)pool->recv();
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) CHECK_EQ(pool->players(3), 1);
  });
  for (int i = 0; i < 500; ++i) (void)step(*pool, std::vector<i32>(8, 1));
  stop = true;
  other.join();
}

TEST(more_player_rows_than_an_index_counts_are_refused) {
  Construction how{.num_envs = 1 << 22, .options = std::vector<OptionList>(1)};
  how.options[0].add_integer("players", abi::kOptionInt, 1000);
  how.max_episode_steps.assign(size_t(how.num_envs), 0);
  how.seeds.assign(size_t(how.num_envs), 0);
  how.streams.assign(size_t(how.num_envs), 0);
  CHECK_THROWS(EnvPool::make(*table<Line>(), how, {"test", 1, 1}), std::invalid_argument);
  how.num_envs = 1 << 21;  // can be counted, in batches that fit nowhere
  CHECK_THROWS(EnvPool::make(*table<Line>(), how, {"test", 0, 1}), NoMemory);
}

TEST(host_environments_that_memory_could_not_hold_are_refused) {
  const f64 usable = usable_memory();
  const auto making = [](f64 bytes) { return Making{.num_envs = 4, .goal = i64(bytes)}; };
  const abi::Table* const table = envpool::table<Claimant>();
  CHECK_EQ(making(usable / 16)(table)->num_envs(), 4);
  CHECK_EQ(Claimant::made.exchange(0), 4);
  try {
    making(usable / 3)(table);
    CHECK(!"refused");
  } catch (const NoMemory& error) {
    const std::string text = error.what();
    const std::string start = "[test] num_envs: no memory for 4 environments in batches of 4, which need at least ";
    CHECK_EQ(text.substr(0, start.size()), start);
    CHECK(std::stod(text.substr(start.size())) >= std::floor(usable / 3 * 4 / (1 << 20)));
  }
  CHECK_EQ(Claimant::made.load(), 0);
}

TEST(the_memory_of_a_pool_is_that_of_all_its_parts) {
  const i64 shape[] = {10};
  const abi::Field fields[] = {{"obs", abi::kF64, false, 1, shape, 80, 0}};
  const abi::Layout layout{fields, nullptr, 1, 0, 1, 0, 0};
  const BlockLayout blocks(layout, 7, FinalFields::kNone);
  const f64 row = 4 + 4 + 1 + 1 + 4 + 4 + 4 + 4 + 80;
  const MemoryNeeds needs{.num_envs = 7, .num_threads = 3, .blocks = 2, .env_bytes = 1000, .actions_bytes = 100};
  CHECK_EQ(needs.bytes(blocks), 1000 + 100 + 2 * 7 * row + 3 * MemoryNeeds::kThreadBytes);
}

TEST(environments_run_in_plain_arithmetic) {
  for (i32 threads : {1, 2}) {
    std::fesetround(FE_UPWARD);
    const auto pool = Making{.num_envs = 2, .num_threads = threads}(table<Rounder>());
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

TEST(a_close_takes_any_time_but_nonsense) {
  using Seconds = std::chrono::duration<double>;
  for (f64 timeout : {0.5e8, 1e9, 1e18, 1e300, HUGE_VAL}) {
    const auto pool = Making{.num_envs = 4}.moody();
    reset_all(*pool);
    (void)pool->recv();
    CHECK_THROWS(pool->close(Seconds(-1)), std::invalid_argument);
    CHECK_THROWS(pool->close(Seconds(NAN)), std::invalid_argument);
    CHECK(!pool->closed());
    send(*pool, {0, 1, 2, 3}, {2, 2, 2, 2});
    pool->close(Seconds(timeout));
    CHECK(pool->closed());
    pool->close(Seconds(0));
  }
}

TEST(a_second_close_waits_for_the_first) {
  Moody::release = false;
  const auto pool = Making{.num_envs = 1, .num_threads = 1}.moody();
  reset_all(*pool);
  (void)pool->recv();
  send(*pool, {0}, {3});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_THROWS(pool->close(std::chrono::seconds(5), [] { return true; }), Interrupted);
  std::atomic<i32> closed{0};
  std::vector<std::thread> closers;
  for (int i = 0; i < 3; ++i) {
    closers.emplace_back([&] {
      pool->close(std::chrono::seconds(20));
      ++closed;
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK_EQ(closed.load(), 0);
  Moody::release = true;
  for (std::thread& closer : closers) closer.join();
}

// A signal handler runs in the middle of a call, and may close the pool that the call is of, twice.
TEST(whoever_is_asked_whether_to_go_on_may_close) {
  for (const bool discards : {false, true}) {
    Moody::release = false;
    const auto pool = Making{.num_envs = 2, .num_threads = 2}.moody();
    reset_all(*pool);
    (void)pool->recv();
    send(*pool, {0, 1}, {3, 3});
    const auto handler = [&] {
      Moody::release = true;
      pool->close(std::chrono::seconds(20), [&] {
        pool->close(std::chrono::seconds(20));
        return false;
      });
      return false;
    };
    const auto begin = EnvPool::Clock::now();
    if (discards) {
      CHECK_THROWS(pool->discard(handler), std::runtime_error);
    } else {
      CHECK_THROWS(pool->recv({}, handler), std::runtime_error);
    }
    CHECK(EnvPool::Clock::now() - begin < std::chrono::seconds(5));
  }
}

TEST(threads_have_names) {
  const auto pool = Making{.num_envs = 2, .num_threads = 2}.moody();
  reset_all(*pool);
  (void)pool->recv();
  for (int i = 0; i < 20; ++i) (void)step(*pool, {2, 2});
  const std::lock_guard lock(Moody::names_mutex);
  CHECK_EQ(Moody::names.count("envpool-0") + Moody::names.count("envpool-1"), 2u);
}

TEST(close_wakes_a_waiting_receiver) {
  Moody::release = false;
  const auto pool = Making{.num_envs = 1, .num_threads = 1}.moody();
  reset_all(*pool);
  (void)pool->recv();
  send(*pool, {0}, {3});
  std::thread receiver([&] { CHECK_THROWS(pool->recv(), std::runtime_error); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::thread releaser([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Moody::release = true;
  });
  pool->close(std::chrono::seconds(5));
  receiver.join();
  releaser.join();
}

TEST(a_snapshot_continues_exactly) {
  const auto pool = Making{.num_envs = 2, .goal = 100}.counter();
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
  const auto other = Making{}.crowd();
  CHECK_THROWS(other->restore(0, state.data(), i64(state.size())), std::invalid_argument);
}

// Whether an episode is over, and how many play in it, is the pool's to know and part of the state.
TEST(restoring_and_cloning_take_the_status_of_the_episode_along) {
  for (const bool clones : {false, true}) {
    const auto pool = Making{.num_envs = 2, .autoreset = abi::kAutoresetDisabled, .goal = 10}.counter();
    const auto copy = [&](EnvPool& of, i32 from, i32 to) {
      if (clones) return of.clone(from, &to, 1);
      const std::string state = of.snapshot(from);
      of.restore(to, state.data(), i64(state.size()));
    };
    reset_all(*pool);
    (void)pool->recv();
    (void)step(*pool, {10, 1});  // the first one's episode is over
    CHECK_THROWS(send(*pool, {0}, {1}), std::invalid_argument);
    copy(*pool, 1, 0);
    CHECK_EQ(sum_of(*step(*pool, {9, 1}), 0), 10);
    copy(*pool, 0, 1);
    CHECK_THROWS(send(*pool, {1}, {1}), std::invalid_argument);

    const auto crowd = Making{.num_envs = 8}.crowd();
    reset_all(*crowd);
    (void)crowd->recv();
    i32 other = 1;
    while (other < 7 && crowd->players(other) == crowd->players(0)) ++other;
    CHECK(crowd->players(other) != crowd->players(0));
    copy(*crowd, other, 0);
    CHECK_EQ(crowd->players(0), crowd->players(other));
  }
}

TEST(options_say_how_many_players_a_world_has_room_for) {
  i64 sizes[2];
  for (const i32 players : {2, 1000}) {
    const auto pool = Making{.num_envs = 3, .goal = players}.line();
    CHECK_EQ(pool->layout().max_players, players);
    reset_all(*pool);
    CHECK_EQ(pool->recv()->players(), 3 * players);
    std::vector<i32> actions;
    for (i32 i = 0; i < 3 * players; ++i) actions.insert(actions.end(), {i % 1000, i % 3});
    const std::vector<i32> ids = all_of(*pool);
    for (i32 times = 1; times <= 2; ++times) {
      const void* field = actions.data();
      pool->send(ids.data(), 3, &field, nullptr, 3 * players, CallerHelp::kYes);
      const Batch batch = pool->recv({}, {}, CallerHelp::kYes);
      const i32* obs = batch->values<i32>(batch->layout().find("obs"));
      i32 wrong = 0;
      for (i32 i = 0; i < 3 * players; ++i) {
        const i32 right = i % players == players - 1 ? i - players + 1 : i + 1;
        wrong += obs[2 * i] != times * (i % 1000) || obs[2 * i + 1] != times * (right % 1000);
        wrong += batch->values<f32>(abi::kReward)[i] != f32(times * (i % 1000));
      }
      CHECK_EQ(wrong, 0);
    }
    sizes[players == 1000] = i64(pool->snapshot(0).size());
  }
  CHECK(sizes[0] < 200);
  CHECK_EQ((sizes[1] - sizes[0] + 15) / 16, 998 * 8 / 16);
  CHECK_THROWS((Making{.goal = 0}.line()), std::invalid_argument);
  CHECK_THROWS((Making{.goal = 1001}.line()), std::invalid_argument);

  Construction how{.num_envs = 2, .options = std::vector<OptionList>(2)};
  how.options[0].add_integer("players", abi::kOptionInt, 2);
  how.options[1].add_integer("players", abi::kOptionInt, 3);
  how.max_episode_steps.assign(2, 0);
  how.seeds.assign(2, 0);
  how.streams = {0, 1};
  CHECK_THROWS(EnvPool::make(*table<Line>(), how, {"test", 0, 1}), std::invalid_argument);
}

// A row holds the players of the episode that ended and those of the next one; who is in one alone has zeros for the
// other.
TEST(same_step_autoreset_makes_room_for_both_episodes_players) {
  const auto pool = Making{.num_envs = 5, .autoreset = abi::kAutoresetSameStep, .max_episode_steps = 1}.crowd();
  reset_all(*pool);
  (void)pool->recv();
  const int owner = pool->block_layout().find("players.env_id");
  const int obs = pool->block_layout().find("obs"), final_obs = pool->block_layout().find("final.obs");
  bool grown = false;
  for (i32 times = 0; times < 40; ++times) {
    std::vector<i32> sent(5);
    i32 total = 0;
    for (i32 i = 0; i < 5; ++i) total += sent[size_t(i)] = pool->players(i);
    const Batch batch = step(*pool, std::vector<i32>(size_t(total), 7));
    i32 player = 0;
    for (i32 i = 0; i < batch->players(); ++i) {
      const i32 env_id = batch->values<i32>(owner)[i];
      player = i > 0 && env_id == batch->values<i32>(owner)[i - 1] ? player + 1 : 0;
      const bool there = batch->values<i32>(final_obs)[i] != 0;  // who was not sent anything to act upon
      CHECK_EQ(batch->values<i32>(final_obs)[i], there ? 7 + player : 0);
      CHECK_EQ(batch->values<f32>(abi::kReward)[i], there ? f32(7 + player) : 0.0f);
      CHECK_EQ(batch->values<i32>(obs)[i], 0);
      grown |= player >= sent[size_t(env_id)];
    }
    i32 room = 0;
    for (i32 i = 0; i < 5; ++i) room += pool->players(i);
    CHECK_EQ(batch->players(), room);
  }
  CHECK(grown);
}

TEST(players_are_gathered_in_order_and_act_by_name) {
  const auto pool = Making{.num_envs = 5, .num_threads = 3}.crowd();
  reset_all(*pool);
  const int owner = pool->block_layout().find("players.env_id");
  std::vector<i32> owners;
  {
    const Batch batch = pool->recv();
    owners.assign(batch->values<i32>(owner), batch->values<i32>(owner) + batch->players());
    i32 total = 0;
    for (i32 i = 0; i < 5; ++i) total += pool->players(i);
    CHECK_EQ(batch->players(), total);
  }
  CHECK_THROWS(step(*pool, std::vector<i32>(owners.size() + 1, 0)), std::invalid_argument);
  std::vector<i32> actions;
  for (size_t i = 0; i < owners.size(); ++i) actions.push_back(i32(i) * 2);
  std::vector<i32> rewards;
  {
    const Batch batch = step(*pool, actions);
    i32 player = 0;
    for (i32 i = 0; i < batch->players(); ++i) {
      player = i > 0 && owners[size_t(i)] == owners[size_t(i - 1)] ? player + 1 : 0;
      CHECK_EQ(batch->values<i32>(owner)[i], owners[size_t(i)]);
      CHECK_EQ(batch->values<f32>(abi::kReward)[i], f32(actions[size_t(i)] + player));
    }
  }
  // Rows in reverse: each player's row names its environment.
  std::vector<i32> backwards(owners.rbegin(), owners.rend());
  const std::vector<i32> ids = all_of(*pool);
  const void* field = actions.data();
  pool->send(ids.data(), 5, &field, backwards.data(), i32(actions.size()));
  (void)pool->recv();
  backwards[0] = backwards[0] == 0 ? 1 : 0;
  CHECK_THROWS(pool->send(ids.data(), 5, &field, backwards.data(), i32(actions.size())), std::invalid_argument);
}

TEST(nothing_is_allocated_once_it_runs) {
  for (i32 batch_size : {0, 16}) {
    const auto pool = Making{.num_envs = 64, .batch_size = batch_size, .goal = 5}.counter();
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

TEST(more_threads_than_work_is_fine) {
  const auto pool = Making{.num_envs = 2, .num_threads = 64}.counter();
  reset_all(*pool);
  (void)pool->recv();
  for (int i = 0; i < 100; ++i) (void)step(*pool, {1, 1});
  pool->close(std::chrono::seconds(5));
  CHECK_THROWS(step(*pool, {1, 1}), std::runtime_error);
}

}  // namespace envpool::testing

TEST_MAIN()
