// SPDX-License-Identifier: Apache-2.0
//
// The functions of system.h for Linux.
#pragma once

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "envpool/core/system/posix.h"
#include "envpool/core/text.h"

namespace envpool {

// A set of CPUs of any size, unlike cpu_set_t, which is limited to 1,024.
class CpuSet {
 public:
  explicit CpuSet(int cpus) : cpus_(cpus), set_(CPU_ALLOC(size_t(cpus))) {
    if (set_) CPU_ZERO_S(bytes(), set_.get());
  }
  explicit operator bool() const { return set_ != nullptr; }
  int cpus() const { return cpus_; }
  size_t bytes() const { return CPU_ALLOC_SIZE(size_t(cpus_)); }
  cpu_set_t* get() { return set_.get(); }
  void add(int cpu) { CPU_SET_S(size_t(cpu), bytes(), set_.get()); }
  bool has(int cpu) const { return CPU_ISSET_S(size_t(cpu), bytes(), set_.get()); }

 private:
  struct CpuSetDeleter {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  int cpus_;
  std::unique_ptr<cpu_set_t, CpuSetDeleter> set_;
};

inline std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  for (int size = CPU_SETSIZE; size <= 1 << 20; size *= 2) {
    CpuSet mask(size);
    if (!mask) break;
    if (sched_getaffinity(0, mask.bytes(), mask.get()) != 0) {
      if (errno == EINVAL) continue;  // the kernel's mask is larger
      break;
    }
    for (int cpu = 0; cpu < size; ++cpu) {
      if (mask.has(cpu)) cpus.push_back(cpu);
    }
    break;
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

inline void pin_this_thread(i32 cpu) {
  if (cpu < 0) return;
  CpuSet mask(std::max(cpu + 1, CPU_SETSIZE));
  if (!mask) return;
  mask.add(cpu);
  (void)pthread_setaffinity_np(pthread_self(), mask.bytes(), mask.get());
}

inline void set_thread_name(const char* name) { (void)pthread_setname_np(pthread_self(), name); }

inline double physical_memory() { return double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE)); }
inline double resident_memory() {
  std::string line;
  std::ifstream file("/proc/self/statm");
  std::getline(file, line);
  const std::vector<std::string> pages = split_words(line);  // in total, resident, ...
  return pages.size() < 2 ? 0 : parse_real(pages[1]).value_or(0) * double(sysconf(_SC_PAGE_SIZE));
}

inline const u8* map_code(const u8* code, size_t size) {
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  std::memcpy(memory, code, size);
  if (mprotect(memory, size, PROT_READ | PROT_EXEC) != 0) {
    munmap(memory, size);
    return nullptr;
  }
  __builtin___clear_cache(static_cast<char*>(memory), static_cast<char*>(memory) + size);
  return static_cast<const u8*>(memory);
}

inline std::chrono::nanoseconds coarse_time() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace envpool
