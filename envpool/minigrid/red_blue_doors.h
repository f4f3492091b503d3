// SPDX-License-Identifier: Apache-2.0
//
// RedBlueDoors: the agent must open the red door, and then the blue one.
//
//   Reward       on success: when the blue door is opened while the red one is open
//   Terminated   when the blue door is opened
//   Reset        a room with the red door in its left wall and the blue one in its right wall; the agent anywhere in it
//
// Actions, observations and the reward for success are the same as in all environments of MiniGrid (level.h).
// Reference: minigrid 3.2.0, envs/redbluedoors.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct RedBlueDoorsState : Agent {
  Point red, blue;
};

struct RedBlueDoors : Level<RedBlueDoors, LevelParams, RedBlueDoorsState> {
  static constexpr const char* kName = "MiniGridRedBlueDoors";

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("size", 8, "rows, walls included; there are twice as many columns").between(5, 32).changes_shapes();
    declare(o);
  }
  static Params params(const OptionValues& v) {
    const i64 size = v.integer("size");
    return resolve(v, 2 * size, size, 20 * size * size);
  }
#endif

  template <class Draws>
  ENVPOOL_FN static void generate(State& s, const Params& p, Maker<Draws>& make) {
    const i32 size = p.height;
    make.wall_around();
    make.wall_rect({size / 2, 0}, {size, size});
    make.place_agent({size / 2, 0}, {size, size});
    s.red = {size / 2, make.between(1, size - 1)};
    make.grid[s.red] = door(kRed, kClosed);
    s.blue = {size / 2 + size - 1, make.between(1, size - 1)};
    make.grid[s.blue] = door(kBlue, kClosed);
    using enum Word;
    make.mission.say(open, the, red, Word::door, then, the, blue, Word::door);
  }

  ENVPOOL_FN static void judge(const State& s, const Params& p, const Turn& turn, Outcome& outcome) {
    const ConstGrid grid = grid_of(s, p);
    if (!is_open_door(grid[s.blue])) return;
    // A step changes one door at most, so if the blue one has just been opened, the red one is as it was before.
    const bool red_was_open = is_open_door(turn.front == s.red ? turn.was_in_front : grid[s.red]);
    if (red_was_open) {
      succeed(s, p, outcome);
    } else {
      fail(outcome);
    }
  }
  ENVPOOL_FN static void repair_more(State& s, const Params& p) {
    keep_inside(s.red, p);
    keep_inside(s.blue, p);
  }
};

}  // namespace envpool::minigrid
