// SPDX-License-Identifier: Apache-2.0
//
// Decides which calls of a pool wait for those of other threads, and which are refused in signal handlers.
#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "envpool/bindings/arguments.h"
#include "envpool/bindings/interpreter.h"
#include "envpool/bindings/pool/owned_pool.h"

namespace envpool::python {

// Runs `action` with the interpreter lock released. Passes it a callback that polls for signals while it waits. Raises
// the exception of a signal handler, such as KeyboardInterrupt, if one interrupted the action.
template <class Action>
auto without_gil(Action&& action) {
  try {
    Unlocked unlocked;
    return action([&unlocked] { return unlocked.interrupted(); });
  } catch (const Interrupted&) {
    throw py::error_already_set();
  }
}

// The state that the calls of a pool share. The interpreter lock guards its members.
class Calls {
 public:
  explicit Calls(const OwnedPool& pool) : pool_(pool) {}
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  // The lock of calls, which those of jitted programs take, too. From the first use on, calls wait for programs that
  // are still computing their arguments.
  const std::shared_ptr<std::timed_mutex>& share_with_programs() {
    awaits_programs_ = true;
    return mutex_;
  }

  void check_usable() const {
    if (pool_->forked()) {
      throw std::runtime_error(
          pool_->text("this pool was made in the parent process; a forked child must make its own"));
    }
    if (pool_->closed()) throw std::runtime_error(pool_->text("the pool is closed"));
    if (converting_thread_ == std::this_thread::get_id()) {
      throw std::runtime_error(
          pool_->text("action: expected a value whose conversion to an array does not use this pool"));
    }
  }
  // Throws if this thread is in a call, which a signal handler has interrupted.
  void check_not_interrupting() const {
    if (calling_thread_ == std::this_thread::get_id()) {
      throw std::runtime_error(
          pool_->text("expected no call of this pool in a signal handler that interrupts one; the handler may raise "
                      "instead"));
    }
  }
  bool is_synchronous() const { return pool_->batch_size() == pool_->num_envs(); }

  // Declares that nobody will receive what is under way in a synchronous pool, because a signal has interrupted the
  // call that would have received it. The next call that needs idle environments waits for them and drops their
  // results. A recv() returns the results instead.
  void abandon() { abandoned_ = is_synchronous() && pool_->under_way() > 0; }
  // Declares that the caller receives what has been abandoned.
  void reclaim() { abandoned_ = false; }
  void discard_results() {
    without_gil([&](const auto& interrupted) { pool_->discard(interrupted); });
    abandoned_ = false;
  }

 private:
  friend class Call;
  friend class ArgumentsLock;

  std::unique_lock<std::timed_mutex> lock() {
    std::unique_lock<std::timed_mutex> lock(*mutex_, std::try_to_lock);
    while (!lock) {
      without_gil([&](const auto&) { (void)lock.try_lock_for(std::chrono::milliseconds(50)); });
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
    return lock;
  }

  const OwnedPool& pool_;
  std::mutex arguments_mutex_;
  std::thread::id converting_thread_{};  // the thread that converts arguments
  std::thread::id calling_thread_{};     // the thread in a Call
  bool abandoned_ = false;               // see abandon()
  bool awaits_programs_ = false;
  std::shared_ptr<std::timed_mutex> mutex_ = std::make_shared<std::timed_mutex>();
};

// A call that needs idle environments. In a synchronous pool, it waits for the calls of other threads, because a step
// or a reset of theirs is a send and a recv. In an asynchronous pool, only steps wait for steps: a step may need what
// another thread has yet to send. A signal handler that interrupts such a call cannot make another one, because it
// would wait for the interrupted call, or take its results.
class Call {
 public:
  enum class Waits { kIfSynchronous, kAlways };
  // Jitted programs that are still computing `arguments` may call this pool, so they must end before this call locks.
  explicit Call(Calls& calls, std::initializer_list<py::object> arguments = {}, Waits waits = Waits::kIfSynchronous)
      : calls_(calls) {
    calls_.check_usable();
    if (calls_.awaits_programs_) {
      for (const py::object& argument : arguments) await_programs(argument);
    }
    calls_.check_not_interrupting();
    if (waits == Waits::kAlways || calls_.is_synchronous()) {
      lock_ = calls_.lock();
      calls_.check_usable();
      calls_.calling_thread_ = std::this_thread::get_id();
    }
    if (calls_.abandoned_) calls_.discard_results();
  }
  ~Call() {
    if (lock_) calls_.calling_thread_ = {};
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  Calls& calls_;
  std::unique_lock<std::timed_mutex> lock_;
};

// Guards the converted arguments, which are stored in members of the pool so that their memory is reused. A conversion
// may run Python code, which lets other threads run. If one of them calls the pool, it waits here.
class ArgumentsLock {
 public:
  explicit ArgumentsLock(Calls& calls) : calls_(calls), lock_(calls.arguments_mutex_, std::defer_lock) {
    if (!lock_.try_lock()) {
      const Unlocked unlocked;
      lock_.lock();
    }
    calls_.converting_thread_ = std::this_thread::get_id();
  }
  ~ArgumentsLock() { calls_.converting_thread_ = {}; }
  ArgumentsLock(const ArgumentsLock&) = delete;
  ArgumentsLock& operator=(const ArgumentsLock&) = delete;

 private:
  Calls& calls_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace envpool::python
