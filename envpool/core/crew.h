// SPDX-License-Identifier: Apache-2.0
//
// Threads that help one of their callers at a time with a job of many parts: for work that comes as one call, as jitted
// code's does. The pool has its own workers (env_pool.h), which own their environments' queue.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "envpool/core/process.h"

namespace envpool {

class Crew {
 public:
  // `size` counts the caller's own thread.
  explicit Crew(i32 size) : size_(size), generation_(fork_generation()) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  // The process's own, of as many as it has CPUs. In a forked child, whose parent's threads are not there, a new one.
  static Crew& shared() {
    static std::atomic<Crew*> current{nullptr};
    Crew* crew = current.load();
    while (crew == nullptr || forked_since(crew->generation_)) {
      auto* fresh = new Crew(usable_cpus());  // never destroyed: jitted code may run until the very end
      if (current.compare_exchange_strong(crew, fresh)) return *fresh;
      delete fresh;
    }
    return *crew;
  }

  i32 size() const { return size_; }

  // Calls part(0) to part(parts - 1), on this thread and those that are free, and throws what one of them threw. While
  // the others help somebody else, this thread does all of it.
  template <class Part>
  void run(i64 parts, Part&& part) {
    Job job{[](void* context, i64 i) { (*static_cast<std::remove_reference_t<Part>*>(context))(i); },
            const_cast<void*>(static_cast<const void*>(&part)), parts};
    const bool helped = parts > 1 && size_ > 1 && !in_use_.exchange(true);
    if (helped) {
      const std::lock_guard lock(mutex_);
      hire();
      job_ = &job;
      ++jobs_;
      wake_.notify_all();
    }
    job.work();
    if (helped) {
      std::unique_lock lock(mutex_);
      job_ = nullptr;
      done_.wait(lock, [&] { return helpers_ == 0; });
      in_use_ = false;
    }
    if (job.error) std::rethrow_exception(job.error);
  }

 private:
  struct Job {
    void (*call)(void*, i64);
    void* context;
    i64 parts;
    std::atomic<i64> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error{};

    void work() {
      for (i64 i; (i = next.fetch_add(1)) < parts;) {
        try {
          call(context, i);
        } catch (...) {
          if (!failed.exchange(true)) error = std::current_exception();
          next.store(parts);
        }
      }
    }
  };

  // A system that grants no more threads costs speed, not correctness.
  void hire() {
    try {
      while (i32(threads_.size()) < size_ - 1) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
    }
  }

  void serve() {
    std::unique_lock lock(mutex_);
    for (u64 seen = 0;;) {
      wake_.wait(lock, [&] { return leaving_ || (job_ != nullptr && jobs_ != seen); });
      if (leaving_) return;
      seen = jobs_;
      Job& job = *job_;
      ++helpers_;
      lock.unlock();
      job.work();
      lock.lock();
      if (--helpers_ == 0) done_.notify_one();
    }
  }

  const i32 size_;
  const u32 generation_;
  std::atomic<bool> in_use_{false};
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  Job* job_ = nullptr;
  u64 jobs_ = 0;
  i32 helpers_ = 0;
  bool leaving_ = false;
};

}  // namespace envpool
