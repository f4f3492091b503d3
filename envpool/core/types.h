// SPDX-License-Identifier: Apache-2.0
//
// Fixed-width types and the few macros that let one source compile for CPU (gcc, clang) and GPU (NVRTC).
// NVRTC has no standard headers at all, so nothing here may include one.
#pragma once

// ENVPOOL_FN marks every function an environment may call on any device.
#ifdef __CUDACC__
#define ENVPOOL_FN __host__ __device__ inline
#else
#define ENVPOOL_FN inline
#endif

// ENVPOOL_HOST guards what only the host has: specs, options, anything with a std header.
#ifdef __CUDACC_RTC__
#define ENVPOOL_HOST 0
#else
#define ENVPOOL_HOST 1
#endif

// ENVPOOL_ALWAYS_INLINE is for the handful of functions whose call would cost more than their body, ENVPOOL_NOINLINE
// for those that would slow down who calls them. ENVPOOL_DEVICE_CALL is for larger functions with many callers: a
// device's compiler inlines whatever it can, over and over, and would take an hour for a console.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define ENVPOOL_ALWAYS_INLINE ENVPOOL_FN __attribute__((always_inline))
#else
#define ENVPOOL_ALWAYS_INLINE ENVPOOL_FN
#endif
#define ENVPOOL_NOINLINE ENVPOOL_FN __attribute__((noinline))
#ifdef __CUDACC__
#define ENVPOOL_DEVICE_CALL ENVPOOL_NOINLINE
#else
#define ENVPOOL_DEVICE_CALL ENVPOOL_FN
#endif

namespace envpool {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;
using f32 = float;
using f64 = double;

static_assert(sizeof(u16) == 2 && sizeof(u32) == 4 && sizeof(u64) == 8 && sizeof(f64) == 8);

}  // namespace envpool
