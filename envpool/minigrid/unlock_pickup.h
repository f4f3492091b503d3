// SPDX-License-Identifier: Apache-2.0
//
// UnlockPickup: the agent must pick up the box behind a locked door. With `blocked`, a ball lies in front of the door.
//
//   Reward       on success: when the box is picked up
//   Terminated   on success
//   Reset        the box, the door, its key and the agent at random
//
// Actions, observations and the reward for success are the same as in all environments of MiniGrid (level.h).
// Reference: minigrid 3.2.0, envs/unlockpickup.py and envs/blockedunlockpickup.py.
#pragma once

#include "envpool/minigrid/room_grid.h"

namespace envpool::minigrid {

struct UnlockPickupParams : RoomParams {
  bool blocked;
};

struct UnlockPickup : RoomLevel<UnlockPickup, UnlockPickupParams> {
  static constexpr const char* kName = "MiniGridUnlockPickup";

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.boolean("blocked", false, "a ball lies in front of the door").sets(&Params::blocked);
    declare(o);
  }
  static Params params(const OptionValues& v) { return resolve_rooms(v, 6, 1, 2, 0); }
#endif

  ENVPOOL_FN static void derive_more(Params& p) { p.default_steps = (p.blocked ? 16 : 8) * p.room_size * p.room_size; }

  template <class Rooms>
  ENVPOOL_FN static void populate(State& s, const Params& p, Rooms& rooms) {
    s.target = rooms.add_object({1, 0}, kBox);
    const Point door = rooms.add_door({0, 0}, 0, kAny, 1);
    if (p.blocked) rooms.make.grid[door - Point{1, 0}] = object(kBall, rooms.make.color());
    rooms.add_object({0, 0}, kKey, i32(color_of(rooms.make.grid[door])));
    rooms.place_agent({0, 0});
    say_pick_up(rooms, s.target);
  }
};

}  // namespace envpool::minigrid
