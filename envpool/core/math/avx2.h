// SPDX-License-Identifier: Apache-2.0
//
// Whether code in AVX2 is compiled (define ENVPOOL_AVX2 to decide otherwise), and whether this processor runs it.
#pragma once

#include "envpool/core/types.h"

#ifndef ENVPOOL_AVX2
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
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
