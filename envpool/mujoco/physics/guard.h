// SPDX-License-Identifier: Apache-2.0
//
// MuJoCo ends the process on an error, and writes warnings to the terminal and to a file in the working directory.
// Within guarded(), an error becomes a C++ exception. Warnings are ignored, because their cause is also visible in the
// results of the simulation. The handler is thread-local, so a user's `import mujoco` keeps its own handlers.
#pragma once

#include <mujoco/mujoco.h>

#include <csetjmp>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

// The MuJoCo library exports this function for its Python bindings. It returns the previous handler.
extern "C" mjfLogHandler _mjPRIVATE_setTlsLogHandler(mjfLogHandler);

namespace envpool::mujoco {

class Guard {
 public:
  Guard() : previous_(std::exchange(innermost(), this)), previous_handler_(_mjPRIVATE_setTlsLogHandler(handle)) {}
  ~Guard() {
    _mjPRIVATE_setTlsLogHandler(previous_handler_);
    innermost() = previous_;
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  std::jmp_buf& jump_buffer() { return jump_buffer_; }
  const char* message() const { return message_; }

 private:
  static Guard*& innermost() {
    static thread_local Guard* guard = nullptr;
    return guard;
  }
  static void handle(const mjLogMessage* message) {
    if (message->level != mjLOG_ERROR) return;
    std::snprintf(innermost()->message_, sizeof(message_), "%s", message->subject);
    std::longjmp(innermost()->jump_buffer_, 1);
  }

  Guard* previous_;
  mjfLogHandler previous_handler_;
  std::jmp_buf jump_buffer_;
  char message_[1024];
};

// Runs `call`, which calls MuJoCo. `call` must not construct objects with destructors, because longjmp() on an error
// skips them.
template <class Call>
void guarded(Call&& call) {
  Guard guard;
  if (_setjmp(guard.jump_buffer()) != 0) throw std::runtime_error(std::string("MuJoCo: ") + guard.message());
  call();
}

}  // namespace envpool::mujoco
