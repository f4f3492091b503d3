// SPDX-License-Identifier: Apache-2.0
//
// ObstructedMaze: the agent must pick up the blue ball in a maze of rooms. Doors are locked, keys may be hidden in
// boxes, and other balls may lie in front of the doors.
//
//   Reward       on success: when the blue ball is picked up
//   Terminated   on success
//   Reset        colours, doors, keys, the ball's corner and the agent at random
//
// Actions, observations and the reward for success are the same as in all environments of MiniGrid (level.h).
// Reference: minigrid 3.2.0, envs/obstructedmaze.py and envs/obstructedmaze_v1.py. In the first version, a ball in
// front of a door can replace a key that was placed before. With `keys_last`, keys are placed after the balls, as in
// the second version.
#pragma once

#include "envpool/minigrid/room_grid.h"

namespace envpool::minigrid {

struct ObstructedMazeParams : RoomParams {
  i32 quarters, rooms_visited;
  bool key_in_box, blocked, keys_last, agent_on_the_right;
};

struct ObstructedMaze : RoomLevel<ObstructedMaze, ObstructedMazeParams> {
  static constexpr const char* kName = "MiniGridObstructedMaze";
  static constexpr i32 kBallColor = kBlue, kBlockingColor = kGreen, kBoxColor = kGrey;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("num_quarters", 4, "quarters of the maze of nine rooms; 0: a maze of two rooms")
        .between(0, 4)
        .changes_shapes();
    o.integer("num_rooms_visited", 25, "number of rooms that a solution visits; max_steps depends on it")
        .between(1, 100)
        .sets(&Params::rooms_visited);
    o.boolean("key_in_box", true, "whether keys are hidden in boxes").sets(&Params::key_in_box);
    o.boolean("blocked", true, "whether balls lie in front of locked doors").sets(&Params::blocked);
    o.boolean("keys_last", false, "whether keys are placed after the balls, so that no ball replaces a key")
        .sets(&Params::keys_last);
    o.boolean("agent_on_the_right", false,
              "whether the agent starts in the middle room on the right instead of the centre")
        .sets(&Params::agent_on_the_right);
    declare(o);
  }
  static Params params(const OptionValues& v) {
    const i64 quarters = v.integer("num_quarters"), size = 6;
    Params p = quarters == 0 ? resolve_rooms(v, size, 1, 2, 0) : resolve_rooms(v, size, 3, 3, 0);
    p.quarters = i32(quarters);
    return p;
  }
#endif

  ENVPOOL_FN static void derive_more(Params& p) { p.default_steps = 4 * p.rooms_visited * p.room_size * p.room_size; }

  template <class Rooms>
  ENVPOOL_FN static void populate(State& s, const Params& p, Rooms& rooms) {
    auto& make = rooms.make;
    i32 colors[kColors];
    for (i32 i = 0; i < kColors; ++i) colors[i] = make.color_by_name(i);
    make.choose(colors, kColors, kColors);
    s.target = object(kBall, kBallColor);
    if (p.quarters == 0) {
      add_locked_door(rooms, p, {0, 0}, 0, colors[0]);
      add_key(rooms, p, {0, 0}, colors[0]);
      rooms.add_object({1, 0}, kBall, kBallColor);
      rooms.place_agent({0, 0});
      say_pick_up(rooms, s.target);
      return;
    }
    for (i32 side = 0; side < p.quarters; ++side) {
      rooms.add_door({1, 1}, side, colors[side], 0);
      const Place room = rooms.neighbor({1, 1}, side);
      const i32 sides[2] = {(side + 3) % 4, (side + 1) % 4};
      const i32 door_colors[2] = {colors[(side + kColors - 1) % kColors], colors[side + 1]};
      for (i32 i = 0; i < 2; ++i) {
        add_locked_door(rooms, p, room, sides[i], door_colors[i]);
        if (!p.keys_last) add_key(rooms, p, room, door_colors[i]);
      }
      for (i32 i = 0; i < 2 && p.keys_last; ++i) add_key(rooms, p, room, door_colors[i]);
    }
    // Corners are numbered clockwise from the upper right one.
    const i32 corner = make.below(p.quarters);
    rooms.add_object({corner < 2 ? 2 : 0, corner == 1 || corner == 2 ? 2 : 0}, kBall, kBallColor);
    rooms.place_agent({p.agent_on_the_right ? 2 : 1, 1});
    say_pick_up(rooms, s.target);
  }

 private:
  template <class Rooms>
  ENVPOOL_FN static void add_locked_door(Rooms& rooms, const Params& p, Place room, i32 side, i32 color) {
    const Point door = rooms.add_door(room, side, color, 1);
    if (p.blocked) rooms.make.grid[door - step_in(side)] = object(kBall, kBlockingColor);
  }
  template <class Rooms>
  ENVPOOL_FN static void add_key(Rooms& rooms, const Params& p, Place room, i32 color) {
    const Cell key = object(kKey, color);
    rooms.put(room, p.key_in_box ? box_with(kBoxColor, key) : key);
  }
};

}  // namespace envpool::minigrid
