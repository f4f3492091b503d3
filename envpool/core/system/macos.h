// SPDX-License-Identifier: Apache-2.0
//
// The functions of system.h for macOS 11 and newer, on arm64 and x86-64.
#pragma once

#include <libkern/OSCacheControl.h>
#include <mach/mach.h>
#include <sys/sysctl.h>
#include <time.h>

#include <thread>

#include "envpool/core/system/posix.h"

namespace envpool {

inline std::vector<int> allowed_cpus() {
  std::vector<int> cpus;
  for (unsigned cpu = 0; cpu < std::thread::hardware_concurrency(); ++cpu) cpus.push_back(int(cpu));
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

inline void pin_this_thread(i32) {}

inline void set_thread_name(const char* name) { (void)pthread_setname_np(name); }

inline double physical_memory() {
  u64 bytes = 0;
  size_t size = sizeof(bytes);
  return sysctlbyname("hw.memsize", &bytes, &size, nullptr, 0) == 0 ? double(bytes) : 0;
}
inline double resident_memory() {
  mach_task_basic_info info{};
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  const auto status = task_info(mach_task_self(), MACH_TASK_BASIC_INFO, reinterpret_cast<task_info_t>(&info), &count);
  return status == KERN_SUCCESS ? double(info.resident_size) : 0;
}

// Pages of MAP_JIT are executable for all threads. A thread that has turned off their write protection can write to
// them, and cannot execute them. Processors other than Apple's have no such protection, so it is set with mprotect().
inline const u8* map_code(const u8* code, size_t size) {
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANON | MAP_JIT, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (pthread_jit_write_protect_supported_np() != 0) {
    pthread_jit_write_protect_np(0);
    std::memcpy(memory, code, size);
    pthread_jit_write_protect_np(1);
  } else {
    std::memcpy(memory, code, size);
    if (mprotect(memory, size, PROT_READ | PROT_EXEC) != 0) {
      munmap(memory, size);
      return nullptr;
    }
  }
  sys_icache_invalidate(memory, size);
  return static_cast<const u8*>(memory);
}

inline std::chrono::nanoseconds coarse_time() {
  return std::chrono::nanoseconds(clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX));
}

}  // namespace envpool
