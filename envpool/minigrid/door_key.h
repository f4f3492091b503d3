// SPDX-License-Identifier: Apache-2.0
//
// DoorKey: the agent needs a key to open the locked door to the half of the room that has the goal.
//
//   Terminated   on the goal
//   Reset        a wall with a door at a random column, the agent and the key to its left
//
// Actions, observations and rewards are the same as in all environments of MiniGrid (level.h). Reference: minigrid
// 3.2.0, envs/doorkey.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct DoorKey : Level<DoorKey> {
  static constexpr const char* kName = "MiniGridDoorKey";

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("size", 8, "rows and columns, walls included").between(5, 64).changes_shapes();
    declare(o);
  }
  static Params params(const OptionValues& v) {
    const i64 size = v.integer("size");
    return resolve(v, size, size, 10 * size * size);
  }
#endif

  template <class Draws>
  ENVPOOL_FN static void generate(State&, const Params& p, Maker<Draws>& make) {
    make.wall_around();
    make.grid[{p.width - 2, p.height - 2}] = kTheGoal;
    const i32 split = make.between(2, p.width - 2);
    make.fill({split, 0}, {1, p.height}, kTheWall);
    make.place_agent({0, 0}, {split, p.height});
    make.grid[{split, make.between(1, p.height - 2)}] = door(kYellow, kLocked);
    make.place(object(kKey, kYellow), {0, 0}, {split, p.height});
    using enum Word;
    make.mission.say(use, the, key, to, open, the, Word::door, and_, then, get, to, the, goal);
  }
};

}  // namespace envpool::minigrid
