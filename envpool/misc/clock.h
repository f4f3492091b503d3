// SPDX-License-Identifier: Apache-2.0
//
// How far an episode is, as gymnax's environments of this family show it.
#pragma once

#include "envpool/core/types.h"

namespace envpool::misc {

// Steps as a number that is `low` at 0 and `high` at `length`; in float32 and in this order, as gymnax computes it.
ENVPOOL_FN f32 scaled_time(i32 steps, f32 low = -1, f32 high = 1, f32 length = 100) {
  return (high - low) * f32(steps) / length + low;
}

}  // namespace envpool::misc
