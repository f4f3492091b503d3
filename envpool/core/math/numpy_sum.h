// SPDX-License-Identifier: Apache-2.0
//
// Computes sums in NumPy's order. References in Python compute rewards with NumPy, and the order determines the last
// bits.
#pragma once

#include "envpool/core/types.h"

namespace envpool {

// Returns np.sum of term(0) ... term(count - 1), by the pairwise summation of NumPy for contiguous numbers, in the
// precision of the terms.
template <class Term>
ENVPOOL_FN auto numpy_sum(i64 count, Term&& term, i64 first = 0) -> decltype(term(first)) {
  using T = decltype(term(first));
  if (count < 8) {
    T sum = count > 0 ? term(first) : T(0);
    for (i64 i = 1; i < count; ++i) sum += term(first + i);
    return sum;
  }
  if (count <= 128) {
    T partial[8];
    for (i64 k = 0; k < 8; ++k) partial[k] = term(first + k);
    i64 i = 8;
    for (; i + 8 <= count; i += 8) {
      for (i64 k = 0; k < 8; ++k) partial[k] += term(first + i + k);
    }
    T sum = ((partial[0] + partial[1]) + (partial[2] + partial[3])) +
            ((partial[4] + partial[5]) + (partial[6] + partial[7]));
    for (; i < count; ++i) sum += term(first + i);
    return sum;
  }
  const i64 half = count / 2 / 8 * 8;
  return numpy_sum(half, term, first) + numpy_sum(count - half, term, first + half);
}

// Returns np.sum(np.square(x)).
ENVPOOL_FN f64 sum_of_squares(const f64* x, i64 count) {
  return numpy_sum(count, [x](i64 i) { return x[i] * x[i]; });
}

}  // namespace envpool
