// SPDX-License-Identifier: Apache-2.0
#include "envpool/core/pool/fork_join.h"

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>

#include "tests/support/testing.h"

namespace envpool {

TEST(every_part_runs_once) {
  ForkJoinThreads helpers(4);
  for (i64 parts : {0, 1, 2, 3, 100}) {
    for (int round = 0; round < 200; ++round) {
      std::vector<std::atomic<i32>> done(static_cast<size_t>(parts));
      helpers.run(parts, [&](i64 i) { ++done[size_t(i)]; });
      for (const std::atomic<i32>& times : done) CHECK_EQ(times.load(), 1);
    }
  }
}

// Runs a job of three parts that wait for each other, and returns the threads that ran them.
std::set<std::thread::id> threads_of_job(ForkJoinThreads& helpers) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<i32> inside{0};
  helpers.run(3, [&](i64) {
    ++inside;
    while (inside < 3) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  return seen;
}

TEST(the_parts_of_a_job_run_concurrently) {
  ForkJoinThreads helpers(3);
  CHECK_EQ(threads_of_job(helpers).size(), size_t{3});
}

TEST(consecutive_jobs_run_on_the_same_threads) {
  ForkJoinThreads helpers(3);
  const std::set<std::thread::id> first = threads_of_job(helpers);
  for (int round = 0; round < 200; ++round) {
    if (round % 20 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    CHECK(threads_of_job(helpers) == first);
  }
}

TEST(an_exception_of_a_part_is_rethrown) {
  ForkJoinThreads helpers(3);
  for (int round = 0; round < 100; ++round) {
    std::string caught;
    try {
      helpers.run(50, [](i64 i) {
        if (i == 17) throw std::invalid_argument("row 17");
      });
    } catch (const std::invalid_argument& error) {
      caught = error.what();
    }
    CHECK_EQ(caught, std::string("row 17"));
  }
}

TEST(concurrent_and_nested_callers_do_not_deadlock) {
  ForkJoinThreads helpers(3);
  std::atomic<i64> sum{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        helpers.run(10, [&](i64 i) {
          sum += i;
          if (round % 50 == 0) helpers.run(2, [&](i64) { ++sum; });  // nested
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK_EQ(sum.load(), i64{4 * 200 * 45 + 4 * 4 * 10 * 2});
}

// Windows has no fork(). ThreadSanitizer does not support threads in a forked child.
#if !defined(_WIN32) && !defined(__SANITIZE_THREAD__)
TEST(a_forked_child_gets_its_own_threads) {
  if (std::getenv("ENVPOOL_EMULATED") != nullptr) return;  // qemu-user 7.2 cannot fork a process that has threads
  std::atomic<i32> done{0};
  ForkJoinThreads::shared().run(100, [&](i64) { ++done; });
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<i32> here{0};
    ForkJoinThreads::shared().run(100, [&](i64) { ++here; });
    _exit(here == 100 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK_EQ(status, 0);
  CHECK_EQ(done.load(), 100);
}
#endif

}  // namespace envpool

TEST_MAIN()
