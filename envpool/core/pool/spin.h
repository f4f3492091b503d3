// SPDX-License-Identifier: Apache-2.0
//
// Spins for a condition that another thread is about to establish, before the caller goes to sleep. A wake-up takes 10
// to 40 us, more on virtual machines, and also costs time in the thread that notifies.
#pragma once

#include <chrono>
#include <thread>

namespace envpool {

// Returns whether `condition()` became true within 50 us. Yields to other threads that need this CPU.
template <class Condition>
bool spin_until(Condition&& condition) {
  constexpr std::chrono::microseconds kSpinTime{50};
  const auto until = std::chrono::steady_clock::now() + kSpinTime;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace envpool

// Marks a point at which the interleaving of threads matters. A test can define this macro before including the pool,
// to delay the calling thread there, so that rare interleavings become frequent.
#ifndef ENVPOOL_INTERLEAVE
#define ENVPOOL_INTERLEAVE() static_cast<void>(0)
#endif
