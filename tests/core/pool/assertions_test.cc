// SPDX-License-Identifier: Apache-2.0
//
// Tests that each assertion of the engine fails when its invariant is violated, in a forked process.
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "envpool/core/pool/action_store.h"
#include "envpool/core/pool/result_blocks.h"
#include "envpool/core/pool/scheduler.h"
#include "envpool/core/pool/worker_threads.h"
#include "tests/support/testing.h"

#if !defined(_WIN32)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace envpool {

// Runs `action` in a process of its own, and returns the assertion that ended it; empty if none did.
std::string failed_assertion(const std::function<void()>& action) {
  std::string text;
#if !defined(_WIN32)
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    action();
    _exit(0);
  }
  close(ends[1]);
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof(buffer))) > 0;) text.append(buffer, size_t(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) return "";
  const std::string begin = "envpool: the assertion ";
  const size_t first = text.find(begin), last = text.find(" failed in ");
  if (first == std::string::npos || last == std::string::npos) return "";
  text = text.substr(first + begin.size(), last - first - begin.size());
#else
  (void)action;  // there is no fork()
#endif
  return text;
}

#if !defined(_WIN32)
#define CHECK_ASSERTS(assertion, ...) CHECK_EQ(failed_assertion([&] { __VA_ARGS__; }), std::string(assertion))
#else
#define CHECK_ASSERTS(assertion, ...) static_cast<void>(0)
#endif

const abi::Layout kLayout{nullptr, nullptr, 0, 0, 2, 0, 0};
const Label kLabel{"Test-v0"};

// A block whose rows are of environments 0, 1, ..., with a player each.
struct Rows {
  explicit Rows(i32 rows, RowOrder order = RowOrder::kAsSent)
      : layout(kLayout, 4, FinalFields::kNone), block(layout, 4) {
    block.open(rows, order);
    for (i32 row = 0; row < rows; ++row) id(row) = row, players(row) = 1;
  }
  i32& id(i32 row) { return reinterpret_cast<i32*>(block.data(abi::kEnvId))[row]; }
  i32& players(i32 row) { return reinterpret_cast<i32*>(block.data(abi::kPlayers))[row]; }
  const BlockLayout layout;
  Block block;
};

TEST(assertions_are_on_in_this_build) { CHECK_EQ(ENVPOOL_ASSERTIONS, 1); }

TEST(ids_and_lengths_in_the_queue) {
  const i32 ids[] = {0, 1, 4, 2};
  CHECK_ASSERTS("env_ids == nullptr || are_ids(env_ids, count, num_envs_)",
                ActionQueue(4).push(ids, 3, Task::kStep, nullptr));
  CHECK_ASSERTS("count > 0 && count <= num_envs_", ActionQueue(4).push(nullptr, 5, Task::kStep, nullptr));
  CHECK_ASSERTS("count > 0 && count <= num_envs_", ActionQueue(4).push(ids, 0, Task::kStep, nullptr));
  CHECK_ASSERTS("", ActionQueue(5).push(ids, 4, Task::kStep, nullptr));
}

TEST(an_environment_is_queued_once) {
  const auto submit = [](i32 first, i32 second) {
    const i32 ids[] = {0, 1, 2, 0, 1, 2};
    Scheduler scheduler(5, 1, StepTime::kUnbounded, 1);
    for (const i32 count : {first, second}) {
      scheduler.submit(ids, count, RowOrder::kAsSent, Task::kStep, nullptr, CallerHelp::kNo, 0);
    }
  };
  CHECK_ASSERTS("before + count <= num_envs_", submit(3, 3));
  CHECK_ASSERTS("", submit(3, 2));
}

