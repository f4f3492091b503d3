// SPDX-License-Identifier: Apache-2.0
//
// How callers of a pool wait: until a deadline, in slices, between which they poll for signals such as Ctrl-C.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

#include "envpool/core/pool/pool_types.h"

namespace envpool {

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;
using Interrupt = std::function<bool()>;  // polled during waits; must not throw

inline constexpr auto kPollInterval = std::chrono::milliseconds(50);

// Waits for a notification, at most until the deadline or the next poll.
inline void wait_slice(std::condition_variable& condition, std::unique_lock<std::mutex>& lock, Clock::time_point now,
                       const Deadline& deadline) {
  const Clock::time_point slice = now + kPollInterval;
  condition.wait_until(lock, deadline ? std::min(*deadline, slice) : slice);
}

// Polls without the lock. Throws Interrupted if the caller was interrupted.
inline void poll_interrupt(const Interrupt& interrupted, std::unique_lock<std::mutex>& lock) {
  if (!interrupted) return;
  lock.unlock();
  const bool stop = interrupted();
  lock.lock();
  if (stop) throw Interrupted();
}

}  // namespace envpool
