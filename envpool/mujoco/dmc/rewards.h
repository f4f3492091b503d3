// SPDX-License-Identifier: Apache-2.0
//
// The tolerance function of the suite's rewards, and sums in NumPy's order. Source: dm_control 1.0.50,
// utils/rewards.py.
#pragma once

#include "envpool/core/math/numpy_sum.h"
#include "envpool/core/portable.h"
#include "envpool/core/table/spec.h"

namespace envpool::mujoco::dmc {

struct Bounds {
  f64 low = 0, high = 0;
};

enum class Sigmoid { kGaussian, kLinear, kQuadratic, kLongTail, kReciprocal };

// Returns 1 for a distance of 0 and `at_1` for a distance of 1.
inline f64 sigmoid(f64 x, f64 at_1, Sigmoid kind) {
  switch (kind) {
    case Sigmoid::kGaussian: {
      const f64 scaled = x * sqrt(-2 * log(at_1));
      return exp(-0.5 * (scaled * scaled));
    }
    case Sigmoid::kLongTail: {
      const f64 scaled = x * sqrt(1 / at_1 - 1);
      return 1 / (scaled * scaled + 1);
    }
    case Sigmoid::kReciprocal: return 1 / (fabs(x) * (1 / at_1 - 1) + 1);
    case Sigmoid::kLinear: {
      const f64 scaled = x * (1 - at_1);
      return fabs(scaled) < 1 ? 1 - scaled : 0.0;
    }
    case Sigmoid::kQuadratic: {
      const f64 scaled = x * sqrt(1 - at_1);
      return fabs(scaled) < 1 ? 1 - scaled * scaled : 0.0;
    }
  }
  return 0;
}

// Returns 1 within the bounds; outside, the value decreases with the distance, to `at_margin` at a distance of
// `margin`.
inline f64 tolerance(f64 x, Bounds bounds, f64 margin = 0, Sigmoid kind = Sigmoid::kGaussian, f64 at_margin = 0.1) {
  if (bounds.low <= x && x <= bounds.high) return 1;
  if (margin == 0) return 0;
  return sigmoid((x < bounds.low ? bounds.low - x : x - bounds.high) / margin, at_margin, kind);
}

// Returns np.mean of term(0) ... term(count - 1).
template <class Term>
f64 numpy_mean(i64 count, Term&& term) {
  return numpy_sum(count, term) / f64(count);
}

// Returns the same as np.linalg.norm, except that a BLAS may add in another order.
inline f64 norm(const f64* x, int count) {
  f64 sum = 0;
  for (int i = 0; i < count; ++i) sum += x[i] * x[i];
  return sqrt(sum);
}

struct Vec3 {
  f64 x[3];

  f64 operator[](int i) const { return x[i]; }
  f64 norm() const { return dmc::norm(x, 3); }
};
inline Vec3 difference(const f64* to, const f64* from) { return {{to[0] - from[0], to[1] - from[1], to[2] - from[2]}}; }

// Returns a vector in the frame whose axes are the columns of a 3x3 matrix.
inline Vec3 in_frame(const Vec3& v, const f64* frame) {
  Vec3 out;
  for (int j = 0; j < 3; ++j) out.x[j] = v[0] * frame[j] + v[1] * frame[3 + j] + v[2] * frame[6 + j];
  return out;
}

}  // namespace envpool::mujoco::dmc
