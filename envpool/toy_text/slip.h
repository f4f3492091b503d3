// SPDX-License-Identifier: Apache-2.0
//
// What slippery grids have in common: a move goes where it was meant to, or to either side of that.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::toy_text {

struct Slip {
  i32 turn;         // 0 as intended, -1 and 1 to the sides
  f32 probability;  // that this one of the three had
};

// `intended` is the probability of going straight; the sides share the rest.
template <class Draws>
ENVPOOL_FN Slip slip(f64 intended, Draws& rng) {
  const f64 side = (1 - intended) / 2, draw = rng.uniform();
  const bool left = draw < side, straight = !left & (draw < side + intended);  // no branch: none could be foreseen
  return {i32(!left & !straight) - i32(left), keep_if(straight, f32(intended)) + keep_if(!straight, f32(side))};
}

}  // namespace envpool::toy_text
