// SPDX-License-Identifier: Apache-2.0
//
// Playground: nine rooms with doors and twelve objects, without a mission or a reward.
//
//   Reset        doors, objects and the agent at random
//
// Actions and observations are the same as in all environments of MiniGrid (level.h). Reference: minigrid 3.2.0,
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
    make.divide(3, 1, [&] { return door(make.color(), kClosed); });
    make.place_agent();
    for (i32 i = 0; i < 12; ++i) make.place(make.random_object());
  }
};

}  // namespace envpool::minigrid