TEST(environments_under_way) {
  const i32 ids[] = {0, 1, 2, 3};
  CHECK_ASSERTS("are_under_way(env_ids, count)", Admission(kLabel, 4).withdraw(ids, 1));
  const auto settle = [&](i32 admitted, i32 rows, RowOrder order, auto&& change) {
    Admission admission(kLabel, 4);
    admission.admit(ids, admitted, "send");
    Rows results(rows < 4 ? rows : 4, order);
    change(results);
    admission.settle(results.block, rows);
  };
  const auto same = [](Rows&) {};
  CHECK_ASSERTS("", settle(3, 3, RowOrder::kAsSent, same));
  CHECK_ASSERTS("", settle(4, 4, RowOrder::kById, same));
  CHECK_ASSERTS("are_under_way(env_ids, rows)", settle(2, 3, RowOrder::kAsSent, same));
  CHECK_ASSERTS("are_under_way(env_ids, rows)", settle(3, 3, RowOrder::kAsSent, [](Rows& r) { r.id(1) = 3; }));
  CHECK_ASSERTS("are_under_way(env_ids, rows)", settle(3, 3, RowOrder::kAsSent, [](Rows& r) { r.id(1) = -1; }));
  CHECK_ASSERTS("rows >= 0 && rows <= block.rows()", settle(4, 5, RowOrder::kAsSent, same));
  CHECK_ASSERTS("are_ids(counts, rows, block.layout().max_players + 1)",
                settle(3, 3, RowOrder::kAsSent, [](Rows& r) { r.players(2) = 3; }));
  CHECK_ASSERTS("rows == num_envs_ && order_of(env_ids, rows) == RowOrder::kById",
                settle(4, 4, RowOrder::kById, [](Rows& r) { std::swap(r.id(1), r.id(2)); }));
}

TEST(rows_of_a_block) {
  Rows results(3);
  CHECK_ASSERTS("count > 0 && count <= remaining", results.block.finish(2), results.block.finish(2));
  CHECK_ASSERTS("", results.block.finish(2), results.block.finish(1));
  CHECK_ASSERTS("row >= 0 && row < rows_", results.block.rows_from(3));
  CHECK_ASSERTS("row >= 0 && row < rows_", results.block.rows_from(-1));
  CHECK_ASSERTS("rows > 0 && rows <= capacity_", results.block.open(5));
  CHECK_ASSERTS("rows > 0 && rows <= capacity_", results.block.open(0));
  CHECK_ASSERTS("array >= 0 && size_t(array) < fields_.size()", results.block.data(100));
  CHECK_ASSERTS("are_ids(counts, rows_, layout_.max_players + 1)", results.players(0) = 3,
                results.block.compact_players());
}

TEST(the_ring_of_blocks) {
  const auto pool = std::make_shared<BlockPool>(BlockLayout(kLayout, 2, FinalFields::kNone));
  const auto append = [&](i32 sends) {
    ResultBlocks blocks(pool, Mode::kSync, 2, 2);
    blocks.allocate();
    for (i32 i = 0; i < sends; ++i) blocks.append(blocks.acquire(1, RowOrder::kAsSent));
    return blocks.complete();
  };
  CHECK_ASSERTS("", append(2));
  CHECK_ASSERTS("back_ - front_ < capacity_ && slot(back_).load(std::memory_order_relaxed) == nullptr", append(3));
  const auto take = [&](i32 finished) {
    ResultBlocks blocks(pool, Mode::kSync, 2, 2);
    blocks.allocate();
    Block* const block = blocks.acquire(1, RowOrder::kAsSent);
    *reinterpret_cast<i32*>(block->data(abi::kPlayers)) = 1;
    blocks.append(block);
    if (finished > 0) block->finish(finished);
    blocks.take(block);
  };
  CHECK_ASSERTS("", take(1));
  CHECK_ASSERTS("block == slot(front_).load(std::memory_order_relaxed) && block->complete()", take(0));
  const auto claim = [&](Mode mode, i32 count) {
    ResultBlocks blocks(pool, mode, 2, 1);
    blocks.allocate();
    for (i32 i = 0; i < count; ++i) blocks.claim(1).block->finish(1);
  };
  CHECK_ASSERTS("", claim(Mode::kAsync, 4));
  CHECK_ASSERTS("block != nullptr && !block->complete()", claim(Mode::kAsync, 5));
  CHECK_ASSERTS("!sync_ && count > 0", claim(Mode::kSync, 1));
}

TEST(workers_and_actions) {
  CHECK_ASSERTS("running_ > 0", WorkerThreads().leave());
  CHECK_ASSERTS("count >= 0", WorkerWakeups().request(-1));
  const auto store = [&](i32 env_id, RowOrder order) {
    const Admission admission(kLabel, 4);
    ActionStore(kLabel, kLayout, 4).store(&env_id, 1, order, nullptr, nullptr, 1, admission);
  };
  CHECK_ASSERTS("", store(3, RowOrder::kAsSent));
  const char* const expected =
      "are_ids(env_ids, count, num_envs_) && (order == RowOrder::kAsSent || count == num_envs_)";
  CHECK_ASSERTS(expected, store(4, RowOrder::kAsSent));
  CHECK_ASSERTS(expected, store(0, RowOrder::kById));
}

}  // namespace envpool

TEST_MAIN()
