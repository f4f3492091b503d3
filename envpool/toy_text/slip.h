// SPDX-License-Identifier: Apache-2.0
//
// Draws the direction of a move on slippery ground: the chosen direction, or either perpendicular one.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::toy_text {

struct Slip {
  i32 turn;         // in quarter turns: 0 for the chosen direction, -1 or 1 for a perpendicular one
  f32 probability;  // of this direction
};

// `intended` is the probability of the chosen direction; the other two share the rest.
template <class Draws>
ENVPOOL_FN Slip draw_slip(f64 intended, Draws& rng) {
  const f64 side = (1 - intended) / 2, draw = rng.uniform();
  const bool left = draw < side, straight = !left & (draw < side + intended);  // Branches would be mispredicted.
  return {i32(!left & !straight) - i32(left), keep_if(straight, f32(intended)) + keep_if(!straight, f32(side))};
}

}  // namespace envpool::toy_text
