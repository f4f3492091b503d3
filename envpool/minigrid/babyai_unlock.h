// SPDX-License-Identifier: Apache-2.0
//
// BabyAIUnlock: the agent needs a key. Levels are maze (open a locked door of a maze), local (with the key in the same
// room), key_in_box, pickup (a box behind the locked door), blocked_pickup (with a ball in front of the door) and
// unlock_to_unlock (the key to one locked door is behind another).
//
// Actions, observations and rewards are the same as in all levels of BabyAI (babyai.h). Reference: minigrid 3.2.0,
// envs/babyai/unlock.py.
#pragma once

#include "envpool/minigrid/babyai.h"

namespace envpool::minigrid {

struct BabyAIUnlockParams : RoomParams {
  i32 level;
  bool distractors;
};

struct BabyAIUnlock : BabyLevel<BabyAIUnlock, BabyAIUnlockParams> {
  static constexpr const char* kName = "BabyAIUnlock";
  enum LevelName { kMaze, kLocal, kKeyInBox, kBehindDoor, kBlocked, kTwice };

#if ENVPOOL_HOST
  static std::vector<std::string> levels() {
    return {"maze", "local", "key_in_box", "pickup", "blocked_pickup", "unlock_to_unlock"};
  }
  static void options(OptionSpecs& o) {
    o.text("level", "maze", "where the key is, and what the agent must do with it").one_of(levels()).changes_shapes();
    o.boolean("distractors", false, "in local and pickup, whether there are other objects").sets(&Params::distractors);
    declare(o);
  }
  static Params params(const OptionValues& v) {
    const i32 level = choice(v, "level", levels()), times[] = {0, 0, 0, 0, 16, 30};
    Params p = level < kBehindDoor ? resolve_rooms(v, 8, 3, 3)
                                   : resolve_rooms(v, 6, 1, level == kTwice ? 3 : 2, times[level] * 6 * 6);
    p.level = level;
    return p;
  }
#endif

  template <class Rooms>
  ENVPOOL_FN static void populate(State&, const Params& p, Rooms& rooms, Instruction& instruction) {
    auto& make = rooms.make;
    constexpr Place kMiddle{1, 1};
    const auto color_at = [&](Point door) { return i32(color_of(make.grid[door])); };
    switch (p.level) {
      case kMaze: {
        const Place locked = rooms.random_room();
        const i32 color = color_at(rooms.add_door(locked, kAny, kAny, 1));
        // The reference means to put no key and no objects into the locked room, but its comparison is never true.
        rooms.add_object(rooms.random_room(), kKey, color);
        if (make.failed) return;
        const bool only_one = make.flip();
        rooms.connect_all(only_one ? color : kAny);
        for (i32 column = 0; column < rooms.columns(); ++column) {
          for (i32 row = 0; row < rooms.rows(); ++row) rooms.add_distractors(3, /*unique=*/false, {column, row});
        }
        rooms.place_agent_outside(locked);
        require_reachable(rooms);
        instruction.add({Verb::kOpen, {kDoor, color}});
        break;
      }
      case kLocal: {
        const i32 color = color_at(rooms.add_door(kMiddle, kAny, kAny, 1));
        rooms.add_object(kMiddle, kKey, color);
        if (p.distractors) rooms.add_distractors(3, /*unique=*/true, kMiddle);
        rooms.place_agent(kMiddle);
        instruction.add({Verb::kOpen, {kDoor}});
        break;
      }
      case kKeyInBox: {
        const Cell key = object(kKey, color_at(rooms.add_door(kMiddle, kAny, kAny, 1)));
        rooms.put(kMiddle, box_with(make.color(), key));
        rooms.place_agent(kMiddle);
        instruction.add({Verb::kOpen, {kDoor}});
        break;
      }
      case kBehindDoor:
      case kBlocked: {
        const Cell box = rooms.add_object({1, 0}, kBox);
        const Point door = rooms.add_door({0, 0}, 0, kAny, 1);
        if (p.level == kBlocked) make.grid[door - Point{1, 0}] = object(kBall, make.color());
        rooms.add_object({0, 0}, kKey, color_at(door));
        if (p.distractors && p.level == kBehindDoor) rooms.add_distractors(4, /*unique=*/true);
        rooms.place_agent({0, 0});
        instruction.add({Verb::kPickup, {kBox, p.level == kBlocked ? kAny : i32(color_of(box))}});
        break;
      }
      default: {
        i32 colors[kColors];
        for (i32 i = 0; i < kColors; ++i) colors[i] = make.color_by_name(i);
        make.choose(colors, kColors, 2);
        rooms.add_door({0, 0}, 0, colors[0], 1);
        rooms.add_object({2, 0}, kKey, colors[0]);
        rooms.add_door({1, 0}, 0, colors[1], 1);
        rooms.add_object({1, 0}, kKey, colors[1]);
        rooms.add_object({0, 0}, kBall);
        rooms.place_agent({1, 0});
        instruction.add({Verb::kPickup, {kBall}});
        break;
      }
    }
  }
};

}  // namespace envpool::minigrid
