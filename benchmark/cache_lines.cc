// SPDX-License-Identifier: Apache-2.0
//
// Simulates the caches of a machine with a core per thread. pool_loop.cc is compiled with -fsanitize=thread, so that it
// calls the functions below for each access to memory, but it is not linked with ThreadSanitizer. A cache holds all
// lines that its thread accessed, until another thread writes to them. A thread that accesses a line that another
// thread has, but it has not, or writes to a line that others have too, causes a transfer. There are three kinds:
//
//   moved    no other thread accessed the line in this batch, but one did before: data that go from one thread to
//            another with each batch, such as results, or an environment that another thread stepped before
//   shared   another thread accessed the same bytes in this batch, such as a counter
//   false    other threads accessed only other bytes of the line in this batch
//
// The clock is simulated too, so that the pool plans as it would without instrumentation. A thread yields often,
// because threads that take turns for milliseconds would hide most transfers.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "benchmark/cache_lines.h"

namespace {

constexpr int kLine = 64, kShards = 1024;
constexpr std::uint64_t kNsPerClock = 25;        // of a call to read the clock
constexpr std::uint64_t kAccessesPerNs = 3;      // so that a step of CartPole takes about 25 ns
constexpr std::uint64_t kAccessesPerTurn = 256;  // between two yields

enum Kind { kMoved, kShared, kFalse, kKinds };

struct Line {
  std::uint32_t holders = 0;        // a bit for each thread whose cache has the line
  std::uint32_t batch = 0;          // of the latest access
  std::uint32_t users[kLine] = {};  // a bit for each thread that accessed the byte in this batch
};
struct Counts {
  std::uint64_t of[kKinds] = {};
};
struct Shard {
  std::mutex mutex;
  std::unordered_map<std::uintptr_t, Line> lines;
  std::map<const void*, Counts> by_place;  // by return address
};

Shard* shards = nullptr;
std::atomic<bool> tracing{false};
std::atomic<std::uint32_t> batch{1};
std::atomic<int> threads{0};
std::atomic<std::uint64_t> accesses{0};
thread_local int thread = -1;
thread_local bool busy = false;  // in this file, whose own accesses do not count
thread_local std::uint64_t own_accesses = 0, clock_calls = 0;

void access_line(std::uintptr_t address, int size, bool write, const void* place) {
  const std::uintptr_t number = address / kLine;
  Shard& shard = shards[number * 0x9E3779B97F4A7C15u >> 54];
  const std::lock_guard lock(shard.mutex);
  Line& line = shard.lines[number];
  const std::uint32_t self = 1u << thread, others = line.holders & ~self;
  const std::uint32_t now = batch.load(std::memory_order_relaxed);
  const int first = int(address % kLine);
  const bool transfer = others != 0 && (write || (line.holders & self) == 0);
  if (transfer) {
    std::uint32_t users = 0, users_of_line = 0;  // in this batch
    if (line.batch == now) {
      for (int i = 0; i < kLine; ++i) (i >= first && i < first + size ? users : users_of_line) |= line.users[i] & ~self;
    }
    ++shard.by_place[place].of[users != 0 ? kShared : users_of_line != 0 ? kFalse : kMoved];
  }
  if (line.batch != now) std::memset(line.users, 0, sizeof line.users);
  line.batch = now;
  line.holders = write ? self : line.holders | self;
  for (int i = first; i < first + size; ++i) line.users[i] |= self;
}

void access(const volatile void* pointer, std::uint64_t size, bool write, const void* place) {
  if (busy) return;
  ++own_accesses;
  if (!tracing.load(std::memory_order_relaxed)) return;
  busy = true;
  if (thread < 0) thread = threads.fetch_add(1);
  auto address = reinterpret_cast<std::uintptr_t>(pointer);
  for (const std::uintptr_t end = address + size; address < end;) {
    const std::uintptr_t next = std::min<std::uintptr_t>(end, (address / kLine + 1) * kLine);
    access_line(address, int(next - address), write, place);
    address = next;
  }
  if (own_accesses % kAccessesPerTurn == 0) sched_yield();
  busy = false;
}

std::uint64_t simulated_ns() { return own_accesses / kAccessesPerNs + clock_calls * kNsPerClock; }

template <class Function>
Function next_of(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

namespace cache_lines {

void start() {
  shards = new Shard[kShards];
  tracing = true;
}
void stop() { tracing = false; }
void begin_batch() { ++batch; }

// Prints the transfers per batch by the place in the program that caused them, for addr2line.
void report(double batches, double steps) {
  busy = true;
  std::map<const void*, Counts> all;
  Counts sum;
  for (int i = 0; i < kShards; ++i) {
    for (const auto& [place, counts] : shards[i].by_place) {
      for (int k = 0; k < kKinds; ++k) all[place].of[k] += counts.of[k], sum.of[k] += counts.of[k];
    }
  }
  std::printf("transfers %.6f %.6f %.6f %d\n", double(sum.of[kMoved]) / steps, double(sum.of[kShared]) / steps,
              double(sum.of[kFalse]) / steps, threads.load());
  for (const auto& [place, counts] : all) {
    Dl_info info;
    dladdr(place, &info);
    std::printf("place %tx %.4f %.4f %.4f\n", static_cast<const char*>(place) - static_cast<char*>(info.dli_fbase) - 1,
                double(counts.of[kMoved]) / batches, double(counts.of[kShared]) / batches,
                double(counts.of[kFalse]) / batches);
  }
}

}  // namespace cache_lines

extern "C" {

#define PLACE __builtin_return_address(0)
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** p, void*) { access(p, 8, true, PLACE); }
void __tsan_vptr_read(void** p) { access(p, 8, false, PLACE); }
void __tsan_read_range(void* p, std::size_t size) { access(p, size, false, PLACE); }
void __tsan_write_range(void* p, std::size_t size) { access(p, size, true, PLACE); }
#define PLAIN(n)                                                         \
  void __tsan_read##n(void* p) { access(p, n, false, PLACE); }           \
  void __tsan_write##n(void* p) { access(p, n, true, PLACE); }           \
  void __tsan_unaligned_read##n(void* p) { access(p, n, false, PLACE); } \
  void __tsan_unaligned_write##n(void* p) { access(p, n, true, PLACE); } \
  void __tsan_volatile_read##n(void* p) { access(p, n, false, PLACE); }  \
  void __tsan_volatile_write##n(void* p) { access(p, n, true, PLACE); }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)
#define CHANGE(bits, T, name, function)                         \
  T __tsan_atomic##bits##_##name(volatile T* p, T value, int) { \
    access(p, sizeof(T), true, PLACE);                          \
    return function(p, value, __ATOMIC_SEQ_CST);                \
  }
#define EXCHANGE(bits, T, name)                                                                        \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile T* p, T* expected, T value, int, int) {   \
    access(p, sizeof(T), true, PLACE);                                                                 \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
#define ATOMIC(bits, T)                                           \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {        \
    access(p, sizeof(T), false, PLACE);                           \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                  \
  }                                                               \
  void __tsan_atomic##bits##_store(volatile T* p, T value, int) { \
    access(p, sizeof(T), true, PLACE);                            \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                 \
  }                                                               \
  CHANGE(bits, T, exchange, __atomic_exchange_n)                  \
  CHANGE(bits, T, fetch_add, __atomic_fetch_add)                  \
  CHANGE(bits, T, fetch_sub, __atomic_fetch_sub)                  \
  CHANGE(bits, T, fetch_or, __atomic_fetch_or)                    \
  CHANGE(bits, T, fetch_and, __atomic_fetch_and)                  \
  EXCHANGE(bits, T, strong)                                       \
  EXCHANGE(bits, T, weak)
