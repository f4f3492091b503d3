// SPDX-License-Identifier: Apache-2.0
//
// A pool of threads that run the parts of one job at a time, together with the calling thread. Jitted code uses it,
// because all work of a step arrives in one call. EnvPool has its own workers (env_pool.h).
#pragma once

#include <atomic>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "envpool/core/assert.h"
#include "envpool/core/pool/spin.h"
#include "envpool/core/system/resources.h"

namespace envpool {

class ForkJoinThreads {
 public:
  // `size` includes the calling thread.
  explicit ForkJoinThreads(i32 size)
      : size_(size), generation_(fork_generation()), ranges_(size_t(size < 1 ? 1 : size)) {
    threads_.reserve(ranges_.size());
  }
  ForkJoinThreads(const ForkJoinThreads&) = delete;
  ForkJoinThreads& operator=(const ForkJoinThreads&) = delete;
  ~ForkJoinThreads() {
    stopping_.store(true);
    notify_helpers();
    for (std::thread& thread : threads_) thread.join();
  }

  // Returns the instance that the process shares, with one thread per usable CPU. A forked child, in which the threads
  // of its parent do not exist, gets a new one.
  static ForkJoinThreads& shared() {
    static std::atomic<ForkJoinThreads*> current{nullptr};
    ForkJoinThreads* threads = current.load();
    while (threads == nullptr || forked_since(threads->generation_)) {
      auto* created = new ForkJoinThreads(usable_cpus());  // never destroyed: jitted code may run during exit
      if (current.compare_exchange_strong(threads, created)) return *created;
      delete created;
    }
    return *threads;
  }

  i32 size() const { return size_; }

  // Calls part(0) to part(parts - 1) on this thread and the helpers, and rethrows an exception of one of the calls.
  // Each thread has its own range of parts, which is the same in every job, because the data may still be in its cache.
  // A thread first takes the parts of its own range, and then the remaining parts of other ranges. While the helpers
  // run another caller's job, this thread runs all parts.
  template <class Part>
  void run(i64 parts, Part&& part) {
    if (parts < 2 || size_ < 2 || in_use_.exchange(true)) {
      for (i64 i = 0; i < parts; ++i) part(i);
      return;
    }
    start_threads();
    for (i32 i = 0; i < size_; ++i) {
      ranges_[size_t(i)].next.store(parts * i / size_);
      ranges_[size_t(i)].end.store(parts * (i + 1) / size_);
    }
    Job job{[](void* context, i64 i) { (*static_cast<std::remove_reference_t<Part>*>(context))(i); },
            const_cast<void*>(static_cast<const void*>(&part))};
    job_.store(&job);
    notify_helpers();
    run_parts(job, 0);
    job_.store(nullptr);  // helpers that are already active may have the job; later ones find none
    spin_until([this] { return active_helpers_.load() == 0; });
    for (u32 active; (active = active_helpers_.load()) != 0;) wait_while_equal(active_helpers_, active);
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
  // The range of parts that one thread takes first. `next` is the next part to take.
  struct alignas(64) PartRange {
    std::atomic<i64> next{0}, end{0};
  };

  void run_parts(Job& job, i32 index) {
    for (i32 k = 0; k < size_; ++k) {
      PartRange& range = ranges_[size_t((index + k) % size_)];
      const i64 end = range.end.load();
      for (i64 i; !job.failed.load() && (i = range.next.fetch_add(1)) < end;) {
        ENVPOOL_ASSERT(i >= 0 && in_use_.load());  // run() waits for this thread, so the job has not ended
        try {
          job.call(job.context, i);
        } catch (...) {
          if (!job.failed.exchange(true)) job.error = std::current_exception();
        }
      }
    }
  }

  // Failing to start threads costs speed, not correctness.
  void start_threads() {
    try {
      while (i32(threads_.size()) < size_ - 1) {
        threads_.emplace_back([this, index = i32(threads_.size()) + 1] {
          name_this_thread("envpool-jit-", index);
          run_helper(index);
        });
      }
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
  }

  void notify_helpers() {
    job_number_.fetch_add(1);
    wake_all(job_number_);
  }

  void run_helper(i32 index) {
    for (u32 seen = 0; !stopping_.load();) {
      seen = wait_for_job(seen);
      active_helpers_.fetch_add(1);
      if (Job* job = job_.load()) run_parts(*job, index);
      if (active_helpers_.fetch_sub(1) == 1) wake_all(active_helpers_);
    }
  }

  // Waits until the number of the latest job differs from `seen`, and returns it. Spins first, because jitted loops
  // submit the next job soon.
  u32 wait_for_job(u32 seen) {
    if (!spin_until([&] { return job_number_.load() != seen; })) wait_while_equal(job_number_, seen);
    return job_number_.load();
  }

  const i32 size_;
  const u32 generation_;
  std::vector<PartRange> ranges_;
  std::atomic<bool> in_use_{false}, stopping_{false};
  std::vector<std::thread> threads_;
  std::atomic<Job*> job_{nullptr};
  std::atomic<u32> job_number_{0};
  std::atomic<u32> active_helpers_{0};
};

}  // namespace envpool
