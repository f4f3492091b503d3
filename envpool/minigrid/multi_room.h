// SPDX-License-Identifier: Apache-2.0
//
// MultiRoom: a chain of rooms with closed doors between them, and a goal in the last one.
//
//   Terminated   on the goal
//   Reset        `min_num_rooms` to `max_num_rooms` rooms of random sizes and places, the agent in the first one
//
// Actions, observations and rewards are the same as in all environments of MiniGrid (level.h). Reference: minigrid
// 3.2.0, envs/multiroom.py.
#pragma once

#include "envpool/minigrid/level.h"

namespace envpool::minigrid {

struct MultiRoomParams : LevelParams {
  i32 min_num_rooms, max_num_rooms, max_room_size;
};

struct MultiRoom : Level<MultiRoom, MultiRoomParams> {
  static constexpr const char* kName = "MiniGridMultiRoom";
  static constexpr i32 kSize = 25, kMinRoomSize = 4, kMostRooms = 6;

  struct Room {
    Point top, size, entry;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("min_num_rooms", 6, "the least rooms").between(1, kMostRooms).sets(&Params::min_num_rooms);
    o.integer("max_num_rooms", 6, "the most rooms").between(1, kMostRooms).sets(&Params::max_num_rooms);
    o.integer("max_room_size", 10, "maximum rows and columns of a room, walls included")
        .between(kMinRoomSize, 10)
        .sets(&Params::max_room_size);
    declare(o);
  }
  static Params params(const OptionValues& v) {
    const i64 least = v.integer("min_num_rooms"), most = v.integer("max_num_rooms");
    if (most < least) {
      throw std::invalid_argument("max_num_rooms: expected at least min_num_rooms, " + std::to_string(least) +
                                  ", got " + std::to_string(most));
    }
    return resolve(v, kSize, kSize, 0);
  }
#endif

  ENVPOOL_FN static void derive_more(Params& p) { p.default_steps = 20 * p.max_num_rooms; }

  template <class Draws>
  ENVPOOL_FN static void generate(State&, const Params& p, Maker<Draws>& make) {
    Room rooms[kMostRooms], tried[kMostRooms];
    const i32 wanted = make.between(p.min_num_rooms, max(p.min_num_rooms, p.max_num_rooms) + 1);
    i32 count = 0;
    while (count < wanted) {
      const i32 length = make_chain(tried, wanted, p, make);
      if (length <= count) continue;
      count = length;
      for (i32 i = 0; i < length; ++i) rooms[i] = tried[i];
    }
    i32 last_color = -1;
    for (i32 i = 0; i < count; ++i) {
      make.wall_rect(rooms[i].top, rooms[i].size);
      if (i == 0) continue;
      i32 index = make.below(last_color < 0 ? kColors : kColors - 1);
      if (last_color >= 0) index += index >= last_color;
      last_color = index;
      make.grid[rooms[i].entry] = door(make.color_by_name(index), kClosed);
    }
    make.place_agent(rooms[0].top, rooms[0].size);
    make.place(kTheGoal, rooms[count - 1].top, rooms[count - 1].size);
    using enum Word;
    make.mission.say(traverse, the, rooms_, to, get, to, the, goal);
  }

 private:
  // Makes rooms until there are as many as wanted, or until eight attempts to fit the next one have failed. Returns the
  // number of rooms.
  template <class Draws>
  ENVPOOL_DEVICE_CALL static i32 make_chain(Room* rooms, i32 wanted, const Params& p, Maker<Draws>& make) {
    const Point start = make.point({0, 0}, {kSize - 2, kSize - 2});
    i32 wall = 2;  // the wall of the room's entry: 0 right, 1 below, 2 left, 3 above
    if (!fits(rooms, 0, start, wall, p, make)) return 0;
    for (i32 count = 1;; ++count) {
      if (count == wanted) return count;
      bool added = false;
      for (i32 tries = 0; tries < 8 && !added; ++tries) {
        const Room& room = rooms[count - 1];
        i32 exit = make.below(3);
        exit += exit >= wall;
        const i32 along = make.between(1, (exit % 2 == 0 ? room.size.y : room.size.x) - 1);
        const Point places[4] = {{room.top.x + room.size.x - 1, room.top.y + along},
                                 {room.top.x + along, room.top.y + room.size.y - 1},
                                 {room.top.x, room.top.y + along},
                                 {room.top.x + along, room.top.y}};
        const i32 next_wall = (exit + 2) % 4;
        added = fits(rooms, count, places[exit], next_wall, p, make);
        if (added) wall = next_wall;
      }
      if (!added) return count;
    }
  }
  // Draws the room with the given number and its door. Returns whether there is space for the room.
  template <class Draws>
  ENVPOOL_DEVICE_CALL static bool fits(Room* rooms, i32 number, Point entry, i32 wall, const Params& p,
                                       Maker<Draws>& make) {
    const Point size = make.point({kMinRoomSize, kMinRoomSize}, {p.max_room_size + 1, p.max_room_size + 1});
    Point top = entry;
    if (number > 0) {
      if (wall == 0) top.x = entry.x - size.x + 1;
      if (wall == 1) top.y = entry.y - size.y + 1;
      if (wall % 2 == 0) {
        top.y = make.between(entry.y - size.y + 2, entry.y);
      } else {
        top.x = make.between(entry.x - size.x + 2, entry.x);
      }
    }
    // In the reference, a room may touch the right border of the grid, but not the lower one.
    if (top.x < 0 || top.y < 0 || top.x + size.x > kSize || top.y + size.y >= kSize) return false;
    for (i32 i = 0; i < number - 1; ++i) {
      const Room& other = rooms[i];
      const bool apart = top.x + size.x < other.top.x || other.top.x + other.size.x <= top.x ||
                         top.y + size.y < other.top.y || other.top.y + other.size.y <= top.y;
      if (!apart) return false;
    }
    rooms[number] = {top, size, entry};
    return true;
  }
};

}  // namespace envpool::minigrid