ATOMIC(8, std::uint8_t)
ATOMIC(16, std::uint16_t)
ATOMIC(32, std::uint32_t)
ATOMIC(64, std::uint64_t)
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

// The linker replaces calls to these functions: -Wl,--wrap.
void* __real_memcpy(void*, const void*, std::size_t);
void* __real_memmove(void*, const void*, std::size_t);
void* __real_memset(void*, int, std::size_t);
void* __wrap_memcpy(void* to, const void* from, std::size_t size) {
  access(from, size, false, PLACE);
  access(to, size, true, PLACE);
  return __real_memcpy(to, from, size);
}
void* __wrap_memmove(void* to, const void* from, std::size_t size) {
  access(from, size, false, PLACE);
  access(to, size, true, PLACE);
  return __real_memmove(to, from, size);
}
void* __wrap_memset(void* to, int value, std::size_t size) {
  access(to, size, true, PLACE);
  return __real_memset(to, value, size);
}

// These functions replace the C library's.
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static const auto next = next_of<int (*)(pthread_mutex_t*)>("pthread_mutex_lock");
  access(mutex, sizeof *mutex, true, PLACE);
  return next(mutex);
}
int clock_gettime(clockid_t clock, timespec* time) {
  if (clock != CLOCK_MONOTONIC || !tracing) return int(syscall(SYS_clock_gettime, clock, time));
  ++clock_calls;
  const std::uint64_t ns = simulated_ns();
  time->tv_sec = time_t(ns / 1'000'000'000);
  time->tv_nsec = long(ns % 1'000'000'000);
  return 0;
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t, const timespec*) {
  static const auto next =
      next_of<int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>("pthread_cond_clockwait");
  timespec until;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &until);
  until.tv_sec += 1;
  return next(condition, mutex, CLOCK_MONOTONIC, &until);
}

}  // extern "C"
