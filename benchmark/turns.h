// SPDX-License-Identifier: Apache-2.0
//
// Lets a C++ loop take turns with other programs, using the protocol of envpool/cli/side.py. The program writes one
// line of JSON when it is ready. It then reads lines such as "seconds 0.5" or "steps 3200", runs for that many seconds
// or steps, and responds to each line with a line of JSON.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace benchmark {

using WallClock = std::chrono::steady_clock;

inline double seconds_since(WallClock::time_point start) {
  return std::chrono::duration<double>(WallClock::now() - start).count();
}

// Calls `batch` for `seconds`, or, if `seconds` is 0, until it has taken at least `steps` steps. Each call to `batch`
// returns the number of steps that it took; the result is their sum.
template <class Batch>
long repeat(Batch&& batch, double seconds, long steps) {
  const auto start = WallClock::now();
  long total = 0;
  while (seconds > 0 ? seconds_since(start) < seconds : total < steps) total += batch();
  return total;
}

// Takes turns until the input ends. `run(seconds, steps)` runs for `seconds`, or, if `seconds` is 0, for `steps`
// steps. It returns the number of steps that it took. The reported CPU time includes all threads of the process.
template <class Run>
void take_turns(const char* versions, Run&& run) {
  std::printf("{\"versions\": %s}\n", versions);
  std::fflush(stdout);
  double amount;
  for (char unit[8]; std::scanf("%7s %lf", unit, &amount) == 2;) {
    const bool timed = std::strcmp(unit, "seconds") == 0;
    const std::clock_t cpu = std::clock();
    const auto start = WallClock::now();
    const long steps = run(timed ? amount : 0, timed ? 0 : long(amount));
    const double wall = seconds_since(start);
    std::printf("{\"steps\": %ld, \"wall_s\": %.9f, \"cpu_s\": %.9f}\n", steps, wall,
                double(std::clock() - cpu) / CLOCKS_PER_SEC);
    std::fflush(stdout);
  }
}

}  // namespace benchmark
