// SPDX-License-Identifier: Apache-2.0
//
// Who steps the environments that are queued: how many workers a send is worth, whether callers do the work themselves
// in recv(), and how many environments a thread takes at once. All of it follows from the measured cost of a step.
#pragma once

#include <algorithm>
#include <atomic>

#include "envpool/core/pool/action_queue.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/worker_wakeups.h"

namespace envpool {

// Whether a step takes a bounded time, so that the calling thread may run it.
enum class StepTime { kUnbounded, kBounded };

class Scheduler {
 public:
  Scheduler(i32 num_envs, i32 num_threads, StepTime step_time)
      : num_threads_(num_threads), bounded_(step_time == StepTime::kBounded), queue_(num_envs) {}

  // ---- callers; the pool's mutex is held ----

  // Queues a task of each of some environments, and wakes as many workers as everything that is queued is worth, and no
  // more: a thread beyond those there are CPUs for would hold an environment that all others wait for. `help` says that
  // the calling thread takes part; `receivers` is the number of calls of recv() that wait.
  void submit(const i32* env_ids, i32 count, Task task, Block* block, CallerHelp help, i32 receivers) noexcept {
    const i32 before = queue_.size();
    for (i32 k = 0; k < count; ++k) queue_.push(env_ids[k], task, block, k);
    queue_.publish();
    cost_is_unknown_ = task == Task::kReset || (before > 0 && cost_is_unknown_);
    const i32 workers = workers_for(before + count, help, receivers);
    caller_runs_all_ = workers == 0;
    wakeups_.request(workers);
  }
  // Whether what was queued last was not worth a worker, so that it is left to recv().
  bool caller_runs_all() const { return caller_runs_all_; }

  // Has wait_for_work() return false in every worker.
  void stop() { wakeups_.stop(); }

  // ---- any thread ----

  bool stopping() const { return wakeups_.stopping(); }

  // Waits until there is work that one more worker is wanted for. Returns false if the pool is closing.
  bool wait_for_work() {
    return wakeups_.wait_for_work([this] { return !queue_.empty(); });
  }

  // Takes environments from the queue to be run together. Returns false if it is empty.
  bool take(Run& run) {
    ENVPOOL_INTERLEAVE();
    const u64 cost = cost_ns_.load(std::memory_order_relaxed);
    u64 most = cost == 0 ? 1 : kRunNs / cost;
    if (most > kRunMultiple) most -= most % kRunMultiple;
    return queue_.take(i32(std::clamp<u64>(most, 1, Run::kMax)), run);
  }
  // Learns from a run how long a step takes.
  void measure(const Run& run, u64 ns) {
    if (run.task == Task::kStep) remember_cost(ns / u64(run.count));
  }

 private:
  // Waking a sleeping thread costs 10-40 us: less work than this is not worth a thread.
  static constexpr u64 kWakeNs = 20'000;
  // A run is about this much work: enough to pay for taking it, little enough to share evenly.
  static constexpr u64 kRunNs = 10'000;
  // A long run is a multiple of this, so that none is left over where environments are stepped several at a time.
  static constexpr u64 kRunMultiple = 16;

  i32 workers_for(i32 queued, CallerHelp help, i32 receivers) const {
    const u64 cost = cost_ns_.load(std::memory_order_relaxed);
    i32 workers = num_threads_;
    if (cost != 0 && !cost_is_unknown_) workers = i32(std::min<u64>(u64(workers), u64(queued) * cost / kWakeNs));
    workers = std::min(workers, queued);
    if (help == CallerHelp::kYes) workers = std::min({workers, num_threads_ - 1, queued - 1});
    // A blocked recv() will not notice that work is left to callers; wake one worker.
    if (!bounded_ || receivers > 0) workers = std::max(workers, 1);
    return workers;
  }

  // A moving average in nanoseconds, never 0 once measured. Races between workers lose a sample, nothing more.
  void remember_cost(u64 ns) {
    const u64 old = cost_ns_.load(std::memory_order_relaxed);
    const u64 now = old == 0 ? ns : (old * 7 + ns) / 8;
    cost_ns_.store(now < 1 ? 1 : now, std::memory_order_relaxed);
  }

  const i32 num_threads_;
  const bool bounded_;
  ActionQueue queue_;
  bool cost_is_unknown_ = false;  // the queue holds resets, whose cost is not measured
  bool caller_runs_all_ = true;
  WorkerWakeups wakeups_;
  alignas(64) std::atomic<u64> cost_ns_{0};  // of a step, 0 before the first
};

}  // namespace envpool
