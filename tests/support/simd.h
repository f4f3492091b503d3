// SPDX-License-Identifier: Apache-2.0
//
// Determines whether the tests expect SIMD code, independently of the code under test. Include it before all other
// headers.
#pragma once

#if defined(__x86_64__) && defined(ENVPOOL_AVX2)
#define ENVPOOL_TEST_AVX2 ENVPOOL_AVX2  // set on the command line
#elif defined(__x86_64__) && defined(__GNUC__) && !(defined(_WIN32) && !defined(__clang__))
#define ENVPOOL_TEST_AVX2 1
#else
#define ENVPOOL_TEST_AVX2 0
#endif

#if defined(__aarch64__) && defined(ENVPOOL_NEON)
#define ENVPOOL_TEST_NEON ENVPOOL_NEON  // set on the command line
#elif defined(__aarch64__)
#define ENVPOOL_TEST_NEON 1
#else
#define ENVPOOL_TEST_NEON 0
#endif

namespace envpool::testing {

inline bool wants_simd() {
#if ENVPOOL_TEST_AVX2
  return __builtin_cpu_supports("avx2");
#else
  return ENVPOOL_TEST_NEON;
#endif
}

}  // namespace envpool::testing
