// SPDX-License-Identifier: Apache-2.0
//
// Sums in NumPy's order: the references compute rewards with NumPy, and the order of a sum decides its last bits.
#pragma once

#include "envpool/core/types.h"

namespace envpool::mujoco {

// np.sum(term(0) ... term(count - 1)) of contiguous doubles: NumPy's pairwise summation.
template <class Term>
f64 numpy_sum(i64 count, Term&& term, i64 first = 0) {
  if (count < 8) {
    f64 sum = count > 0 ? term(first) : 0.0;
    for (i64 i = 1; i < count; ++i) sum += term(first + i);
    return sum;
  }
  if (count <= 128) {
    f64 lane[8];
    for (i64 k = 0; k < 8; ++k) lane[k] = term(first + k);
    i64 i = 8;
    for (; i + 8 <= count; i += 8) {
      for (i64 k = 0; k < 8; ++k) lane[k] += term(first + i + k);
    }
    f64 sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    for (; i < count; ++i) sum += term(first + i);
    return sum;
  }
  const i64 half = count / 2 / 8 * 8;
  return numpy_sum(half, term, first) + numpy_sum(count - half, term, first + half);
}

// np.sum(np.square(x)).
inline f64 sum_of_squares(const f64* x, i64 count) {
  return numpy_sum(count, [x](i64 i) { return x[i] * x[i]; });
}

}  // namespace envpool::mujoco
