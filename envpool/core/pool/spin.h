// SPDX-License-Identifier: Apache-2.0
//
// Spinning for what another thread is about to do, before sleeping until it has done it: a wake-up takes 10 to 40 us,
// on a virtual machine more, and costs the thread that wakes.
#pragma once

#include <chrono>
#include <thread>

namespace envpool {

// Returns whether `condition()` became true within 50 us. Yields to other threads that need this CPU.
template <class Condition>
bool spin_until(Condition&& condition) {
  constexpr std::chrono::microseconds kPatience{50};
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace envpool

// A place where another order of two threads matters. A test that defines this macro before it includes the pool can
// delay the calling thread there, so that rare orders occur often.
#ifndef ENVPOOL_INTERLEAVE
#define ENVPOOL_INTERLEAVE() static_cast<void>(0)
#endif
