// SPDX-License-Identifier: Apache-2.0
//
// KeyCorridor: the agent must find a key in the rooms along a corridor, and pick up the object behind the locked door.
//
//   Reward       on success: when the object is picked up
//   Terminated   on success
//   Reset        rooms of the key and the object, doors, and the agent in the corridor at random
//
// Actions, observations and the reward for success are the same as in all environments of MiniGrid (level.h).
// Reference: minigrid 3.2.0, envs/keycorridor.py.
#pragma once

#include "envpool/minigrid/room_grid.h"

namespace envpool::minigrid {

struct KeyCorridor : RoomLevel<KeyCorridor> {
  static constexpr const char* kName = "MiniGridKeyCorridor";

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("room_size", 6, "rows and columns of a room, walls included").between(3, 12).changes_shapes();
    o.integer("num_rows", 3, "rooms on each side of the corridor").between(1, 5).changes_shapes();
    declare(o);
  }
  static Params params(const OptionValues& v) {
    const i64 size = v.integer("room_size");
    return resolve_rooms(v, size, v.integer("num_rows"), 3, 30 * size * size);
  }
#endif

  template <class Rooms>
  ENVPOOL_FN static void populate(State& s, const Params& p, Rooms& rooms) {
    s.target = populate_corridor(rooms, p.num_rows);
    say_pick_up(rooms, s.target);
  }
};

}  // namespace envpool::minigrid
