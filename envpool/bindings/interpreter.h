// SPDX-License-Identifier: Apache-2.0
//
// Releases the interpreter lock (GIL) while a call waits, and handles an interpreter that is finalized in the meantime.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "envpool/core/system/system.h"

namespace envpool::python {

namespace py = pybind11;

// Declares that the calling thread does not hold the interpreter lock while this object exists, because XLA called it.
class InHandler {
 public:
  InHandler() : outer_(here()) { here() = true; }
  ~InHandler() { here() = outer_; }
  InHandler(const InHandler&) = delete;
  InHandler& operator=(const InHandler&) = delete;

  static bool& here() {
    static thread_local bool in_handler = false;
    return in_handler;
  }

 private:
  const bool outer_;
};

// Releases the interpreter lock for its lifetime, unless the thread does not hold it (InHandler).
//
// A daemon thread may be waiting in a call while the main thread finalizes the interpreter, after which the lock can no
// longer be acquired. CPython before 3.14 then unwinds the thread's stack. This would run destructors that need the
// interpreter, some of which are pybind11's and noexcept. CPython 3.14 and later block the thread forever. We block it
// in both cases. The blocked thread may still hold a mutex of its call: the mutex of a pool on a GPU
// (gpu/pool_calls.h), or the mutex that makes steps of a pool on the CPU exclusive. It holds no mutex that is needed
// to close pools at exit (pool/live_pools.h), and no pool counts it as running, so the process still exits as usual.
class Unlocked {
 public:
  Unlocked() : state_(InHandler::here() ? nullptr : PyEval_SaveThread()) {}
  ~Unlocked() { lock(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  // Runs signal handlers if this is the main thread. Returns true if one of them raised; the Python error is then set.
  bool interrupted() noexcept {
    lock();
    const bool stop = PyErr_CheckSignals() != 0;
    state_ = PyEval_SaveThread();
    return stop;
  }

 private:
  void lock() noexcept {
    if (state_ == nullptr) return;
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {  // CPython unwinds the stack
      while (true) std::this_thread::sleep_for(std::chrono::hours(1));
    }
  }

  PyThreadState* state_;
};

// A call to Python from a thread that Python does not know, such as one of XLA's. Such a thread must not wait for the
// interpreter lock while the interpreter is finalized: CPython would end the thread, or block it forever. So these
// calls are refused once Python's `atexit` handlers run, and finalization waits for the calls that have begun.
class PythonCall {
 public:
  // Throws if the interpreter is being finalized. Otherwise the caller may wait for the interpreter lock.
  PythonCall() {
    const std::lock_guard lock(state().mutex);
    if (state().ended) throw std::runtime_error("[envpool] Python is exiting, so this program cannot be prepared");
    ++state().calls;
  }
  ~PythonCall() {
    const std::lock_guard lock(state().mutex);
    if (--state().calls == 0) state().none.notify_all();
  }
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;

  // Call this once, when the module is imported.
  static void end_at_exit() {
    static_cast<void>(state());
    py::module_::import("atexit").attr("register")(py::cpp_function(&end));
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable none;
    int calls = 0;
    bool ended = false;
    const int pid = process_id();
  };
  // Never destroyed, because threads of XLA run during exit.
  static State& state() {
    static auto* const state = new State;
    return *state;
  }

  static void end() {
    if (state().pid != process_id()) return;  // a forked process does not have the threads of its parent
    const Unlocked unlocked;
    std::unique_lock lock(state().mutex);
    state().ended = true;
    state().none.wait(lock, [] { return state().calls == 0; });
  }
};

// Locks a mutex. A thread that holds the interpreter lock releases it while it waits for the mutex, so the owner of the
// mutex may take the interpreter lock.
class PatientLock {
 public:
  explicit PatientLock(std::recursive_mutex& mutex) : lock_(mutex, std::try_to_lock) {
    if (lock_) return;
    const Unlocked unlocked;
    lock_.lock();
  }

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace envpool::python
