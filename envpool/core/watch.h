// SPDX-License-Identifier: Apache-2.0
//
// Watching for what another thread is about to do, before sleeping until it has done it: being woken takes 10 to 40 us,
// on a virtual machine more, and costs the thread that wakes.
#pragma once

#include <chrono>
#include <thread>

namespace envpool {

// Whether `come()` was true in good time. Yields to whoever needs this CPU.
template <class Come>
bool watch(Come&& come) {
  constexpr std::chrono::microseconds kPatience{50};
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!come()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace envpool
