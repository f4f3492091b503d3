// SPDX-License-Identifier: Apache-2.0
//
// Assertions about what the engine itself guarantees. They are checked in debug, test and sanitizer builds, where the
// build defines ENVPOOL_ASSERTIONS=1 (cmake/toolchain.cmake), and cost nothing in wheels. The arguments of callers are
// validated in every build, and are not a case for assertions.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "envpool/core/types.h"

#ifndef ENVPOOL_ASSERTIONS
#define ENVPOOL_ASSERTIONS 0
#endif

#if ENVPOOL_ASSERTIONS
#define ENVPOOL_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : envpool::fail_assertion(#condition, __FILE__, __LINE__))
#else
#define ENVPOOL_ASSERT(condition) static_cast<void>(false && (condition))
#endif

namespace envpool {

[[noreturn]] inline void fail_assertion(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "envpool: the assertion %s failed in %s:%d\n", condition, file, line);
  std::abort();
}

// Returns whether all ids are in 0..limit - 1.
inline bool are_ids(const i32* ids, i32 count, i32 limit) {
  u32 signs = 0;  // no early return, so that the compiler uses SIMD instructions
  for (i32 k = 0; k < count; ++k) signs |= u32(ids[k]) | (u32(limit) - 1 - u32(ids[k]));
  return i32(signs) >= 0;
}

}  // namespace envpool
