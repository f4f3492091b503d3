// SPDX-License-Identifier: Apache-2.0
//
// How light each block of the dark floors is, which images show. The rules, and the observation of numbers, only need
// whether it is lit: State::lit.
#pragma once

#include "envpool/craftax/full/game.h"

namespace envpool::craftax::full {

struct Lights {
  f32 at[kDarkFloors][kCells];  // from 0 to 1, row by row; set when a floor is made
};

// Returns the light of a torch or a ladder at a distance.
ENVPOOL_FN f32 torch_light(i32 dy, i32 dx) { return max(1 - sqrt(f32(dy * dy + dx * dx)) / 5.0f, 0.0f); }

// Calls visit(cell, light) for the blocks that a torch lights.
template <class Visit>
ENVPOOL_FN void for_torch(Place torch, Visit&& visit) {
  constexpr i32 kReach = 4;
  for (i32 dy = -kReach; dy <= kReach; ++dy) {
    for (i32 dx = -kReach; dx <= kReach; ++dx) {
      const Place at = torch + Place{dy, dx};
      if (at.inside()) visit(at.cell(), torch_light(dy, dx));
    }
  }
}

// Returns what the lava on a block and on its neighbours adds to the block's light.
ENVPOOL_FN f32 lava_light(const u8* cells, Place at) {
  f32 light = 0;
  for (i32 dy = -1; dy <= 1; ++dy) {
    for (i32 dx = -1; dx <= 1; ++dx) {
      const Place other = at + Place{dy, dx};
      if (!other.inside() || block_of(cells[other.cell()]) != kLava) continue;
      light += dy != 0 && dx != 0 ? 0.2f : dy != 0 || dx != 0 ? 0.7f : 1.0f;
    }
  }
  return light;
}

// Sets the lights of a floor that has just been made.
ENVPOOL_FN void begin_lights(Lights& lights, const State& s, i32 floor) {
  const i32 dark = dark_number(floor);
  if (dark < 0) return;
  f32* const light = lights.at[dark];
  for (i32 cell = 0; cell < kCells; ++cell) light[cell] = 0;
  for_torch(ladder_light(s, floor), [=](i32 cell, f32 more) { light[cell] = more; });
  const u8* const cells = s.cell[floor];
  for (i32 y = 0; y < kSide; ++y) {
    for (u64 lit = s.lit[dark][y], x = 0; lit != 0; lit >>= 1, ++x) {
      const Place at{y, i32(x)};
      if ((lit & 1) != 0) light[at.cell()] = min(light[at.cell()] + lava_light(cells, at), 1.0f);
    }
  }
}

ENVPOOL_FN void add_torch(Lights& lights, i32 floor, Place torch) {
  const i32 dark = dark_number(floor);
  if (dark < 0) return;
  f32* const light = lights.at[dark];
  for_torch(torch, [=](i32 cell, f32 more) { light[cell] = clamp(light[cell] + more, 0.0f, 1.0f); });
}

// Does a step, and keeps the lights.
template <class Draws>
ENVPOOL_FN Outcome advance(State& s, Lights& lights, const Params& p, i32 action, Draws& draws) {
  const u16 made = s.made;
  const i32 floor = s.level;
  const Place front = front_of(s);
  const auto has_torch = [&] { return thing_of(s.cell[floor][front.cell()]) == kTorch; };
  const bool may_place = action == kPlaceTorchThing && front.inside() && !has_torch();
  const Outcome outcome = advance(s, p, action, draws);
  if (s.made != made) begin_lights(lights, s, s.level);
  if (may_place && has_torch()) add_torch(lights, floor, front);
  return outcome;
}

}  // namespace envpool::craftax::full
