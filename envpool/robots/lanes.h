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

#if ENVPOOL_SIMD
typedef i64 i64x2 __attribute__((vector_size(16)));

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
