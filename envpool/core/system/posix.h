// SPDX-License-Identifier: Apache-2.0
//
// The functions of system.h that are the same on Linux and macOS.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "envpool/core/system/system.h"

namespace envpool {

inline int process_id() { return int(getpid()); }

inline std::atomic<u32>& fork_counter() {
  static std::atomic<u32> counter{0};
  static const int registered = pthread_atfork(nullptr, nullptr, [] { fork_counter().fetch_add(1); });
  (void)registered;
  return counter;
}
inline u32 fork_generation() { return fork_counter().load(std::memory_order_relaxed); }

inline std::string thread_name() {
  char name[64] = "";
  (void)pthread_getname_np(pthread_self(), name, sizeof(name));
  return name;
}

inline void wait_while_equal(const std::atomic<u32>& word, u32 value) { word.wait(value); }
inline void wake_all(std::atomic<u32>& word) { word.notify_all(); }

inline void free_code(const u8* code, size_t size) { munmap(const_cast<u8*>(code), size); }

inline int last_error() { return errno; }

inline std::string environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

inline void* open_library(const std::string& path, std::string& why) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* error = dlerror();
    why = error != nullptr ? error : "unknown error";
  }
  return library;
}
inline void* library_symbol(void* library, const char* name) { return dlsym(library, name); }

}  // namespace envpool
