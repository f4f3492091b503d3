// SPDX-License-Identifier: Apache-2.0
//
// Lets the threads of a pool wait for work, and lets callers wake them.
//
// A caller that queues work requests a number of workers; that many wake-ups are then unclaimed. A worker starts when
// there is work and it has claimed a wake-up, and continues until the queue is empty.
//
//      +--------------------- the queue is empty ---------------------+
//      v                                                              |
//   +----------+           work, and a wake-up claimed           +---------+
//   | spinning | ----------------------------------------------> | working |
//   +----------+                                                 +---------+
//      | not within 50 us                                             ^
//      v                                                              |
//   +----------+     work, and a wake-up claimed: in a check          |
//   | sleeping | -----------------------------------------------------+
//   +----------+     before it falls asleep, or after a notification
//      |    ^
//      +----+ notified, but others have claimed the wake-ups
//
// No wake-up is lost:
//   - A caller publishes the work, then the wake-ups, then reads how many workers spin and how many sleep. A worker
//     counts itself as sleeping, then checks for work and a wake-up. All of these operations are sequentially
//     consistent, so either the worker sees the wake-up or the caller sees the worker.
//   - A spinning worker is not notified. It checks once more after it has counted itself as sleeping.
//   - A worker checks and falls asleep while it holds `mutex_`, which callers lock before they notify. They unlock it
//     first, because a worker that wakes needs it.
//
// If the work costs less than a wake-up, a caller requests no worker and leaves the work to the next recv(). A blocked
// recv() will not notice; so while one waits, at least one worker is woken (scheduler.h).
//
// wake_protocol_test.cc has a model of this protocol, with recv(), and explores all of its interleavings.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "envpool/core/assert.h"
#include "envpool/core/pool/spin.h"
#include "envpool/core/types.h"

namespace envpool {

class WorkerWakeups {
 public:
  // Requests `count` workers, replacing earlier requests, and notifies sleeping workers if fewer are spinning. Call it
  // after publishing the work.
  void request(i32 count) {
    ENVPOOL_ASSERT(count >= 0);
    ENVPOOL_INTERLEAVE();
    unclaimed_.store(count, std::memory_order_seq_cst);
    ENVPOOL_INTERLEAVE();
    const i32 notifications = std::min(count - spinning_.load(std::memory_order_seq_cst), sleeping_.load());
    if (notifications <= 0) return;
    {
      const std::lock_guard lock(mutex_);
    }
    for (i32 i = 0; i < notifications; ++i) wakeup_.notify_one();
  }

  // Waits until `has_work()` is true and a wake-up has been claimed. Returns false if the pool is closing.
  template <class HasWork>
  bool wait_for_work(HasWork&& has_work) {
    const auto ready = [&] { return stopping_.load() || (has_work() && claim_wakeup()); };
    spinning_.fetch_add(1, std::memory_order_seq_cst);
    const bool claimed = spin_until(ready);
    ENVPOOL_INTERLEAVE();
    spinning_.fetch_sub(1, std::memory_order_seq_cst);
    if (!claimed) {
      ENVPOOL_INTERLEAVE();
      std::unique_lock lock(mutex_);
      sleeping_.fetch_add(1, std::memory_order_seq_cst);
      ENVPOOL_INTERLEAVE();
      wakeup_.wait(lock, ready);
      sleeping_.fetch_sub(1, std::memory_order_seq_cst);
    }
    return !stopping_.load();
  }

  // Makes wait_for_work() return false in every worker.
  void stop() {
    const std::lock_guard lock(mutex_);
    stopping_.store(true, std::memory_order_seq_cst);
    wakeup_.notify_all();
  }
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

 private:
  bool claim_wakeup() {
    i32 unclaimed = unclaimed_.load();
    ENVPOOL_ASSERT(unclaimed >= 0);
    while (unclaimed > 0 && !unclaimed_.compare_exchange_weak(unclaimed, unclaimed - 1)) continue;
    return unclaimed > 0;
  }

  alignas(64) std::atomic<i32> unclaimed_{0};
  alignas(64) std::atomic<i32> spinning_{0}, sleeping_{0};
  alignas(64) std::atomic<bool> stopping_{false};  // read for each run of environments
  alignas(64) std::mutex mutex_;
  std::condition_variable wakeup_;
};

}  // namespace envpool
