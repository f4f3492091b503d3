// SPDX-License-Identifier: Apache-2.0
//
// Unlock: the agent must open the locked door between two rooms.
//
//   Reward       on success: when the door is opened
//   Terminated   on success
//   Reset        the door, its key and the agent at random
//
// Actions, observations and the reward for success are the same as in all environments of MiniGrid (level.h).
// Reference: minigrid 3.2.0, envs/unlock.py.
#pragma once

#include "envpool/minigrid/room_grid.h"

namespace envpool::minigrid {

struct UnlockState : Agent {
  Point door;
};

struct Unlock : RoomLevel<Unlock, RoomParams, UnlockState> {
  static constexpr const char* kName = "MiniGridUnlock";

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare(o); }
  static Params params(const OptionValues& v) { return resolve_rooms(v, 6, 1, 2, 8 * 6 * 6); }
#endif

  template <class Rooms>
  ENVPOOL_FN static void populate(State& s, const Params&, Rooms& rooms) {
    s.door = rooms.add_door({0, 0}, 0, kAny, 1);
    rooms.add_object({0, 0}, kKey, i32(color_of(rooms.make.grid[s.door])));
    rooms.place_agent({0, 0});
    using enum Word;
    rooms.make.mission.say(open, the, Word::door);
  }
  ENVPOOL_FN static void judge(const State& s, const Params& p, const Turn& turn, Outcome& outcome) {
    if (turn.action == kToggle && is_open_door(grid_of(s, p)[s.door])) succeed(s, p, outcome);
  }
  ENVPOOL_FN static void repair_more(State& s, const Params& p) { keep_inside(s.door, p); }
};

}  // namespace envpool::minigrid
