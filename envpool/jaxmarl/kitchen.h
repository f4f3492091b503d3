// SPDX-License-Identifier: Apache-2.0
//
// What the cells of Overcooked's kitchens hold.
#pragma once

#include "envpool/core/types.h"

namespace envpool::jaxmarl {

// The values, which hands have too, are those of JaxMARL, except that of a pot, which includes its status: kPot + 23 is
// an empty pot, each onion subtracts 1, and a pot with three onions cooks until kPot + 0.
enum Cell : u8 {
  kFloor = 1,  // an empty hand
  kCounter,
  kOnion,
  kOnionPile,
  kPlate,
  kPlatePile,
  kGoal,
  kSoup = 9,  // in a dish
  kPot = 32,
};
inline constexpr i32 kMaxCells = 256;                      // of a kitchen
inline constexpr i32 kReady = 0, kFull = 20, kEmpty = 23;  // statuses of a pot

}  // namespace envpool::jaxmarl
