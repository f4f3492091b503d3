// SPDX-License-Identifier: Apache-2.0
//
// LavaGap: a strip of lava with one gap lies between the agent and the goal.
//
//   Terminated   on the goal and on lava
//   Reset        the strip and its gap at random places
//
// Actions, observations and rewards are the same as in all environments of MiniGrid (level.h). Reference: minigrid
// 3.2.0, envs/lavagap.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct LavaGap : Level<LavaGap> {
  static constexpr const char* kName = "MiniGridLavaGap";

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("size", 7, "rows and columns, walls included").between(5, 64).changes_shapes();
    declare(o);
  }
  static Params params(const OptionValues& v) {
    const i64 size = v.integer("size");
    return resolve(v, size, size, 4 * size * size);
  }
#endif

  template <class Draws>
  ENVPOOL_FN static void generate(State& s, const Params& p, Maker<Draws>& make) {
    make.wall_around();
    s.at = {1, 1};
    make.grid[{p.width - 2, p.height - 2}] = kTheGoal;
    const Point gap = make.point({2, 1}, {p.width - 2, p.height - 1});
    make.fill({gap.x, 1}, {1, p.height - 2}, kTheLava);
    make.grid[gap] = kNothing;
    using enum Word;
    make.mission.say(avoid, the, lava, and_, get, to, the, green, goal, square);
  }
};

}  // namespace envpool::minigrid
