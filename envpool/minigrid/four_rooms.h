// SPDX-License-Identifier: Apache-2.0
//
// FourRooms: four rooms with a gap in each wall between two of them, and a goal.
//
//   Terminated   on the goal
//   Reset        the gaps anywhere in their walls, the agent and the goal in any cells
//
// Actions, observations and rewards are the same as in all environments of MiniGrid (level.h). Reference: minigrid
// 3.2.0, envs/fourrooms.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct FourRooms : Level<FourRooms> {
  static constexpr const char* kName = "MiniGridFourRooms";
  static constexpr i32 kSize = 19;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare(o); }
  static Params params(const OptionValues& v) { return resolve(v, kSize, kSize, 100); }
#endif

  template <class Draws>
  ENVPOOL_FN static void generate(State&, const Params&, Maker<Draws>& make) {
    make.divide(2, 0, [] { return kNothing; });
    make.place_agent();
    make.place(kTheGoal);
    using enum Word;
    make.mission.say(reach, the, goal);
  }
};

}  // namespace envpool::minigrid
