// SPDX-License-Identifier: Apache-2.0
//
// DistShift: the goal is behind two strips of lava. An option sets the row of the second strip, so that an agent can be
// tested on a level that differs from the one it was trained on.
//
//   Terminated   on the goal and on lava
//   Reset        always the same; with `random_start` the agent starts in a random cell
//
// Actions, observations and rewards are the same as in all environments of MiniGrid (level.h). Reference: minigrid
// 3.2.0, envs/distshift.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct DistShiftParams : LevelParams {
  i32 chosen_row;
  bool random_start;
  i32 strip2_row;  // derived
};

struct DistShift : Level<DistShift, DistShiftParams> {
  static constexpr const char* kName = "MiniGridDistShift";

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("width", 9, "columns, walls included").between(7, 64).changes_shapes();
    o.integer("height", 7, "rows, walls included").between(4, 64).changes_shapes();
    o.integer("strip2_row", 2, "row of the second strip").between(2, 62).sets(&Params::chosen_row);
    o.boolean("random_start", false, "whether the agent starts in a random cell instead of the corner")
        .sets(&Params::random_start);
    declare(o, /*sees_through_walls=*/true);
  }
  static Params params(const OptionValues& v) {
    const i64 width = v.integer("width"), height = v.integer("height"), row = v.integer("strip2_row");
    if (row > height - 2) {
      throw std::invalid_argument("strip2_row: expected at most " + std::to_string(height - 2) +
                                  " in a grid of this height, got " + std::to_string(row));
    }
    Params p = resolve(v, width, height, 4 * width * height);
    return p;
  }
#endif

  ENVPOOL_FN static void derive_more(Params& p) { p.strip2_row = min(p.chosen_row, p.height - 2); }

  template <class Draws>
  ENVPOOL_FN static void generate(State& s, const Params& p, Maker<Draws>& make) {
    make.wall_around();
    make.grid[{p.width - 2, 1}] = kTheGoal;
    make.fill({3, 1}, {p.width - 6, 1}, kTheLava);
    make.fill({3, p.strip2_row}, {p.width - 6, 1}, kTheLava);
    s.at = {1, 1};
    if (p.random_start) make.place_agent();
    using enum Word;
    make.mission.say(get, to, the, green, goal, square);
  }
};

}  // namespace envpool::minigrid
