// SPDX-License-Identifier: Apache-2.0
//
// The worker threads of a pool, and the count of all threads that may access its environments. Callers that help to
// step environments are among the latter. The pool's mutex is held in all calls.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "envpool/core/assert.h"
#include "envpool/core/pool/waits.h"
#include "envpool/core/types.h"

namespace envpool {

class WorkerThreads {
 public:
  void reserve(i32 count) { threads_.reserve(size_t(count)); }
  // Starts a thread, which calls leave() before it ends.
  template <class Body>
  void start(Body&& body) {
    threads_.emplace_back(std::forward<Body>(body));
    ++running_;
  }
  i32 running() const { return running_; }

  // A thread begins and ceases to access the environments.
  void enter() { ++running_; }
  void leave() {
    ENVPOOL_ASSERT(running_ > 0);
    if (--running_ == 0) ceased_.notify_all();
  }

  // Waits until no thread accesses the environments, joins the workers, and calls `release` without the lock. Returns
  // false after the deadline; then threads that still run are abandoned, and later calls return at once. Concurrent
  // calls wait for each other. If a call throws Interrupted, the next call goes on.
  template <class Release>
  bool end(std::unique_lock<std::mutex>& lock, const Deadline& deadline, const Interrupt& interrupted,
           Release&& release) {
    while (!ended_ && (running_ > 0 || joining_)) {
      const Clock::time_point now = Clock::now();
      if (deadline && now >= *deadline) {
        if (!joining_) abandon();
        return false;
      }
      wait_slice(ceased_, lock, now, deadline);
      poll_interrupt(interrupted, lock);
    }
    if (ended_) return true;
    joining_ = true;
    std::vector<std::thread> threads = std::move(threads_);
    lock.unlock();
    for (std::thread& thread : threads) thread.join();
    release();
    lock.lock();
    ended_ = true;
    ceased_.notify_all();
    return true;
  }

 private:
  void abandon() {
    ended_ = true;
    for (std::thread& thread : threads_) thread.detach();
    threads_.clear();
    ceased_.notify_all();
  }

  std::condition_variable ceased_;
  bool joining_ = false, ended_ = false;  // end() is joining the threads; it has joined or abandoned them
  i32 running_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace envpool
