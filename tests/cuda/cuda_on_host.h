// SPDX-License-Identifier: Apache-2.0
//
// The names that CUDA predefines, for kernels that are compiled for the host. Each thread of a block is a thread of the
// host, and a block is one warp of eight lanes. Include this after the standard headers and before those of kernels.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>

// __CUDACC__ would change the standard headers, so it is defined after them.
#define __CUDACC__
#define __host__
#define __device__
#define __shared__ static
struct Extent {
  unsigned x = 1, y = 1, z = 1;
};
static thread_local Extent blockIdx, threadIdx;  // NOLINT
static Extent blockDim, gridDim;                 // NOLINT
// The threads of a block wait for each other here. std::barrier hangs in GCC 12's library for Windows, which loses
// wake-ups.
class Barrier {
 public:
  explicit Barrier(unsigned count) : count_(count) {}
  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    const unsigned phase = phase_;
    if (++arrived_ < count_) return complete_.wait(lock, [&] { return phase_ != phase; });
    arrived_ = 0;
    ++phase_;
    complete_.notify_all();
  }

 private:
  const unsigned count_;
  unsigned arrived_ = 0, phase_ = 0;
  std::mutex mutex_;
  std::condition_variable complete_;
};
static Barrier* block_barrier;
static inline void __syncthreads() { block_barrier->arrive_and_wait(); }
static inline int __syncthreads_or(int condition) {
  static std::atomic<int> any = 0;
  any.fetch_or(condition);
  __syncthreads();
  const int result = any;
  __syncthreads();
  any = 0;
  __syncthreads();
  return result;
}
// There are fewer threads than agents, so that a thread has several agents.
#define ENVPOOL_THREADS 8
#define ENVPOOL_TEAM 8
#define ENVPOOL_WARP 8
static inline void __syncwarp(unsigned) { __syncthreads(); }
// In this test a world is a block, so no team shares a warp with another.
static inline int __any_sync(unsigned, int) { std::abort(); }
// Calls a function with the values of all lanes.
template <class Function>
static unsigned with_lanes(unsigned value, const Function& function) {
  static unsigned values[ENVPOOL_WARP];
  values[threadIdx.x] = value;
  __syncthreads();
  const unsigned result = function(values);
  __syncthreads();
  return result;
}
static inline unsigned __shfl_sync(unsigned, unsigned value, unsigned lane) {
  return with_lanes(value, [&](const unsigned* values) { return values[lane]; });
}
static inline unsigned __ballot_sync(unsigned, int condition) {
  return with_lanes(condition != 0, [](const unsigned* values) {
    unsigned result = 0;
    for (unsigned lane = 0; lane < ENVPOOL_WARP; ++lane) result |= values[lane] << lane;
    return result;
  });
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static unsigned char* dynamic_shared;
#define ENVPOOL_DYNAMIC_SHARED dynamic_shared
