// SPDX-License-Identifier: Apache-2.0
//
// What the pool asks of the operating system: how many CPUs it may really use, where its threads run, and whether it
// has been carried into a forked child, where its threads do not exist.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "envpool/core/types.h"

namespace envpool {

inline std::atomic<u32>& fork_counter() {
  static std::atomic<u32> counter{0};
  static const int registered = pthread_atfork(nullptr, nullptr, [] { fork_counter().fetch_add(1); });
  (void)registered;
  return counter;
}
inline u32 fork_generation() { return fork_counter().load(std::memory_order_relaxed); }
inline bool forked_since(u32 generation) { return fork_generation() != generation; }

// CPUs in this process's affinity mask, in ascending order.
inline std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

// The CPU time per wall-clock time that the container grants (cgroup v2, then v1); infinite where there is no quota.
inline double cgroup_cpus() {
  std::string quota;
  double period = 0;
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2 >> quota >> period && quota != "max" && period > 0) {
    return std::stod(quota) / period;
  }
  double used = 0;
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (v1_quota >> used && v1_period >> period && used > 0 && period > 0) return used / period;
  return HUGE_VAL;
}

// What num_threads = 0 means: the CPUs this process may use, not what the box has.
inline i32 usable_cpus() {
  const double mask = double(allowed_cpus().size());
  return std::max(1, int(std::ceil(std::min(mask, cgroup_cpus()))));
}

// Best effort: an affinity that cannot be set costs speed, not correctness. A negative CPU is none.
inline void pin_this_thread(i32 cpu) {
  if (cpu < 0 || cpu >= CPU_SETSIZE) return;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(cpu, &mask);
  (void)pthread_setaffinity_np(pthread_self(), sizeof(mask), &mask);
}

}  // namespace envpool
