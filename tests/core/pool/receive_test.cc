// SPDX-License-Identifier: Apache-2.0
//
// Tests waiting and waking in recv(), and batches that are put back.
#include "envpool/core/pool/env_pool.h"

#include <cmath>
#include <set>

#include "tests/core/environments.h"
#include "tests/support/testing.h"

namespace envpool::testing {

// A regression test. A receiver was blocked in recv() while workers did the work. When later work was left to callers,
// this receiver was not woken.
TEST(every_wait_of_concurrent_receivers_ends) {
  for (int round = 0; round < 40; ++round) {
    const auto pool = PoolConfig{.num_envs = 12, .batch_size = 2, .num_threads = 2, .goal = 1000}.sum_env();
    reset_all(*pool);
    std::atomic<i32> timed_out{0};
    std::vector<std::thread> actors;
    for (int t = 0; t < 3; ++t) {
      actors.emplace_back([&] {
        try {
          for (int i = 0; i < 200; ++i) {
            const Batch batch = pool->recv(after(20));
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

// A regression test. A send that is too small to wake a worker leaves its work to callers in recv(). A receiver that
// was blocked already, because the previous work was for workers, was not woken. It wakes up every 50 ms to check
// for signals, but did not check for work then. The model in wake_protocol_test.cc includes this interleaving.
TEST(a_blocked_receiver_is_woken_for_work_that_is_left_to_callers) {
  for (int round = 0; round < 6; ++round) {
    const auto pool = PoolConfig{.num_envs = 4, .batch_size = 2, .num_threads = 2, .goal = 100000}.sum_env();
    reset_all(*pool);
    for (int i = 0; i < 2; ++i) (void)pool->recv();
    for (int i = 0; i < 50; ++i) {  // to measure the cost of a step
      send(*pool, {0, 1}, {1, 1});
      (void)pool->recv();
    }
    reset_all(*pool);  // left to workers, because the cost of a reset is not measured
    for (int i = 0; i < 2; ++i) (void)pool->recv();
    std::thread([&] { CHECK_THROWS(pool->recv(after(0)), TimedOut); }).join();  // a second thread has called the pool
    bool timed_out = false;
    std::thread receiver([&] {
      try {
        (void)pool->recv(after(20));
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

// Returns the time in milliseconds from `event` until a thread that was blocked in recv() returns: the first one below
// 25 ms, or the shortest of many attempts. A wait polls for signals every 50 ms, so without the wake-up it still ends,
// but late in every attempt. With the wake-up, only some attempts are late, on a busy machine.
template <class Prepare, class Event>
f64 fastest_wakeup_ms(Prepare&& prepare, Event&& event) {
  f64 best = HUGE_VAL;
  for (int round = 0; round < 100 && best >= 25; ++round) {
    const std::shared_ptr<EnvPool> pool = prepare();
    std::thread([&] { CHECK_THROWS(pool->recv(after(0)), TimedOut); }).join();  // a second thread has called the pool
    EnvPool::Clock::time_point woken;
    std::thread receiver([&] {
      try {
        (void)pool->recv(after(20));
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

TEST(a_blocked_receiver_is_woken_immediately) {
  Batch held;
  const auto with_batch_held = [&] {
    held.reset();
    const auto pool = PoolConfig{.num_envs = 2, .num_threads = 1}.faulty();
    reset_all(*pool);
    held = pool->begin_recv();
    return pool;
  };
  CHECK(fastest_wakeup_ms(with_batch_held, [&](EnvPool& pool) { pool.put_back(std::move(held)); }) < 25);
  CHECK(fastest_wakeup_ms(with_batch_held, [](EnvPool& pool) { pool.close(std::chrono::seconds(5)); }) < 25);
  held.reset();
  const auto idle = [] {
    const auto pool = PoolConfig{.num_envs = 2, .num_threads = 1}.faulty();
    reset_all(*pool);
    (void)pool->recv();
    return pool;
  };
  CHECK(fastest_wakeup_ms(idle, [](EnvPool& pool) { send(pool, {1}, {2}); }) < 25);  // takes 1 ms
}

TEST(a_batch_that_was_put_back_is_received_first) {
  for (i32 batch_size : {0, 3}) {
    const auto pool = PoolConfig{.num_envs = 6, .batch_size = batch_size}.sum_env();
    reset_all(*pool);
    Batch batch = pool->begin_recv();
    const Block* const block = batch.get();
    CHECK_EQ(pool->under_way(), 6);
    CHECK_THROWS(send(*pool, {block->values<i32>(abi::kEnvId)[0]}, {1}), std::runtime_error);
    pool->put_back(std::move(batch));
    batch = pool->recv(after(1));
    CHECK(batch.get() == block);
    CHECK_EQ(pool->under_way(), 6 - block->rows());
    pool->discard();
    CHECK_EQ(pool->under_way(), 0);
    reset_all(*pool);
    pool->put_back(pool->begin_recv());
    pool->discard();
    CHECK_EQ(pool->under_way(), 0);
    CHECK_EQ(step(*pool, std::vector<i32>(6, 1))->rows(), batch_size == 0 ? 6 : 3);
    pool->put_back(batch_size == 0 ? (reset_all(*pool), pool->begin_recv())
                                   : pool->begin_recv());  // the pool is closed with a batch put back
  }
}

TEST(all_batches_that_were_put_back_are_received_again) {
  const auto pool = PoolConfig{.num_envs = 6, .batch_size = 2}.sum_env();
  reset_all(*pool);
  Batch first = pool->begin_recv(), second = pool->begin_recv();
  const std::set<const Block*> blocks{first.get(), second.get()};
  pool->put_back(std::move(first));
  pool->put_back(std::move(second));
  std::set<const Block*> again;
  std::vector<Batch> held;
  for (int i = 0; i < 2; ++i) again.insert(held.emplace_back(pool->recv(after(1))).get());
  CHECK(again == blocks);
  CHECK_EQ(pool->recv(after(1))->rows(), 2);
  CHECK_EQ(pool->under_way(), 0);
}

// A block has room for the rows of its send, not for a whole batch.
TEST(sends_of_single_environments_take_the_memory_of_one_batch) {
  const auto pool = PoolConfig{.num_envs = 512, .num_threads = 1, .goal = 1000}.sum_env();
  reset_all(*pool);
  (void)pool->recv();
  for (i32 i = 0; i < 512; ++i) send(*pool, {i}, {1});
  std::vector<Batch> held;
  for (i32 i = 0; i < 512; ++i) held.push_back(pool->recv());
  i64 bytes = 0;
  for (const Batch& batch : held) bytes += batch->layout().bytes(batch->capacity());
  CHECK(bytes <= i64(512 * 64 * held[0]->layout().arrays.size()));  // each array takes at most 64 bytes
  CHECK_EQ(held[7]->capacity(), 1);
}

}  // namespace envpool::testing

TEST_MAIN()
