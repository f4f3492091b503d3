// SPDX-License-Identifier: Apache-2.0
//
// MuJoCo ends the process on an error, and writes warnings to the terminal and to a file in the working directory.
// Within guarded() an error is a C++ exception, and a warning is nothing: what goes wrong in a simulation shows in its
// results. The handler is the thread's own, so that a user's `import mujoco` keeps its own ways.
#pragma once

#include <mujoco/mujoco.h>

#include <csetjmp>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

// Exported by the library for MuJoCo's own Python bindings; returns the handler that was set before.
extern "C" mjfLogHandler _mjPRIVATE_setTlsLogHandler(mjfLogHandler);

namespace envpool::mujoco {

class Guard {
 public:
  Guard() : outer_(std::exchange(innermost(), this)), before_(_mjPRIVATE_setTlsLogHandler(handle)) {}
  ~Guard() {
    _mjPRIVATE_setTlsLogHandler(before_);
    innermost() = outer_;
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  std::jmp_buf& place() { return place_; }
  const char* message() const { return message_; }

 private:
  static Guard*& innermost() {
    static thread_local Guard* guard = nullptr;
    return guard;
  }
  static void handle(const mjLogMessage* message) {
    if (message->level != mjLOG_ERROR) return;
    std::snprintf(innermost()->message_, sizeof(message_), "%s", message->subject);
    std::longjmp(innermost()->place_, 1);
  }

  Guard* outer_;
  mjfLogHandler before_;
  std::jmp_buf place_;
  char message_[1024];
};

// Runs `call`, which calls MuJoCo and makes no object that has a destructor: an error jumps over it.
template <class Call>
void guarded(Call&& call) {
  Guard guard;
  if (_setjmp(guard.place()) != 0) throw std::runtime_error(std::string("MuJoCo: ") + guard.message());
  call();
}

}  // namespace envpool::mujoco
