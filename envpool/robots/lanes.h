// SPDX-License-Identifier: Apache-2.0
//
// Functions of f64x4 that core/math/lanes.h does not have, or has in a form that is slower where masks are tested
// often.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/lanes.h"

#if ENVPOOL_AVX2
#include <emmintrin.h>
#endif

namespace envpool::robots {

using envpool::sqrt;
ENVPOOL_FN bool any(bool holds) { return holds; }

// Reads and writes one lane; a robot that is stepped alone is its only lane.
ENVPOOL_FN f64 in_lane(const f64& x, int) { return x; }
ENVPOOL_FN void set_lane(f64& x, int, f64 value) { x = value; }

// Loads and stores one number, or four consecutive numbers of one robot.
template <class T>
ENVPOOL_ALWAYS_INLINE T load(const f64* from) {
  if constexpr (sizeof(T) == sizeof(f64)) {
    return *from;
  } else {
    T numbers;
    __builtin_memcpy(&numbers, from, sizeof(T));
    return numbers;
  }
}
template <class T>
ENVPOOL_ALWAYS_INLINE void store(f64* to, const T& numbers) {
  if constexpr (sizeof(T) == sizeof(f64)) {
    *to = numbers;
  } else {
    __builtin_memcpy(to, &numbers, sizeof(T));
  }
}

#if ENVPOOL_SIMD
typedef i64 i64x2 __attribute__((vector_size(16)));

ENVPOOL_ALWAYS_INLINE f64 in_lane(const f64x4& x, int lane) { return x[lane]; }
ENVPOOL_ALWAYS_INLINE void set_lane(f64x4& x, int lane, f64 value) { x[lane] = value; }

ENVPOOL_ALWAYS_INLINE bool any(i64x4 holds) {
  const i64x2 either = i64x2{holds[0], holds[1]} | i64x2{holds[2], holds[3]};
#if ENVPOOL_AVX2
  return _mm_movemask_pd(__builtin_bit_cast(__m128d, either)) != 0;
#else
  return (either[0] | either[1]) != 0;
#endif
}
// Computes the roots in halves, which are about as fast: functions of the baseline cannot use instructions of AVX.
ENVPOOL_ALWAYS_INLINE f64x4 sqrt(f64x4 x) {
#if ENVPOOL_AVX2
  const f64x2 low = __builtin_bit_cast(f64x2, _mm_sqrt_pd(__m128d{x[0], x[1]}));
  const f64x2 high = __builtin_bit_cast(f64x2, _mm_sqrt_pd(__m128d{x[2], x[3]}));
#else
  const f64x2 low = __builtin_bit_cast(f64x2, vsqrtq_f64(float64x2_t{x[0], x[1]}));
  const f64x2 high = __builtin_bit_cast(f64x2, vsqrtq_f64(float64x2_t{x[2], x[3]}));
#endif
  return f64x4{low[0], low[1], high[0], high[1]};
}
#endif

}  // namespace envpool::robots
