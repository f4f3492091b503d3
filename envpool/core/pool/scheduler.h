// SPDX-License-Identifier: Apache-2.0
//
// Schedules the queued environments: decides how many workers to wake for a send, whether callers step environments in
// recv(), and how many environments a thread takes at once. All decisions are based on the measured cost of a step.
#pragma once

#include <algorithm>
#include <atomic>

#include "envpool/core/assert.h"
#include "envpool/core/pool/action_queue.h"
#include "envpool/core/pool/block.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/worker_wakeups.h"
#include "envpool/core/table/vtable.h"

namespace envpool {

// Whether the duration of a step is bounded, so that calling threads may run it. Delegated: other processes step the
// environments, and a thread only waits for them, so one thread takes as many environments as it can.
enum class StepTime { kUnbounded, kBounded, kDelegated };

inline StepTime step_time_of(u32 flags) {
  if ((flags & abi::kDelegated) != 0) return StepTime::kDelegated;
  return (flags & (abi::kPortable | abi::kBounded)) != 0 ? StepTime::kBounded : StepTime::kUnbounded;
}

class Scheduler {
 public:
  // `group` is the number of environments that are stepped together, or 1.
  Scheduler(i32 num_envs, i32 num_threads, StepTime step_time, i32 group)
      : num_envs_(num_envs), num_threads_(num_threads), step_time_(step_time), group_(group), queue_(num_envs) {}

  // ---- callers; the pool's mutex is held ----

  // Queues a task for each environment, and wakes no more workers than the queued work justifies: an additional thread
  // without a CPU of its own could take an environment and delay the whole batch. `help` says whether the calling
  // thread takes part; `receivers` is the number of recv() calls that wait.
  void submit(const i32* env_ids, i32 count, RowOrder order, Task task, Block* block, CallerHelp help,
              i32 receivers) noexcept {
    const i32 before = queue_.size(), least = least_run_for(before + count);
    ENVPOOL_ASSERT(before + count <= num_envs_);  // an environment is queued at most once
    // Threads read the line of least_run_ for each run, so it is written only if it changes.
    if (least != least_run_.load(std::memory_order_relaxed)) least_run_.store(least, std::memory_order_relaxed);
    queue_.push(order == RowOrder::kById ? nullptr : env_ids, count, task, block);
    queue_.publish();
    has_unmeasured_cost_ = task == Task::kReset || (before > 0 && has_unmeasured_cost_);
    const i32 workers = workers_for(before + count, help, receivers);
    caller_runs_all_ = workers == 0;
    wakeups_.request(workers);
  }
  // Returns whether the last send woke no worker and left its work to recv().
  bool caller_runs_all() const { return caller_runs_all_; }

  // Makes wait_for_work() return false in every worker.
  void stop() { wakeups_.stop(); }

  // ---- any thread ----

  bool stopping() const { return wakeups_.stopping(); }

  // Waits until there is work for one more worker. Returns false if the pool is closing.
  bool wait_for_work() {
    return wakeups_.wait_for_work([this] { return !queue_.empty(); });
  }

  // Takes a run of environments from the queue. Returns false if it is empty.
  bool take(Run& run) {
    ENVPOOL_INTERLEAVE();
    if (step_time_ == StepTime::kDelegated) return queue_.take(Run::kMax, run);
    const u64 cost = cost_ns_.load(std::memory_order_relaxed);
    u64 count = cost == 0 ? 1 : kRunNs / cost;
    if (count > kRunMultiple) count -= count % kRunMultiple;
    const u64 least = u64(least_run_.load(std::memory_order_relaxed));
    return queue_.take(i32(std::clamp<u64>(count, least, Run::kMax)), run);
  }
  // Updates the measured cost of a step after a run.
  void measure(const Run& run, u64 ns) {
    if (run.task == Task::kStep) update_cost(ns / u64(run.count));
  }

 private:
  // Waking a thread takes 10 to 40 us. A worker is woken only if it has at least this much work.
  static constexpr u64 kWakeNs = 20'000;
  // The amount of work in a run: large compared to the cost of taking it, small enough for an even distribution.
  static constexpr u64 kRunNs = 10'000;
  // Long runs are multiples of this, so that environments that are stepped in groups leave no remainder.
  static constexpr u64 kRunMultiple = 16;
  // Smaller groups are not stepped together.
  static constexpr i32 kLeastGroup = 4;

  // Returns the size of the smallest run: a group, or half of one, if that leaves a run for every thread.
  i32 least_run_for(i32 queued) const {
    for (i32 size = group_; size >= kLeastGroup; size /= 2) {
      if (queued >= size * num_threads_) return size;
    }
    return 1;
  }

  i32 workers_for(i32 queued, CallerHelp help, i32 receivers) const {
    if (step_time_ == StepTime::kDelegated) return std::min(num_threads_, (queued - 1) / Run::kMax + 1);
    const u64 cost = cost_ns_.load(std::memory_order_relaxed);
    i32 workers = num_threads_;
    if (cost != 0 && !has_unmeasured_cost_) workers = i32(std::min<u64>(u64(workers), u64(queued) * cost / kWakeNs));
    workers = std::min(workers, queued);
    if (help == CallerHelp::kYes) workers = std::min({workers, num_threads_ - 1, queued - 1});
    // A blocked recv() will not notice that work is left to callers; wake one worker.
    if (step_time_ != StepTime::kBounded || receivers > 0) workers = std::max(workers, 1);
    return workers;
  }

  // Updates the moving average, which is never 0 after the first sample. A race between workers only loses a sample.
  // All threads read the average for each run. So a sample that is close to it is not stored, which would make them
  // fetch the line again.
  void update_cost(u64 ns) {
    const u64 old = cost_ns_.load(std::memory_order_relaxed);
    if (old != 0 && (ns > old ? ns - old : old - ns) <= old / 8) return;
    const u64 now = old == 0 ? ns : (old * 7 + ns) / 8;
    cost_ns_.store(now < 1 ? 1 : now, std::memory_order_relaxed);
  }

  const i32 num_envs_, num_threads_;
  const StepTime step_time_;
  const i32 group_;
  std::atomic<i32> least_run_{1};
  ActionQueue queue_;
  bool has_unmeasured_cost_ = false;  // the queue contains resets, whose cost is not measured
  bool caller_runs_all_ = true;
  WorkerWakeups wakeups_;
  alignas(64) std::atomic<u64> cost_ns_{0};  // of a step; 0: not measured yet
};

}  // namespace envpool
