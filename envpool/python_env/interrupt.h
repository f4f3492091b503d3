// SPDX-License-Identifier: Apache-2.0
//
// Lets Ctrl-C end the construction of a pool. Python only notes a signal, and runs its own handler after the call.
#pragma once

#include <signal.h>

#include <atomic>
#include <mutex>

#include "envpool/core/types.h"

namespace envpool::python_env {

// While such an object exists, SIGINT also sets a flag. The process's own handler is called as usual.
class InterruptGuard {
 public:
  InterruptGuard() {
    const std::lock_guard lock(mutex_);
    if (users_++ > 0) return;
    came_.store(false);
    installed_ = sigaction(SIGINT, nullptr, &before_) == 0 && (before_.sa_flags & SA_SIGINFO) == 0 &&
                 before_.sa_handler != SIG_DFL && before_.sa_handler != SIG_IGN;
    if (!installed_) return;
    struct sigaction action = before_;
    action.sa_handler = [](int number) {
      came_.store(true);
      before_.sa_handler(number);
    };
    installed_ = sigaction(SIGINT, &action, nullptr) == 0;
  }
  ~InterruptGuard() {
    const std::lock_guard lock(mutex_);
    if (--users_ == 0 && installed_) sigaction(SIGINT, &before_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool came() { return came_.load(); }

 private:
  inline static std::mutex mutex_;
  inline static i32 users_ = 0;
  inline static bool installed_ = false;
  inline static struct sigaction before_{};
  inline static std::atomic<bool> came_{false};
};

}  // namespace envpool::python_env
