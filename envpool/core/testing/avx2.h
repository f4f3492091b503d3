// SPDX-License-Identifier: Apache-2.0
//
// Determines whether the tests expect AVX2 code, independently of the code under test. Include it before all other
// headers.
#pragma once

#if defined(ENVPOOL_AVX2)
#define ENVPOOL_TEST_AVX2 ENVPOOL_AVX2  // set on the command line
#elif defined(__x86_64__) && defined(__GNUC__) && !(defined(_WIN32) && !defined(__clang__))
#define ENVPOOL_TEST_AVX2 1
#else
#define ENVPOOL_TEST_AVX2 0
#endif

namespace envpool::testing {

inline bool wants_avx2() {
#if ENVPOOL_TEST_AVX2
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

}  // namespace envpool::testing
