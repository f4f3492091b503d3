// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/pool/action_queue.h"

#include <thread>

#include "tests/support/testing.h"

namespace envpool {

TEST(entries_come_out_in_order) {
  ActionQueue queue(5);
  Run run;
  CHECK(!queue.take(64, run));
  for (i32 i = 0; i < 5; ++i) queue.push(i, Task::kStep, nullptr, i);
  CHECK(!queue.take(64, run));  // not published
  queue.publish();
  CHECK(queue.take(3, run));
  CHECK_EQ(run.count, 3);
  CHECK_EQ(run.env_ids[2], 2);
  CHECK(queue.take(3, run));
  CHECK_EQ(run.count, 2);
  CHECK_EQ(run.env_ids[0], 3);
  CHECK_EQ(run.first_row, 3);
  CHECK(queue.empty());
}

TEST(a_run_has_one_block_and_one_task) {
  ActionQueue queue(8);
  Block* one = reinterpret_cast<Block*>(8);
  Block* two = reinterpret_cast<Block*>(16);
  queue.push(0, Task::kStep, one, 0);
  queue.push(1, Task::kStep, one, 1);
  queue.push(2, Task::kStep, two, 0);
  queue.push(3, Task::kReset, two, 1);
  queue.publish();
  Run run;
  const i32 sizes[] = {2, 1, 1};
  for (i32 size : sizes) {
    CHECK(queue.take(64, run));
    CHECK_EQ(run.count, size);
  }
  CHECK(run.task == Task::kReset);
  CHECK_EQ(run.first_row, 1);
}

// Four consumers, and one producer that wraps around the ring thousands of times and sends an environment again only
// after it has been taken. Every entry must be taken exactly once.
TEST(concurrent_consumers_take_every_entry_once) {
  constexpr i32 kEnvs = 7, kRounds = 3000;
  ActionQueue queue(kEnvs);
  std::atomic<i32> taken[kEnvs] = {};
  std::atomic<bool> stop{false};
  std::vector<std::thread> takers;
  for (int t = 0; t < 4; ++t) {
    takers.emplace_back([&] {
      Run run;
      while (!stop) {
        if (!queue.take(3, run)) {
          std::this_thread::yield();
          continue;
        }
        for (i32 k = 0; k < run.count; ++k) taken[run.env_ids[k]].fetch_add(1);
      }
    });
  }
  for (i32 round = 0; round < kRounds; ++round) {
    for (i32 i = 0; i < kEnvs; ++i) {
      while (taken[i] != round) std::this_thread::yield();
      queue.push(i, Task::kStep, nullptr, round);
      queue.publish();
    }
  }
  for (i32 i = 0; i < kEnvs; ++i) {
    while (taken[i] < kRounds) std::this_thread::yield();
  }
  stop = true;
  for (std::thread& taker : takers) taker.join();
  for (i32 i = 0; i < kEnvs; ++i) CHECK_EQ(taken[i].load(), kRounds);
}

}  // namespace envpool

TEST_MAIN()
