// SPDX-License-Identifier: Apache-2.0
//
// Tests the pool under rare interleavings of its threads: at each point where the interleaving matters
// (ENVPOOL_INTERLEAVE in spin.h), a thread yields or sleeps at random. `make tsan` runs this under ThreadSanitizer.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace envpool::testing {

// Delays the calling thread in about a quarter of the calls, chosen at random.
inline void delay_at_random() {
  static std::atomic<unsigned> threads{0};
  thread_local unsigned random = 2654435761u * ++threads;
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  if (random % 64 == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(random / 64 % 100));
  } else if (random % 4 == 0) {
    std::this_thread::yield();
  }
}

}  // namespace envpool::testing

#define ENVPOOL_INTERLEAVE() envpool::testing::delay_at_random()
#include "envpool/core/pool/env_pool.h"
#include "tests/core/environments.h"
#include "tests/support/testing.h"

namespace envpool::testing {

constexpr i32 kEnvs = 12, kActors = 3;

// Threads that each receive a batch and send its environments again, for a number of rounds or until the pool is
// closed. They check the number of steps of every environment, so that no step is lost or repeated.
class Actors {
 public:
  explicit Actors(EnvPool& pool) : pool_(pool), steps_(kEnvs) {}

  void run(int rounds) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kActors; ++i) threads.emplace_back([this, rounds] { act(rounds); });
    for (std::thread& thread : threads) thread.join();
  }
  i32 timed_out() const { return timed_out_; }
  i32 closed() const { return closed_; }
  i64 wrong() const { return wrong_; }

 private:
  void act(int rounds) {
    try {
      for (int i = 0; i < rounds; ++i) {
        std::vector<i32> ids;
        {
          const Batch batch = pool_.recv(after(30));
          for (i32 row = 0; row < batch->rows(); ++row) {
            const i32 env_id = batch->values<i32>(abi::kEnvId)[row];
            wrong_ += batch->values<i64>(abi::kCommonFields)[2 * row + 1] != steps_[size_t(env_id)]++;
            ids.push_back(env_id);
          }
        }
        send(pool_, ids, std::vector<i32>(ids.size(), 1));
      }
    } catch (const TimedOut&) {
      ++timed_out_;
    } catch (const std::runtime_error&) {
      ++closed_;
    }
  }

  EnvPool& pool_;
  std::vector<std::atomic<i64>> steps_;
  std::atomic<i32> timed_out_{0}, closed_{0};
  std::atomic<i64> wrong_{0};
};

// Resets the environments in one send per actor, so that each actor gets a batch in synchronous mode, too.
void begin(EnvPool& pool) {
  const std::vector<i32> ids = all_ids(pool);
  for (i32 i = 0; i < kEnvs; i += kEnvs / kActors) pool.reset(&ids[size_t(i)], kEnvs / kActors);
}

TEST(no_step_is_lost_and_every_wait_ends) {
  for (const i32 batch_size : {0, 1, 2, 5}) {
    for (const i32 threads : {1, 3}) {
      const auto pool =
          PoolConfig{.num_envs = kEnvs, .batch_size = batch_size, .num_threads = threads, .goal = 1 << 30}.sum_env();
      begin(*pool);
      Actors actors(*pool);
      actors.run(400);
      CHECK_EQ(actors.timed_out(), 0);
      CHECK_EQ(actors.closed(), 0);
      CHECK_EQ(actors.wrong(), 0);
      pool->discard();
      CHECK_EQ(pool->under_way(), 0);
    }
  }
}

TEST(a_close_at_any_time_ends_every_wait) {
  for (int round = 0; round < 60; ++round) {
    const auto pool =
        PoolConfig{
            .num_envs = kEnvs, .batch_size = round % 2 == 0 ? 0 : 2, .num_threads = 1 + round % 3, .goal = 1 << 30}
            .sum_env();
    begin(*pool);
    Actors actors(*pool);
    std::thread closer([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(round * 50));
      pool->close(std::chrono::seconds(20));
    });
    actors.run(1 << 30);
    closer.join();
    CHECK_EQ(actors.closed(), kActors);
    CHECK_EQ(actors.wrong(), 0);
  }
}

// The caller helps to step, while another thread queries the pool.
TEST(steps_with_a_helping_caller_are_complete) {
  for (const i32 threads : {1, 2, 3}) {
    const auto pool = PoolConfig{.num_envs = kEnvs, .num_threads = threads, .goal = 1 << 30}.sum_env();
    reset_all(*pool);
    (void)pool->recv();
    std::atomic<bool> stop{false};
    std::thread other([&] {
      while (!stop) CHECK_EQ(pool->players(3), 1);
    });
    for (i64 i = 1; i <= 300; ++i) {
      const Batch batch = step(*pool, std::vector<i32>(kEnvs, 1));
      for (i32 row = 0; row < kEnvs; ++row) CHECK_EQ(batch->values<i64>(abi::kCommonFields)[2 * row + 1], i);
    }
    stop = true;
    other.join();
  }
}

}  // namespace envpool::testing

TEST_MAIN()
