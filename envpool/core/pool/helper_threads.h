// SPDX-License-Identifier: Apache-2.0
//
// Threads that help one of their callers at a time with a job of many parts: for work that comes as one call, as jitted
// code's does. The pool has its own workers (env_pool.h), which own their environments' queue.
#pragma once

#include <atomic>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "envpool/core/pool/process.h"
#include "envpool/core/pool/spin.h"

namespace envpool {

class HelperThreads {
 public:
  // `size` counts the caller's own thread.
  explicit HelperThreads(i32 size) : size_(size), generation_(fork_generation()), shares_(size_t(size < 1 ? 1 : size)) {
    threads_.reserve(shares_.size());
  }
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;
  ~HelperThreads() {
    leaving_.store(true);
    announce();
    for (std::thread& thread : threads_) thread.join();
  }

  // The process's own, of as many as it has CPUs. In a forked child, whose parent's threads are not there, a new one.
  static HelperThreads& shared() {
    static std::atomic<HelperThreads*> current{nullptr};
    HelperThreads* threads = current.load();
    while (threads == nullptr || forked_since(threads->generation_)) {
      auto* fresh = new HelperThreads(usable_cpus());  // never destroyed: jitted code may run until the very end
      if (current.compare_exchange_strong(threads, fresh)) return *fresh;
      delete fresh;
    }
    return *threads;
  }

  i32 size() const { return size_; }

  // Calls part(0) to part(parts - 1), on this thread and those that are free, and throws what one of them threw. Each
  // begins with the same share of the parts every time, which it may have in its cache, then takes what others have
  // left. While the others help somebody else, this thread does all of it.
  template <class Part>
  void run(i64 parts, Part&& part) {
    if (parts < 2 || size_ < 2 || in_use_.exchange(true)) {
      for (i64 i = 0; i < parts; ++i) part(i);
      return;
    }
    start_threads();
    for (i32 i = 0; i < size_; ++i) {
      shares_[size_t(i)].next.store(parts * i / size_);
      shares_[size_t(i)].end.store(parts * (i + 1) / size_);
    }
    Job job{[](void* context, i64 i) { (*static_cast<std::remove_reference_t<Part>*>(context))(i); },
            const_cast<void*>(static_cast<const void*>(&part))};
    job_.store(&job);
    announce();
    work(job, 0);
    job_.store(nullptr);  // who has counted itself before has the job; who does after finds none
    spin_until([this] { return helpers_.load() == 0; });
    for (i32 busy; (busy = helpers_.load()) != 0;) helpers_.wait(busy);
    in_use_.store(false);
    if (job.error) std::rethrow_exception(job.error);
  }

 private:
  struct Job {
    void (*call)(void*, i64);
    void* context;
    std::atomic<bool> failed{false};
    std::exception_ptr error{};
  };
  // The parts that a thread begins with; whoever takes one counts it.
  struct alignas(64) Share {
    std::atomic<i64> next{0}, end{0};
  };

  void work(Job& job, i32 who) {
    for (i32 k = 0; k < size_; ++k) {
      Share& share = shares_[size_t((who + k) % size_)];
      const i64 end = share.end.load();
      for (i64 i; !job.failed.load() && (i = share.next.fetch_add(1)) < end;) {
        try {
          job.call(job.context, i);
        } catch (...) {
          if (!job.failed.exchange(true)) job.error = std::current_exception();
        }
      }
    }
  }

  // A system that grants no more threads, or no memory for them, costs speed, not correctness.
  void start_threads() {
    try {
      while (i32(threads_.size()) < size_ - 1) {
        threads_.emplace_back([this, who = i32(threads_.size()) + 1] {
          name_this_thread("envpool-jit-", who);
          serve(who);
        });
      }
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
  }

  void announce() {
    calls_.fetch_add(1);
    calls_.notify_all();
  }

  void serve(i32 who) {
    for (u32 heard = 0; !leaving_.load();) {
      heard = wait_for_call(heard);
      helpers_.fetch_add(1);
      if (Job* job = job_.load()) work(*job, who);
      if (helpers_.fetch_sub(1) == 1) helpers_.notify_all();
    }
  }

  // The number of the latest call, once it is another than `heard`. Jitted loops come back at once.
  u32 wait_for_call(u32 heard) {
    if (!spin_until([&] { return calls_.load() != heard; })) calls_.wait(heard);
    return calls_.load();
  }

  const i32 size_;
  const u32 generation_;
  std::vector<Share> shares_;
  std::atomic<bool> in_use_{false}, leaving_{false};
  std::vector<std::thread> threads_;
  std::atomic<Job*> job_{nullptr};
  std::atomic<u32> calls_{0};
  std::atomic<i32> helpers_{0};
};

}  // namespace envpool
