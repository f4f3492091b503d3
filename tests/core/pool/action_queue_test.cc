// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/pool/action_queue.h"

#include <thread>

#include "tests/support/testing.h"

namespace envpool {

TEST(entries_come_out_in_order) {
  ActionQueue queue(5);
  Run run;
  CHECK(!queue.take(64, run));
  const i32 ids[] = {4, 0, 3, 1, 2};
  queue.push(ids, 5, Task::kStep, nullptr);
  CHECK_EQ(queue.size(), 5);
  CHECK(!queue.take(64, run));  // not published
  queue.publish();
  CHECK(queue.take(3, run));
  CHECK_EQ(run.count, 3);
  CHECK_EQ(run.env_ids[2], 3);
  CHECK_EQ(queue.size(), 2);
  CHECK(queue.take(3, run));
  CHECK_EQ(run.count, 2);
  CHECK_EQ(run.env_ids[0], 1);
  CHECK_EQ(run.first_row, 3);
  CHECK_EQ(queue.size(), 0);
  CHECK(queue.empty());
}

TEST(a_send_of_all_environments_needs_no_ids) {
  ActionQueue queue(5);
  Run run;
  for (int round = 0; round < 9; ++round) {
    queue.push(nullptr, 5, Task::kStep, reinterpret_cast<Block*>(8));
    queue.publish();
    for (i32 first = 0; first < 5; first += run.count) {
      CHECK_EQ(queue.size(), 5 - first);
      CHECK(queue.take(2, run));
      CHECK_EQ(run.count, first == 4 ? 1 : 2);
      CHECK_EQ(run.first_row, first);
      for (i32 k = 0; k < run.count; ++k) CHECK_EQ(run.env_ids[k], first + k);
    }
    CHECK(queue.empty());
    const i32 ids[] = {3, 1};
    queue.push(ids, 2, Task::kStep, nullptr);
    queue.publish();
    CHECK(queue.take(64, run));
    CHECK_EQ(run.count, 2);
    CHECK_EQ(run.env_ids[0], 3);
    CHECK_EQ(run.env_ids[1], 1);
  }
}

TEST(a_run_without_a_block_continues_in_the_next_send) {
  ActionQueue queue(8);
  const i32 ids[] = {5, 6, 2, 3, 1, 4};
  queue.push(ids, 2, Task::kStep, nullptr);
  queue.push(ids + 2, 2, Task::kStep, nullptr);
  queue.push(ids + 4, 1, Task::kReset, nullptr);
  queue.push(ids + 5, 1, Task::kStep, nullptr);
  queue.publish();
  Run run;
  const i32 sizes[] = {3, 1, 1, 1};
  for (i32 next = 0; const i32 size : sizes) {
    CHECK(queue.take(3, run));
    CHECK_EQ(run.count, size);
    CHECK(run.task == (next == 4 ? Task::kReset : Task::kStep));
    for (i32 k = 0; k < size; ++k) CHECK_EQ(run.env_ids[k], ids[next++]);
  }
  CHECK(!queue.take(3, run));
}

TEST(a_run_has_one_block_and_one_task) {
  ActionQueue queue(8);
  Block* one = reinterpret_cast<Block*>(8);
  Block* two = reinterpret_cast<Block*>(16);
  const i32 ids[] = {0, 1, 2, 3};
  queue.push(ids, 2, Task::kStep, one);
  queue.push(ids + 2, 1, Task::kStep, two);
  queue.push(ids + 3, 1, Task::kReset, two);
  queue.publish();
  Run run;
  const i32 sizes[] = {2, 1, 1};
  for (i32 size : sizes) {
    CHECK(queue.take(64, run));
    CHECK_EQ(run.count, size);
  }
  CHECK(run.task == Task::kReset);
  CHECK(run.block == two);
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
      queue.push(&i, 1, Task::kStep, nullptr);
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
