// SPDX-License-Identifier: Apache-2.0
//
// Memory: the agent sees an object in the first room. There are two objects at the end of a hallway, and the agent must
// go to the one that is equal to the object in the first room.
//
//   Action       as in level.h, but 3 toggles, as 5 does
//   Reward       on success: next to the object that equals the first one
//   Terminated   next to either object at the end of the hallway
//   Reset        the agent anywhere before the end of the hallway, objects at random; with `random_length` the
//                hallway has a random length
//
// Actions, observations and the reward for success are the same as in all environments of MiniGrid (level.h).
// Reference: minigrid 3.2.0, envs/memory.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct MemoryParams : LevelParams {
  bool random_length;
};

struct MemoryState : Agent {
  Point success, failure;
};

struct Memory : Level<Memory, MemoryParams, MemoryState> {
  static constexpr const char* kName = "MiniGridMemory";

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("size", 13, "rows and columns, walls included, an odd number").between(7, 63).changes_shapes();
    o.boolean("random_length", false, "whether the length of the hallway is random").sets(&Params::random_length);
    declare(o);
  }
  static Params params(const OptionValues& v) {
    const i64 size = v.integer("size");
    if (size % 2 == 0) throw std::invalid_argument("size: expected an odd number, got " + std::to_string(size));
    Params p = resolve(v, size, size, 5 * size * size);
    return p;
  }
#endif

  template <class Draws>
  ENVPOOL_FN static void generate(State& s, const Params& p, Maker<Draws>& make) {
    make.wall_around();
    const i32 middle = p.height / 2, upper = middle - 2, lower = middle + 2;
    const i32 hallway_end = p.random_length ? make.between(4, p.width - 2) : p.width - 3;
    make.fill({1, upper}, {4, 1}, kTheWall);
    make.fill({1, lower}, {4, 1}, kTheWall);
    make.grid[{4, upper + 1}] = make.grid[{4, lower - 1}] = kTheWall;
    make.fill({5, upper + 1}, {hallway_end - 5, 1}, kTheWall);
    make.fill({5, lower - 1}, {hallway_end - 5, 1}, kTheWall);
    make.fill({hallway_end, 0}, {1, middle}, kTheWall);
    make.fill({hallway_end, middle + 1}, {1, p.height - middle - 1}, kTheWall);
    make.fill({hallway_end + 2, 0}, {1, p.height}, kTheWall);

    s.at = {make.between(1, hallway_end + 1), middle};
    const bool first_is_key = make.below(2) == 0;
    make.grid[{1, middle - 1}] = object(first_is_key ? kKey : kBall, kGreen);
    const bool upper_is_key = make.below(2) == 1;
    const i32 column = hallway_end + 1;
    make.grid[{column, upper}] = object(upper_is_key ? kKey : kBall, kGreen);
    make.grid[{column, lower}] = object(upper_is_key ? kBall : kKey, kGreen);
    const bool above = first_is_key == upper_is_key;
    s.success = {column, above ? upper + 1 : lower - 1};
    s.failure = {column, above ? lower - 1 : upper + 1};
    using enum Word;
    make.mission.say(go, to, the, matching, Word::object, at, the, end, of, the, hallway);
  }

  ENVPOOL_FN static i32 action_of(i32 action) { return action == kPickup ? kToggle : action; }

  ENVPOOL_FN static void judge(const State& s, const Params& p, const Turn&, Outcome& outcome) {
    if (s.at == s.success) succeed(s, p, outcome);
    if (s.at == s.failure) fail(outcome);
  }
};

}  // namespace envpool::minigrid
