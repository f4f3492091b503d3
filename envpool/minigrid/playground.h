// SPDX-License-Identifier: Apache-2.0
//
// Playground: nine rooms with doors and twelve objects, without a mission or a reward.
//
//   Reset        doors, objects and the agent at random
//
// Actions and observations are those of all environments of MiniGrid (level.h). Reference: minigrid 3.2.0,
// envs/playground.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct Playground : Level<Playground> {
  static constexpr const char* kName = "MiniGridPlayground";
  static constexpr i32 kSize = 19;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare(o); }
  static Params params(const OptionValues& v) { return resolve(v, kSize, kSize, 100); }
#endif

  template <class Draws>
  ENVPOOL_FN static void generate(State&, const Params&, Maker<Draws>& make) {
    make.wall_around();
    constexpr i32 kRoom = kSize / 3;
    for (i32 j = 0; j < 3; ++j) {
      for (i32 i = 0; i < 3; ++i) {
        const i32 left = i * kRoom, top = j * kRoom, right = left + kRoom, bottom = top + kRoom;
        if (i < 2) {
          make.fill({right, top}, {1, kRoom}, kTheWall);
          const i32 row = make.between(top + 1, bottom - 1);
          make.grid[{right, row}] = door(make.color(), kClosed);
        }
        if (j < 2) {
          make.fill({left, bottom}, {kRoom, 1}, kTheWall);
          const i32 column = make.between(left + 1, right - 1);
          make.grid[{column, bottom}] = door(make.color(), kClosed);
        }
      }
    }
    make.place_agent();
    for (i32 i = 0; i < 12; ++i) make.place(make.random_object());
  }
};

}  // namespace envpool::minigrid
