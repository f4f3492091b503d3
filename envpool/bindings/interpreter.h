// SPDX-License-Identifier: Apache-2.0
//
// Releases the interpreter lock while a call waits, and copes with an interpreter that ends in the meantime.
#pragma once

#include <pybind11/pybind11.h>
#include <unistd.h>

namespace envpool::python {

namespace py = pybind11;

// Releases the interpreter lock for its lifetime.
//
// A daemon thread may wait in a call while the main thread ends the interpreter. Asking for the lock then never
// succeeds: CPython before 3.14 ends the thread by unwinding its stack, through destructors that need the interpreter
// and through pybind11's, which may not be unwound at all; from 3.14 on it lets the thread wait for ever. We have it
// wait in either case. It holds no lock of ours, and no pool counts it, so that everything else ends as usual.
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
    } catch (...) {  // the unwinding
      while (true) pause();
    }
  }

  PyThreadState* state_;
};

}  // namespace envpool::python
