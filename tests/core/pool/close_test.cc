// SPDX-License-Identifier: Apache-2.0
//
// Tests closing a pool: timeouts, hanging environments, concurrent calls and signal handlers.
#include "envpool/core/pool/env_pool.h"

#include <cmath>

#include "tests/core/environments.h"
#include "tests/support/testing.h"

namespace envpool::testing {

TEST(a_hanging_environment_blocks_neither_others_nor_close) {
  FaultyEnv::release = false;
  const auto pool = PoolConfig{.num_envs = 3, .batch_size = 1, .num_threads = 2}.faulty();
  reset_all(*pool);
  for (i32 i = 0; i < 3; ++i) (void)pool->recv();
  send(*pool, {0, 1}, {3, 0});
  CHECK_EQ(pool->recv(after(5))->values<i32>(abi::kEnvId)[0], 1);
  CHECK_THROWS(pool->recv(after(0.05)), TimedOut);
  send(*pool, {2}, {0});
  CHECK_EQ(pool->recv(after(5))->values<i32>(abi::kEnvId)[0], 2);
  CHECK_THROWS(pool->recv({}, [] { return true; }), Interrupted);
  CHECK_THROWS(pool->close(std::chrono::milliseconds(50)), TimedOut);
  CHECK_THROWS(pool->recv(), std::runtime_error);
  FaultyEnv::release = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

// close() waits for a worker in the middle of a step, and polls for signals every 50 ms. Without the wake-up, it would
// return late in every attempt. With the wake-up, it may return late on a busy machine, but not in every attempt.
TEST(a_close_ends_as_soon_as_the_threads_do) {
  f64 best = HUGE_VAL;
  for (int round = 0; round < 100 && best >= 25; ++round) {
    const auto pool = PoolConfig{.num_envs = 1, .num_threads = 1}.faulty();
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
  const auto pool = PoolConfig{.num_envs = 4}.sum_env();
  reset_all(*pool);
  (void)pool->recv();
  CHECK(pool->blocks()->idle_bytes() > 0);
  pool->close(std::chrono::seconds(5));
  CHECK_EQ(pool->blocks()->idle_bytes(), 0);
}

// Takes 60 ms per step, although kBounded says that its steps are short. Checks that it is not destroyed during a step.
class SlowEnv : public HostEnvBase {
 public:
  static constexpr const char* kName = "SlowEnv";
  static constexpr bool kBounded = true;
  SlowEnv(const Params&, i32) {}
  SlowEnv(const SlowEnv&) = delete;
  ~SlowEnv() { CHECK(!stepping_); }
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
  const auto pool = PoolConfig{.num_envs = 1, .num_threads = 1}(envpool::table<SlowEnv>());
  reset_all(*pool);
  (void)pool->recv();
  (void)step(*pool, {0});  // to measure the cost of a step
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

// Waits in a step and in the reset after it, until it is cancelled.
class WaitingEnv : public HostEnvBase {
 public:
  static constexpr const char* kName = "WaitingEnv";
  static constexpr const char* kNoSnapshots = "nobody wants them";
  static inline std::atomic<i32> waiting{0};  // number of waits that have begun
  WaitingEnv(const Params&, i32) {}
  void reset(Rng&) {
    if (waits_) wait();
  }
  Outcome step(ActionRow, Rng&) {
    waits_ = true;
    wait();
  }
  void observe(Row row) { *row.at<i32, 1>(0) = 0; }
  void cancel() { cancelled_ = true; }

 private:
  [[noreturn]] void wait() {
    ++waiting;
    while (!cancelled_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw std::runtime_error("cancelled");
  }
  std::atomic<bool> waits_{false}, cancelled_{false};
};

TEST(a_close_cancels_steps_that_wait) {
  const auto pool = PoolConfig{.num_envs = 2, .num_threads = 1}(envpool::table<WaitingEnv>());
  reset_all(*pool);
  (void)pool->recv();
  send(*pool, {0, 1}, {0, 0});
  wait_until([] { return WaitingEnv::waiting > 0; });
  pool->close(std::chrono::seconds(20));  // throws if the steps do not end
  CHECK(pool->closed());
}

TEST(an_environment_says_why_it_has_no_snapshots) {
  const auto pool = PoolConfig{.num_envs = 1}(envpool::table<WaitingEnv>());
  reset_all(*pool);
  (void)pool->recv();
  for (const bool saves : {true, false}) {
    try {
      if (saves) {
        (void)snapshot_of(*pool, 0);
      } else {
        restore(*pool, 0, "");
      }
      CHECK(false);
    } catch (const std::runtime_error& error) {
      CHECK(std::string(error.what()).ends_with(" state, because nobody wants them"));
    }
  }
}

TEST(a_close_accepts_every_valid_timeout) {
  using Seconds = std::chrono::duration<double>;
  for (f64 timeout : {0.5e8, 1e9, 1e18, 1e300, HUGE_VAL}) {
    const auto pool = PoolConfig{.num_envs = 4}.faulty();
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
  FaultyEnv::release = false;
  const auto pool = PoolConfig{.num_envs = 1, .num_threads = 1}.faulty();
  reset_all(*pool);
  (void)pool->recv();
  send(*pool, {0}, {3});
  wait_until([] { return FaultyEnv::hanging == 1; });  // close() discards a step that has not begun
  CHECK_THROWS(pool->close(std::chrono::seconds(20), [] { return true; }), Interrupted);
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
  FaultyEnv::release = true;
  for (std::thread& closer : closers) closer.join();
}

// A signal handler runs in the middle of a call. It may close the pool of that call, even twice.
TEST(an_interrupt_callback_may_close_the_pool) {
  for (const bool discards : {false, true}) {
    FaultyEnv::release = false;
    const auto pool = PoolConfig{.num_envs = 2, .num_threads = 2}.faulty();
    reset_all(*pool);
    (void)pool->recv();
    send(*pool, {0, 1}, {3, 3});
    bool closed = false;  // a close that waited for its own caller would throw TimedOut instead
    const auto handler = [&] {
      FaultyEnv::release = true;
      pool->close(std::chrono::seconds(20), [&] {
        pool->close(std::chrono::seconds(20));
        return false;
      });
      closed = true;
      return false;
    };
    if (discards) {
      CHECK_THROWS(pool->discard(handler), std::runtime_error);
    } else {
      CHECK_THROWS(pool->recv({}, handler), std::runtime_error);
    }
    CHECK(closed);
  }
}

TEST(close_wakes_a_blocked_receiver) {
  FaultyEnv::release = false;
  const auto pool = PoolConfig{.num_envs = 1, .num_threads = 1}.faulty();
  reset_all(*pool);
  (void)pool->recv();
  send(*pool, {0}, {3});
  std::thread receiver([&] { CHECK_THROWS(pool->recv(), std::runtime_error); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::thread releaser([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    FaultyEnv::release = true;
  });
  pool->close(std::chrono::seconds(5));
  receiver.join();
  releaser.join();
}

}  // namespace envpool::testing

TEST_MAIN()
