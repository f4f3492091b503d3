// SPDX-License-Identifier: Apache-2.0
//
// BabyAIPickup: the agent must pick up an object. Levels are maze, unblock (other objects may be in the way), dist (one
// of five objects, by type, colour or both), above (in the room above), find_obj (in any room), key_corridor (behind a
// locked door) and one_room.
//
// Actions, observations and rewards are the same as in all levels of BabyAI (babyai.h). Reference: minigrid 3.2.0,
// envs/babyai/pickup.py and envs/babyai/other.py.
#pragma once

#include "envpool/minigrid/babyai.h"

namespace envpool::minigrid {

struct BabyAIPickupParams : RoomParams {
  i32 level;
  bool strict;
};

struct BabyAIPickup : BabyLevel<BabyAIPickup, BabyAIPickupParams> {
  static constexpr const char* kName = "BabyAIPickup";
  enum LevelName { kMaze, kUnblock, kDist, kAbove, kFindObj, kCorridor, kOneRoom };

#if ENVPOOL_HOST
  static std::vector<std::string> levels() {
    return {"maze", "unblock", "dist", "above", "find_obj", "key_corridor", "one_room"};
  }
  static void options(OptionSpecs& o) {
    o.text("level", "maze", "the objects, and which of them the agent must pick up").one_of(levels());
    o.boolean("strict", false, "in dist, picking up a wrong object ends the episode").sets(&Params::strict);
    declare_rooms(o);
    declare(o);
  }
  static Params params(const OptionValues& v) {
    const i32 level = choice(v, "level", levels());
    const i64 size = v.integer("room_size");
    const i32 times[] = {0, 0, 0, 8, 20, 30, 0}, rows[] = {3, 3, 1, 2, 2, 1, 1}, columns[] = {3, 3, 1, 2, 2, 3, 1};
    const i32 sizes[] = {6, 7, 6, 4, 4, 3, 4};
    Params p = resolve_rooms(v, times[level] * size * size);
    p.level = level;
    if (p.num_rows < rows[level] || p.num_cols < columns[level]) {
      throw std::invalid_argument("num_rows: expected at least " + std::to_string(rows[level]) + " rows and " +
                                  std::to_string(columns[level]) + " columns of rooms for this level, got " +
                                  std::to_string(p.num_rows) + " and " + std::to_string(p.num_cols));
    }
    if (p.room_size < sizes[level]) {
      throw std::invalid_argument("room_size: expected at least " + std::to_string(sizes[level]) +
                                  " for this level, got " + std::to_string(p.room_size));
    }
    return p;
  }
#endif

  template <class Rooms>
  ENVPOOL_FN static void populate(State&, const Params& p, Rooms& rooms, Instruction& instruction) {
    auto& make = rooms.make;
    constexpr Place kMiddle{1, 1};
    constexpr i32 kMost = 20;
    Cell objects[kMost];
    Description target;
    switch (p.level) {
      case kMaze:
      case kUnblock: {
        const i32 count = p.level == kMaze ? 18 : kMost;
        rooms.place_agent();
        rooms.connect_all();
        rooms.add_distractors(count, /*unique=*/false, kAnyRoom, objects);
        if (make.failed) return;
        make.failed = all_reachable(rooms) != (p.level == kMaze);
        if (make.failed) return;
        target = kind_described(objects[make.below(count)]);
        break;
      }
      case kDist: {
        rooms.add_distractors(5, /*unique=*/true, kAnyRoom, objects);
        rooms.place_agent({0, 0});
        if (make.failed) return;
        target = kind_described(objects[make.below(5)]);
        const i32 by = make.below(3);
        if (by == 0) target.color = kAny;
        if (by == 1) target.type = kAny;
        break;
      }
      case kAbove:
        target = kind_described(rooms.add_object({1, 0}));
        rooms.add_door(kMiddle, 3, kAny, 0);
        rooms.place_agent(kMiddle);
        rooms.connect_all();
        break;
      case kFindObj: {
        const i32 column = make.below(p.num_rows);
        target.type = i32(type_of(rooms.add_object({column, make.below(p.num_cols)})));
        rooms.place_agent(kMiddle);
        rooms.connect_all();
        break;
      }
      case kCorridor:
        populate_corridor(rooms, p.num_rows);
        target.type = kBall;
        break;
      default:
        rooms.add_object({0, 0}, kBall);
        rooms.place_agent();
        target.type = kBall;
        break;
    }
    instruction.add({Verb::kPickup, target, {}, p.strict && p.level == kDist});
  }
};

}  // namespace envpool::minigrid
