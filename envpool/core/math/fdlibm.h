// SPDX-License-Identifier: Apache-2.0
//
// Functions with the bits of fdlibm (K. C. Ng et al., Sun Microsystems, 1993), for environments whose reference calls
// them through the C library. Those of math.h are more accurate, and so have other bits in some arguments.
#pragma once

#include "envpool/core/math/math.h"

namespace envpool::fdlibm {

// Returns the arc tangent of x >= 0. The argument is reduced to |r| <= 7/16 around one of four angles.
ENVPOOL_FN f32 atan_of_magnitude(f32 x) {
  f32 r = x, high = 0, low = 0;
  if (x >= 0x1p25f) return 0x1.921fb4p+0f + 0x1.4442dp-24f;
  if (x < 0.4375f) {
    if (x < 0x1p-29f) return x;
  } else if (x < 0.6875f) {
    r = (2 * x - 1) / (2 + x);
    high = 0x1.dac67p-2f;
    low = 0x1.586ed2p-28f;
  } else if (x < 1.1875f) {
    r = (x - 1) / (x + 1);
    high = 0x1.921fb4p-1f;
    low = 0x1.4442dp-25f;
  } else if (x < 2.4375f) {
    r = (x - 1.5f) / (1 + 1.5f * x);
    high = 0x1.f730bcp-1f;
    low = 0x1.281f68p-25f;
  } else {
    r = -1 / x;
    high = 0x1.921fb4p+0f;
    low = 0x1.4442dp-24f;
  }
  const f32 z = r * r, w = z * z;
  const f32 even =
      z * (0.33333334327f +
           w * (0.14285714924f +
                w * (0.090908870101f + w * (0.066610731184f + w * (0.049768779427f + w * 0.016285819933f)))));
  const f32 odd = w * (-0.20000000298f +
                       w * (-0.11111110449f + w * (-0.076918758452f + w * (-0.058335702866f + w * -0.036531571299f))));
  const f32 rest = r * (even + odd);
  return high == 0 ? r - rest : high - ((rest - low) - r);
}

// Returns the angle of the point (x, y). If x or y is infinite, where fdlibm has further rules, this is NaN or a limit.
ENVPOOL_FN f32 atan2(f32 y, f32 x) {
  constexpr f32 kPi = 0x1.921fb6p+1f, kPiLow = -0x1.777a5cp-24f;
  const bool left = (math::bits(x) >> 31) != 0;
  if (y == 0) return left ? math::with_sign(kPi, y) : y;
  if (x == 0) return math::with_sign(kPi / 2, y);
  const i32 exponents = i32(math::bits(math::magnitude(y)) >> 23) - i32(math::bits(math::magnitude(x)) >> 23);
  f32 angle;
  if (exponents > 60) {
    angle = kPi / 2 + 0.5f * kPiLow;
  } else if (left && exponents < -60) {
    angle = 0;
  } else {
    angle = atan_of_magnitude(math::magnitude(y / x));
  }
  if (left) angle = kPi - (angle - kPiLow);
  return math::with_sign(angle, y);
}

}  // namespace envpool::fdlibm
