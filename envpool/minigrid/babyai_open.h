// SPDX-License-Identifier: Apache-2.0
//
// BabyAIOpen: the agent must open a door, or two doors in order. Levels are maze (any door of a maze), red_door, door
// (one of four doors, by colour or by place), two_doors, and doors_order (one door, or two in either order).
//
// Actions, observations and rewards are the same as in all levels of BabyAI (babyai.h). Reference: minigrid 3.2.0,
// envs/babyai/open.py.
#pragma once

#include "envpool/minigrid/babyai.h"

namespace envpool::minigrid {

struct BabyAIOpenParams : RoomParams {
  i32 level, select_by, first_choice, second_choice, chosen_doors;
  bool strict;
  i32 first_color, second_color, num_doors;  // derived
};

struct BabyAIOpen : BabyLevel<BabyAIOpen, BabyAIOpenParams> {
  static constexpr const char* kName = "BabyAIOpen";
  enum LevelName { kMaze, kRedDoor, kOneOfFour, kTwoDoors, kDoorsOrder };
  enum Selection { kByEither, kByColor, kByLocation };

#if ENVPOOL_HOST
  static std::vector<std::string> levels() { return {"maze", "red_door", "door", "two_doors", "doors_order"}; }
  static std::vector<std::string> colors() { return {"", "red", "green", "blue", "purple", "yellow", "grey"}; }
  static void options(OptionSpecs& o) {
    o.text("level", "maze", "the doors, and which of them the agent must open").one_of(levels());
    o.text("select_by", "", "in door, the description of the target: by its color or its loc (place); random if empty")
        .one_of({"", "color", "loc"})
        .sets(&Params::select_by);
    o.text("first_color", "", "colour of the first door in two_doors; random if empty")
        .one_of(colors())
        .sets(&Params::first_choice);
    o.text("second_color", "", "colour of the second door in two_doors; random if empty")
        .one_of(colors())
        .sets(&Params::second_choice);
    o.integer("num_doors", 2, "doors in doors_order").between(2, 4).sets(&Params::chosen_doors);
    o.boolean("strict", false, "opening a wrong door ends the episode (in two_doors, before the first one is open)")
        .sets(&Params::strict);
    declare_rooms(o);
    declare(o);
  }
  static Params params(const OptionValues& v) {
    const i32 level = choice(v, "level", levels());
    const i64 size = v.integer("room_size");
    Params p = resolve_rooms(v, level >= kTwoDoors ? 20 * size * size : 0);
    p.level = level;
    const i32 rooms = level == kRedDoor ? 1 : 3;
    if (p.num_rows < rooms || p.num_cols < max(rooms, 2)) {
      throw std::invalid_argument("num_rows: expected more rooms for this level, got " + std::to_string(p.num_rows) +
                                  " rows and " + std::to_string(p.num_cols) + " columns");
    }
    // The agent must not start in front of a door. In a room of one cell with four doors, it could not start elsewhere.
    const bool four_doors = level == kOneOfFour || (level == kDoorsOrder && v.integer("num_doors") == 4);
    const i32 least = level == kMaze ? 6 : four_doors ? 4 : 3;
    if (p.room_size < least) {
      throw std::invalid_argument("room_size: expected at least " + std::to_string(least) + " for this level, got " +
                                  std::to_string(p.room_size));
    }
    return p;
  }
#endif

  ENVPOOL_FN static void derive_more(Params& p) {
    p.first_color = p.first_choice - 1;
    p.second_color = p.second_choice - 1;
    p.num_doors = p.level == kDoorsOrder && p.room_size < 4 ? min(p.chosen_doors, 3) : p.chosen_doors;
  }

  template <class Rooms>
  ENVPOOL_FN static void populate(State&, const Params& p, Rooms& rooms, Instruction& instruction) {
    auto& make = rooms.make;
    constexpr Place kMiddle{1, 1};
    i32 colors[kColors];
    for (i32 i = 0; i < kColors; ++i) colors[i] = make.color_by_name(i);
    switch (p.level) {
      case kMaze: {
        rooms.place_agent();
        rooms.connect_all();
        rooms.add_distractors(18, /*unique=*/false);
        require_reachable(rooms);
        if (make.failed) return;
        instruction.add({Verb::kOpen, {kDoor, random_door_color(rooms)}});
        break;
      }
      case kRedDoor:
        rooms.add_door({0, 0}, 0, kRed, 0);
        rooms.place_agent({0, 0});
        instruction.add({Verb::kOpen, {kDoor, kRed}});
        break;
      case kOneOfFour: {
        make.choose(colors, kColors, 4);
        for (i32 side = 0; side < 4; ++side) rooms.add_door(kMiddle, side, colors[side], 0);
        const i32 by = p.select_by == kByEither ? kByColor + make.below(2) : p.select_by;
        const Description target =
            by == kByColor ? Description{kDoor, colors[0]} : Description{kDoor, kAny, make.below(kLocations)};
        rooms.place_agent(kMiddle);
        instruction.add({Verb::kOpen, target, {}, p.strict});
        break;
      }
      case kTwoDoors: {
        make.choose(colors, kColors, 2);
        const i32 first = p.first_color != kAny ? p.first_color : colors[0];
        const i32 second = p.second_color != kAny ? p.second_color : colors[1];
        rooms.add_door(kMiddle, 2, first, 0);
        rooms.add_door(kMiddle, 0, second, 0);
        rooms.place_agent(kMiddle);
        instruction.order = Order::kBefore;
        instruction.add({Verb::kOpen, {kDoor, first}, {}, p.strict}, 0);
        instruction.add({Verb::kOpen, {kDoor, second}}, 1);
        break;
      }
      default: {
        make.choose(colors, kColors, p.num_doors);
        for (i32 i = 0; i < p.num_doors; ++i) rooms.add_door(kMiddle, kAny, colors[i], 0);
        rooms.place_agent(kMiddle);
        if (make.failed) return;
        make.choose(colors, p.num_doors, 2);
        instruction.order = Order(make.below(3));
        instruction.add({Verb::kOpen, {kDoor, colors[0]}, {}, p.strict}, 0);
        if (instruction.order != Order::kOne) instruction.add({Verb::kOpen, {kDoor, colors[1]}, {}, p.strict}, 1);
        break;
      }
    }
  }

 private:
  // Draws a door and returns its colour. A door between two rooms counts twice, once for each room.
  template <class Rooms>
  ENVPOOL_FN static i32 random_door_color(Rooms& rooms) {
    i32 count = 0;
    u8 colors[4 * kMostRooms];
    for (i32 column = 0; column < rooms.columns(); ++column) {
      for (i32 row = 0; row < rooms.rows(); ++row) {
        for (i32 side = 0; side < 4; ++side) {
          if (!rooms.has_door({column, row}, side)) continue;
          colors[count++] = u8(color_of(rooms.make.grid[rooms.room_at({column, row}).door_at[side]]));
        }
      }
    }
    return colors[rooms.make.below(count)];
  }
};

}  // namespace envpool::minigrid
