// SPDX-License-Identifier: Apache-2.0
//
// Releases the interpreter lock (GIL) while a call waits, and handles an interpreter that is finalized in the meantime.
#pragma once

#include <pybind11/pybind11.h>
#include <unistd.h>

namespace envpool::python {

namespace py = pybind11;

// Releases the interpreter lock for its lifetime.
//
// A daemon thread may be waiting in a call while the main thread finalizes the interpreter, after which the lock can no
// longer be acquired. CPython before 3.14 then unwinds the thread's stack. This would run destructors that need the
// interpreter, some of which are pybind11's and noexcept. CPython 3.14 and later block the thread forever. We block it
// in both cases. The thread holds none of our locks and no pool counts it, so the process still exits as usual.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
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
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {  // CPython unwinds the stack
      while (true) pause();
    }
  }

  PyThreadState* state_;
};

}  // namespace envpool::python
