// SPDX-License-Identifier: Apache-2.0
//
// Determines whether AVX2 code is compiled (define ENVPOOL_AVX2 as 0 or 1 to override), and whether the CPU supports
// it. GCC does not align the stack for AVX2's registers on Windows, so that code compiled with it would crash.
#pragma once

#include "envpool/core/types.h"

#ifndef ENVPOOL_AVX2
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__) && !(defined(_WIN32) && !defined(__clang__))
#define ENVPOOL_AVX2 1
#else
#define ENVPOOL_AVX2 0
#endif
#endif

namespace envpool {

ENVPOOL_FN bool has_avx2() {
#if ENVPOOL_AVX2
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

}  // namespace envpool
