// SPDX-License-Identifier: Apache-2.0
//
// Fixed-width types, and macros that let one source compile for CPUs (gcc, clang) and GPUs (NVRTC). This file includes
// no standard headers, because NVRTC has none.
#pragma once

// ENVPOOL_FN marks functions that environments may call on any device.
#ifdef __CUDACC__
#define ENVPOOL_FN __host__ __device__ inline
#else
#define ENVPOOL_FN inline
#endif

// ENVPOOL_HOST guards code that only compiles for the host: specs, options, anything that needs a standard header.
#ifdef __CUDACC_RTC__
#define ENVPOOL_HOST 0
#else
#define ENVPOOL_HOST 1
#endif

// ENVPOOL_ALWAYS_INLINE is for small functions whose call would cost more than their body, ENVPOOL_NOINLINE for
// functions that would slow down their callers if inlined. ENVPOOL_DEVICE_CALL prevents a device compiler from inlining
// large functions with many callers: without it, the Atari console takes an hour to compile. ENVPOOL_HOST_CALL prevents
// the host's compiler from inlining what happens rarely, whose code would take registers from a loop.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define ENVPOOL_ALWAYS_INLINE ENVPOOL_FN __attribute__((always_inline))
#else
#define ENVPOOL_ALWAYS_INLINE ENVPOOL_FN
#endif
#define ENVPOOL_NOINLINE ENVPOOL_FN __attribute__((noinline))
#ifdef __CUDACC__
#define ENVPOOL_DEVICE_CALL ENVPOOL_NOINLINE
#define ENVPOOL_HOST_CALL ENVPOOL_FN
#else
#define ENVPOOL_DEVICE_CALL ENVPOOL_FN
#define ENVPOOL_HOST_CALL ENVPOOL_NOINLINE
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
