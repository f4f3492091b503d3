// SPDX-License-Identifier: Apache-2.0
//
// Standard normal variates, each from one random word.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::misc {

// Returns the quantile of the standard normal distribution at (1 + x) / 2, for |x| < 1, with a relative error of at
// most 1e-6. It is sqrt(2) times the inverse error function, by the formula for float32 in M. Giles, "Approximating the
// erfinv function", GPU Computing Gems (2011).
template <class T>
ENVPOOL_ALWAYS_INLINE T normal_quantile(T x) {
  static constexpr f32 inner[9] = {1.50140941f,      0.246640727f,    -0.00417768164f, -0.00125372503f, 0.00021858087f,
                                   -4.39150654e-06f, -3.5233877e-06f, 3.43273939e-07f, 2.81022636e-08f};
  static constexpr f32 outer[9] = {2.83297682f,     1.00167406f,    0.00943887047f,  -0.0076224613f,  0.00573950773f,
                                   -0.00367342844f, 0.00134934322f, 0.000100950558f, -0.000200214257f};
  const f32 root2 = 0x1.6a09e6p+0f;
  const T w = -log((1.0f - x) * (1.0f + x));
  const auto central = w < 5.0f;
  const T z = select(central, w - 2.5f, sqrt(w) - 3.0f);
  T sum = select(central, T{} + inner[8], T{} + outer[8]);
  for (int i = 7; i >= 0; --i) sum = select(central, T{} + inner[i], T{} + outer[i]) + z * sum;
  return root2 * x * sum;
}

// Returns normal variates from random words. Their largest magnitude is 5.42.
template <class T, class Words>
ENVPOOL_ALWAYS_INLINE T normal(Words words) {
  using R = math::Real<T>;
  // A uniformly random odd number from -2^24 to 2^24.
  const auto odd = typename R::Exponent(words >> 8 << 1 | 1) - (1 << 24);
  return normal_quantile(R::whole(odd) * (1.0f / 16777216.0f));
}

}  // namespace envpool::misc
