// SPDX-License-Identifier: Apache-2.0
//
// Scales the time that observations of this family contain, as gymnax does.
#pragma once

#include "envpool/core/types.h"

namespace envpool::misc {

// Scales a number of steps so that 0 gives `low` and `length` gives `high`, in float32 and in gymnax's order of
// operations.
ENVPOOL_FN f32 scaled_time(i32 steps, f32 low = -1, f32 high = 1, f32 length = 100) {
  return (high - low) * f32(steps) / length + low;
}

}  // namespace envpool::misc
