// SPDX-License-Identifier: Apache-2.0
//
// LockedRoom: there are six rooms along a hallway. One room is locked and contains the goal; the key is in
// another room.
//
//   Terminated   on the goal
//   Reset        the goal in a random room, its key in another one, and the agent anywhere in the hallway
//
// Actions, observations and rewards are the same as in all environments of MiniGrid (level.h). Reference: minigrid
// 3.2.0, envs/lockedroom.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct LockedRoom : Level<LockedRoom> {
  static constexpr const char* kName = "MiniGridLockedRoom";
  static constexpr i32 kRooms = 6;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("size", 19, "rows and columns, walls included; an odd number that is not divisible by 3")
        .between(13, 61)
        .changes_shapes();
    declare(o);
  }
  static Params params(const OptionValues& v) {
    const i64 size = v.integer("size");
    if (size % 2 == 0 || size % 3 == 0) {
      throw std::invalid_argument("size: expected an odd number that is not divisible by 3, got " +
                                  std::to_string(size));
    }
    return resolve(v, size, size, 10 * size);
  }
#endif

  template <class Draws>
  ENVPOOL_FN static void generate(State&, const Params& p, Maker<Draws>& make) {
    make.wall_around();
    const i32 west = p.width / 2 - 2, east = p.width / 2 + 2, height = p.height / 3;
    make.fill({west, 0}, {1, p.height}, kTheWall);
    make.fill({east, 0}, {1, p.height}, kTheWall);
    for (i32 n = 0; n < 3; ++n) {
      make.fill({0, n * height}, {west, 1}, kTheWall);
      make.fill({east, n * height}, {p.width - east, 1}, kTheWall);
    }
    // Rooms on the left have even numbers.
    const auto cell_in = [&](i32 room) {
      const Point top{room % 2 == 0 ? 0 : east, room / 2 * height};
      return make.point(top + Point{1, 1}, top + Point{west, height});
    };
    const i32 locked = make.below(kRooms);
    make.grid[cell_in(locked)] = kTheGoal;

    i32 remaining = kColors, color[kRooms], by_name[kColors];
    for (i32 i = 0; i < kColors; ++i) by_name[i] = make.color_by_name(i);
    for (i32 room = 0; room < kRooms; ++room) {
      const i32 chosen = make.below(remaining);
      color[room] = by_name[chosen];
      --remaining;
      for (i32 i = chosen; i < remaining; ++i) by_name[i] = by_name[i + 1];
      const Point place{room % 2 == 0 ? west : east, room / 2 * height + 3};
      make.grid[place] = door(color[room], room == locked ? kLocked : kClosed);
    }
    i32 key_room = locked;
    while (key_room == locked) key_room = make.below(kRooms);
    make.grid[cell_in(key_room)] = minigrid::object(kKey, color[locked]);
    make.place_agent({west, 0}, {east - west, p.height});
    using enum Word;
    const Word locked_color = color_word(u32(color[locked]));
    make.mission.say(get, the, locked_color, key, from, the, color_word(u32(color[key_room])), room, comma);
    make.mission.say(unlock, the, locked_color, Word::door, and_, go, to, the, goal);
  }
};

}  // namespace envpool::minigrid
