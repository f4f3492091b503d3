// SPDX-License-Identifier: Apache-2.0
//
// The normal distribution, of mean 0 and variance 1, from one word of the generator.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::misc {

// The number that a normal one is less than with probability (1 + x) / 2, |x| < 1, within 1e-6 of itself: M. Giles,
// "Approximating the erfinv function", GPU Computing Gems (2011), for float32, times the root of 2.
ENVPOOL_FN f32 normal_quantile(f32 x) {
  const f32 w = -log((1 - x) * (1 + x));
  const f32 root2 = 0x1.6a09e6p+0f;
  if (w < 5) {
    return root2 * x *
           math::polynomial(w - 2.5f, 1.50140941f, 0.246640727f, -0.00417768164f, -0.00125372503f, 0.00021858087f,
                            -4.39150654e-06f, -3.5233877e-06f, 3.43273939e-07f, 2.81022636e-08f);
  }
  return root2 * x *
         math::polynomial(sqrt(w) - 3, 2.83297682f, 1.00167406f, 0.00943887047f, -0.0076224613f, 0.00573950773f,
                          -0.00367342844f, 0.00134934322f, 0.000100950558f, -0.000200214257f);
}

// At most 5.42 away, as one of 2^23 is.
template <class Draws>
ENVPOOL_FN f32 normal(Draws& rng) {
  const i32 odd = i32(rng.bits() >> 8 << 1 | 1) - (1 << 24);  // each odd number from -2^24 to 2^24, as likely
  return normal_quantile(f32(odd) * (1.0f / 16777216.0f));
}

}  // namespace envpool::misc
