// SPDX-License-Identifier: Apache-2.0
//
// The operating system: the engine and the portable families call it only through these functions, which have one
// implementation per system. This file declares them, and includes the implementation at its end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <system_error>
#include <vector>

#include "envpool/core/types.h"

namespace envpool {

// --- processes ---

int process_id();

// Counts the forks that led to this process, because threads do not exist in a forked child. Always 0 on systems
// without fork().
u32 fork_generation();
inline bool forked_since(u32 generation) { return fork_generation() != generation; }

// --- threads ---

// Returns the CPUs in this process's affinity mask, in ascending order. Never empty.
std::vector<int> allowed_cpus();

// Sets the affinity of the calling thread. Ignores errors, which cost speed, not correctness, and negative CPUs. Does
// nothing on macOS, which has no affinity.
void pin_this_thread(i32 cpu);

// Sets and returns the calling thread's name, which debuggers, profilers and top show. Linux refuses names of more
// than 15 characters.
void set_thread_name(const char* name);
std::string thread_name();
// Sets it to the prefix and the number, truncated to 15 characters.
inline void name_this_thread(const char* prefix, i32 number) {
  char name[16];
  std::snprintf(name, sizeof(name), "%s%d", prefix, int(number));
  set_thread_name(name);
}

// Blocks the calling thread until wake_all() is called for this word, unless the word does not have this value. May
// also return early. These are std::atomic's wait() and notify_all(), which lose wake-ups in GCC 12's library for
// Windows.
void wait_while_equal(const std::atomic<u32>& word, u32 value);
void wake_all(std::atomic<u32>& word);

// --- memory ---

// The memory of the machine, and the memory of this process that is resident, in bytes.
double physical_memory();
double resident_memory();

// Copies machine code to pages that are executable and not writable. Returns null if the system refuses. The caller
// frees it with free_code() and the same size.
const u8* map_code(const u8* code, size_t size);
void free_code(const u8* code, size_t size);

// Returns the value of an environment variable; empty if it is not set. On Windows, std::getenv() does not see what
// Python sets, because Python uses another C library.
std::string environment_variable(const char* name);

// Returns why the system refuses executable memory; empty if it does not.
std::string refusal_of_code();

// Returns the number of the error of the last call to the system, for std::system_category().
int last_error();

// --- time ---

// Returns a monotonic time with a resolution of a few milliseconds, which is cheap to read.
std::chrono::nanoseconds coarse_time();

// --- shared objects ---

// Loads a shared object and resolves all its symbols. Returns null and sets `why` if that is not possible.
void* open_library(const std::string& path, std::string& why);
// Returns the address of a symbol, or null.
void* library_symbol(void* library, const char* name);

}  // namespace envpool

#if defined(_WIN32)
#include "envpool/core/system/windows.h"
#elif defined(__APPLE__)
#include "envpool/core/system/macos.h"
#else
#include "envpool/core/system/linux.h"
#endif

namespace envpool {

inline std::string refusal_of_code() {
  const u8 code[16] = {};
  const u8* const copy = map_code(code, sizeof(code));
  if (copy == nullptr) return std::system_category().message(last_error());
  free_code(copy, sizeof(code));
  return "";
}

}  // namespace envpool
