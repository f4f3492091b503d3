// SPDX-License-Identifier: Apache-2.0
//
// Perlin noise of one octave over a world of Craftax-Classic or a floor of Craftax, scaled to the range from 0 to 1.
// The scale is known only when all of the noise has been computed. A GPU's thread has no room for it, so it is computed
// twice.
#pragma once

#include "envpool/craftax/draws.h"

namespace envpool::craftax {

// Calls visit(row, value) for each row of the noise, before it is scaled. `value` has the values of the row: those
// of the first column of every lattice cell, then those of the second columns, and so on. In this order, the loops
// below compute several values at a time. The lattice has kDown by kAcross cells.
template <Noise kNumber, i32 kDown, i32 kAcross, i32 kSide = craftax::kSide, class Draws, class Visit>
ENVPOOL_FN void for_noise_rows(Draws& draws, Visit&& visit) {
  constexpr i32 kHeight = kSide / kDown, kWidth = kSide / kAcross;  // of a lattice cell
  constexpr f32 kTurn = 6.2831855f, kRootOfTwo = 1.4142135f;
  const auto fade = [](f32 t) { return t * t * t * (t * (t * 6 - 15) + 10); };

  f32 cos_above[kAcross + 1], sin_above[kAcross + 1], cos_below[kAcross + 1], sin_below[kAcross + 1];
  const auto draw_below = [&](i32 row) {
    for (i32 i = 0; i <= kAcross; ++i) {
      const SinCos<f32> gradient = sincos(kTurn * draws.angle(kNumber, row * (kAcross + 1) + i));
      cos_below[i] = gradient.cos;
      sin_below[i] = gradient.sin;
    }
  };
  draw_below(0);
  for (i32 band = 0; band < kDown; ++band) {
    for (i32 i = 0; i <= kAcross; ++i) cos_above[i] = cos_below[i], sin_above[i] = sin_below[i];
    draw_below(band + 1);
    for (i32 y = 0; y < kHeight; ++y) {
      const f32 down = f32(y) / kHeight, below = fade(down), above = 1 - below;
      f32 dot_above[kAcross + 1], dot_below[kAcross + 1], value[kSide];
      for (i32 i = 0; i <= kAcross; ++i) {
        dot_above[i] = down * cos_above[i];
        dot_below[i] = (down - 1) * cos_below[i];
      }
      for (i32 x = 0; x < kWidth; ++x) {
        const f32 across = f32(x) / kWidth, right = fade(across), left = 1 - right;
        for (i32 i = 0; i < kAcross; ++i) {
          const f32 left_above = dot_above[i] + across * sin_above[i];
          const f32 left_below = dot_below[i] + across * sin_below[i];
          const f32 right_above = dot_above[i + 1] + (across - 1) * sin_above[i + 1];
          const f32 right_below = dot_below[i + 1] + (across - 1) * sin_below[i + 1];
          const f32 on_left = left_above * above + below * left_below;
          const f32 on_right = right_above * above + below * right_below;
          value[x * kAcross + i] = kRootOfTwo * (left * on_left + right * on_right);
        }
      }
      visit(band * kHeight + y, value);
    }
  }
}

// Calls visit(row, column, value) for each value of the noise, scaled.
template <Noise kNumber, i32 kDown, i32 kAcross, i32 kSide = craftax::kSide, class Draws, class Visit>
ENVPOOL_FN void for_noise(Draws& draws, Visit&& visit) {
  constexpr i32 kWidth = kSide / kAcross;
  f32 least[kSide], greatest[kSide];
  for (i32 i = 0; i < kSide; ++i) least[i] = 1e9f, greatest[i] = -1e9f;
  for_noise_rows<kNumber, kDown, kAcross, kSide>(draws, [&](i32, const f32* value) {
    for (i32 i = 0; i < kSide; ++i) {
      least[i] = min(value[i], least[i]);
      greatest[i] = max(value[i], greatest[i]);
    }
  });
  for (i32 i = 1; i < kSide; ++i) {
    least[0] = min(least[0], least[i]);
    greatest[0] = max(greatest[0], greatest[i]);
  }
  const f32 low = least[0], range = greatest[0] - least[0];
  for_noise_rows<kNumber, kDown, kAcross, kSide>(draws, [&](i32 y, f32* value) {
    for (i32 i = 0; i < kSide; ++i) value[i] = (value[i] - low) / range;
    for (i32 x = 0; x < kWidth; ++x) {
      for (i32 i = 0; i < kAcross; ++i) visit(y, i * kWidth + x, value[x * kAcross + i]);
    }
  });
}

}  // namespace envpool::craftax
