// SPDX-License-Identifier: Apache-2.0
//
// How threads execute what they take from the pool's queue. This code is lock-free, except that a completed block wakes
// the calls of recv() that wait.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "envpool/core/assert.h"
#include "envpool/core/math/float_mode.h"
#include "envpool/core/pool/action_store.h"
#include "envpool/core/pool/block.h"
#include "envpool/core/pool/members.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/result_blocks.h"
#include "envpool/core/pool/scheduler.h"
#include "envpool/core/pool/spin.h"
#include "envpool/core/pool/waits.h"

namespace envpool {

// Counts the completed blocks, and wakes the calls of recv() that wait for one.
class Completions {
 public:
  // `mutex` is the pool's.
  explicit Completions(std::mutex& mutex) : mutex_(mutex) {}

  // Returns the number of completed blocks, modulo 2^32.
  u32 count() const { return completed_.load(std::memory_order_acquire); }

  // Records that rows of a block have been written. The call that completes the block wakes waiting receivers.
  void finish(Block* block, i32 count) {
    ENVPOOL_INTERLEAVE();
    if (!block->finish(count)) return;
    completed_.fetch_add(1, std::memory_order_release);
    ENVPOOL_INTERLEAVE();
    if (waiting_.load(std::memory_order_seq_cst) > 0) {
      std::lock_guard lock(mutex_);
      received_.notify_all();
    }
  }

  // Waits for kPollInterval, or until the deadline, unless something can be received already. `lock` holds the mutex.
  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, Clock::time_point now, const Deadline& deadline, Ready&& ready) {
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    ENVPOOL_INTERLEAVE();
    if (!ready()) wait_slice(received_, lock, now, deadline);
    waiting_.fetch_sub(1, std::memory_order_seq_cst);
  }
  void notify_all() { received_.notify_all(); }

 private:
  std::mutex& mutex_;
  std::condition_variable received_;
  std::atomic<i32> waiting_{0};  // recv() calls that are blocked
  std::atomic<u32> completed_{0};
};

class Executor {
 public:
  Executor(Members& envs, ActionStore& actions, ResultBlocks& results, Scheduler& scheduler, Completions& completions,
           Mode mode, StepTime step_time)
      : envs_(envs),
        actions_(actions),
        results_(results),
        scheduler_(scheduler),
        completions_(completions),
        sync_(mode == Mode::kSync),
        bounded_(step_time == StepTime::kBounded) {}
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Takes a run from the queue and executes it. Returns false if the queue is empty.
  bool run_once() {
    Run run;
    if (!scheduler_.take(run)) return false;
    const Clock::time_point begin = Clock::now();
    for (i32 done = 0; done < run.count;) {
      ResultBlocks::Rows rows{run.block, run.first_row, run.count};
      // A run of several environments is short, and the rows of one thread should be neighbors (result_blocks.h).
      if (run.block == nullptr && bounded_ && run.count > 1) rows = results_.claim(run.count - done);
      execute(run, done, rows);
      done += rows.count;
    }
    scheduler_.measure(run, u64(std::chrono::nanoseconds(Clock::now() - begin).count()));
    return true;
  }

 private:
  // The context of a table call: the executor, and the block of the run or of the claimed row.
  struct Execution {
    Executor* executor;
    Block* block = nullptr;
    bool all_have_rows = false;  // from the start; otherwise each environment claims a row
    i32 row_env_id = -1;         // the environment that claimed the current row
    i32 pending_count = 0;       // exceptions of an environment without a row: in its step, and in its reset
    Failure pending[2]{};
  };

  // Executes rows.count environments of a run, beginning with environment `first`. If there is no block, each
  // environment claims a row when its results are ready, so that a slow environment does not delay a batch.
  void execute(const Run& run, i32 first, const ResultBlocks::Rows& rows) {
    ENVPOOL_ASSERT(rows.count > 0 && first + rows.count <= run.count);
    ENVPOOL_ASSERT(rows.block == nullptr || rows.first + rows.count <= rows.block->rows());
    Execution execution{.executor = this, .block = rows.block, .all_have_rows = rows.block != nullptr};
    abi::Work work{};
    work.env_ids = run.env_ids + first;
    work.count = rows.count;
    work.actions = actions_.fields();
    if (rows.block != nullptr) work.rows = rows.block->rows_from(rows.first);
    work.claim = claim;
    work.fail = record_failure;
    work.context = &execution;
    work.pause = publish_row;
    {
      const FloatModeGuard float_mode;
      envs_.run(work, run.task);
    }
    if (execution.block != nullptr) completions_.finish(execution.block, execution.all_have_rows ? rows.count : 1);
  }

  static abi::ResultRows claim(void* context, i32 env_id) noexcept {
    Execution& execution = *static_cast<Execution*>(context);
    Executor& self = *execution.executor;
    ENVPOOL_ASSERT(!execution.all_have_rows && are_ids(&env_id, 1, self.envs_.num_envs()));
    if (execution.block != nullptr) self.completions_.finish(execution.block, 1);
    const ResultBlocks::Rows claimed = self.results_.claim(1);
    Block* const block = claimed.block;
    execution.block = block;
    execution.row_env_id = env_id;
    for (i32 i = 0; i < execution.pending_count; ++i) block->fail(std::move(execution.pending[i]));
    execution.pending_count = 0;
    return block->rows_from(claimed.first);
  }

  static bool publish_row(void* context) noexcept {
    Execution& execution = *static_cast<Execution*>(context);
    Executor& self = *execution.executor;
    if (!self.sync_ && execution.block != nullptr) self.completions_.finish(std::exchange(execution.block, nullptr), 1);
    execution.row_env_id = -1;
    return self.scheduler_.stopping();
  }

  static void record_failure(void* context, i32 env_id, const char* what) noexcept {
    Execution& execution = *static_cast<Execution*>(context);
    ENVPOOL_ASSERT(are_ids(&env_id, 1, execution.executor->envs_.num_envs()));
    const bool has_row = execution.all_have_rows || (execution.block != nullptr && execution.row_env_id == env_id);
    if (has_row) {
      execution.block->fail(Failure::of(env_id, what));
    } else if (execution.pending_count < 2) {
      execution.pending[execution.pending_count++] = Failure::of(env_id, what);
    }
  }

  Members& envs_;
  ActionStore& actions_;
  ResultBlocks& results_;
  Scheduler& scheduler_;
  Completions& completions_;
  const bool sync_, bounded_;
};

}  // namespace envpool
