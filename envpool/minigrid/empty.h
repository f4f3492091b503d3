// SPDX-License-Identifier: Apache-2.0
//
// Empty: an empty room with the goal in the lower right corner.
//
//   Terminated   on the goal
//   Reset        the agent in the upper left corner, facing right, or with `random_start` in a random cell
//
// Actions, observations and rewards are the same as in all environments of MiniGrid (level.h). Reference: minigrid
// 3.2.0, envs/empty.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct EmptyParams : LevelParams {
  bool random_start;
};

struct Empty : Level<Empty, EmptyParams> {
  static constexpr const char* kName = "MiniGridEmpty";

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("size", 8, "rows and columns, walls included").between(4, 64).changes_shapes();
    o.boolean("random_start", false, "whether the agent starts in a random cell instead of the corner")
        .sets(&Params::random_start);
    declare(o, /*sees_through_walls=*/true);
  }
  static Params params(const OptionValues& v) {
    const i64 size = v.integer("size");
    Params p = resolve(v, size, size, 4 * size * size);
    return p;
  }
#endif

  template <class Draws>
  ENVPOOL_FN static void generate(State& s, const Params& p, Maker<Draws>& make) {
    make.wall_around();
    make.grid[{p.width - 2, p.height - 2}] = kTheGoal;
    s.at = {1, 1};
    if (p.random_start) make.place_agent();
    using enum Word;
    make.mission.say(get, to, the, green, goal, square);
  }
};

}  // namespace envpool::minigrid
