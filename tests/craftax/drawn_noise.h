// SPDX-License-Identifier: Apache-2.0
//
// What the reference has drawn for the noise of an image: a number for each pixel of the view.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::craftax {

template <i32 kColumns, i32 kTileSide>
struct DrawnNoise {
  const f32* number;

  template <i32 kCount>
  void fill(i32 cell, i32 first, f32 (&out)[kCount]) const {
    for (i32 i = 0; i < kCount; ++i) {
      const i32 y = cell / kColumns * kTileSide + (first + i) / kTileSide;
      const i32 x = cell % kColumns * kTileSide + (first + i) % kTileSide;
      out[i] = number[y * kColumns * kTileSide + x];
    }
  }
};

}  // namespace envpool::craftax
