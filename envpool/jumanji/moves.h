// SPDX-License-Identifier: Apache-2.0
//
// The four moves of Jumanji's grids: up (0), to the right (1), down (2), to the left (3). Row 0 is at the top.
#pragma once

#include "envpool/core/types.h"

namespace envpool::jumanji {

inline constexpr i32 kMoves = 4;

ENVPOOL_FN i32 rows_of(i32 move) { return i32(move == 2) - i32(move == 0); }
ENVPOOL_FN i32 columns_of(i32 move) { return i32(move == 1) - i32(move == 3); }

}  // namespace envpool::jumanji
