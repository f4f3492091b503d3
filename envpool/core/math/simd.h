// SPDX-License-Identifier: Apache-2.0
//
// Determines whether SIMD code is compiled, and whether the CPU supports it. There is code for AVX2, and for NEON,
// which every aarch64 processor has. Define ENVPOOL_AVX2 or ENVPOOL_NEON as 0 to leave it out. GCC does not align the
// stack for AVX2's registers on Windows, so that code compiled with it would crash.
#pragma once

#include "envpool/core/types.h"

#ifndef ENVPOOL_AVX2
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__) && !(defined(_WIN32) && !defined(__clang__))
#define ENVPOOL_AVX2 1
#else
#define ENVPOOL_AVX2 0
#endif
#endif

#ifndef ENVPOOL_NEON
#if defined(__aarch64__) && defined(__ARM_NEON) && defined(__GNUC__) && !defined(__AARCH64EB__) && !defined(__CUDACC__)
#define ENVPOOL_NEON 1
#else
#define ENVPOOL_NEON 0
#endif
#endif

#define ENVPOOL_SIMD (ENVPOOL_AVX2 || ENVPOOL_NEON)

// The attribute of functions that contain SIMD code.
#if ENVPOOL_AVX2
#define ENVPOOL_SIMD_TARGET __attribute__((target("avx2")))
#else
#define ENVPOOL_SIMD_TARGET
#endif

namespace envpool {

ENVPOOL_FN bool has_simd() {
#if ENVPOOL_AVX2
  return __builtin_cpu_supports("avx2");
#else
  return ENVPOOL_NEON;
#endif
}

}  // namespace envpool
