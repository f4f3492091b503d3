// SPDX-License-Identifier: Apache-2.0
//
// BabyAIGoTo: the agent must go to an object or a door. The levels red_ball, red_ball_grey (other objects are grey),
// red_blue_ball, obj (a single object) and local have one room. The level maze has several rooms with doors between
// them. In imp_unlock, the object is behind a locked door. In door and obj_door, the agent's room has doors on all
// sides.
//
// Actions, observations and rewards are the same as in all levels of BabyAI (babyai.h). Reference: minigrid 3.2.0,
// envs/babyai/goto.py.
#pragma once

#include "envpool/minigrid/babyai.h"

namespace envpool::minigrid {

struct BabyAIGoToParams : RoomParams {
  i32 level, chosen_dists, least_dists, most_dists;
  bool doors_open;
  i32 num_dists;  // derived
};

struct BabyAIGoTo : BabyLevel<BabyAIGoTo, BabyAIGoToParams> {
  static constexpr const char* kName = "BabyAIGoTo";
  static constexpr i32 kMostObjects = 24;
  enum LevelName { kRedBall, kRedBallGrey, kRedBlueBall, kObj, kLocal, kMaze, kImpUnlock, kDoorOnly, kObjDoor };

#if ENVPOOL_HOST
  static std::vector<std::string> levels() {
    return {"red_ball", "red_ball_grey", "red_blue_ball", "obj", "local", "maze", "imp_unlock", "door", "obj_door"};
  }
  static void options(OptionSpecs& o) {
    o.text("level", "maze", "the objects, and which of them the agent must go to").one_of(levels());
    o.integer("num_dists", 18, "objects in red_ball, red_ball_grey, red_blue_ball, local and maze")
        .between(0, kMostObjects)
        .sets(&Params::chosen_dists);
    o.boolean("doors_open", false, "in maze, all doors are open").sets(&Params::doors_open);
    declare_rooms(o, 8, 3, 3, 4);
    declare(o);
  }
  static Params params(const OptionValues& v) {
    Params p = resolve_rooms(v);
    p.level = choice(v, "level", levels());
    const i32 inside = p.room_size - 2, rooms = p.num_rows * p.num_cols;
    const bool chooses = p.level == kLocal || p.level == kMaze, reads = chooses || p.level < kObj;
    i32 most = inside * inside * rooms / 2;
    // No object is put next to the agent, so only one fits into a single room of 2 x 2 cells.
    if (rooms == 1 && inside == 2) most = chooses ? 1 : 0;
    const i32 wanted = reads ? i32(v.integer("num_dists")) : 0;
    p.least_dists = chooses ? 1 : 0;
    p.most_dists = reads ? most : 0;
    if (wanted > most || wanted < p.least_dists) {
      throw std::invalid_argument("num_dists: expected " + std::string(chooses ? "1" : "0") + ".." +
                                  std::to_string(most) + " in rooms of this size, got " + std::to_string(wanted));
    }
    if (p.level >= kImpUnlock && (p.num_rows < 3 || p.num_cols < 3)) {
      throw std::invalid_argument("num_rows: expected 3 rows and 3 columns of rooms for this level, got " +
                                  std::to_string(p.num_rows) + " and " + std::to_string(p.num_cols));
    }
    if (p.level >= kImpUnlock && p.room_size < 6) {
      throw std::invalid_argument("room_size: expected at least 6 for this level, got " + std::to_string(p.room_size));
    }
    return p;
  }
#endif

  ENVPOOL_FN static void derive_more(Params& p) { p.num_dists = clamp(p.chosen_dists, p.least_dists, p.most_dists); }

  template <class Rooms>
  ENVPOOL_FN static void populate(State&, const Params& p, Rooms& rooms, Instruction& instruction) {
    auto& make = rooms.make;
    Cell objects[kMostObjects];
    Point places[kMostObjects];
    Cell target = kNothing;
    switch (p.level) {
      case kRedBall:
      case kRedBallGrey:
        rooms.place_agent();
        target = rooms.add_object({0, 0}, kBall, kRed);
        rooms.add_distractors(p.num_dists, /*unique=*/false, kAnyRoom, objects, places);
        if (make.failed) return;
        for (i32 i = 0; i < p.num_dists && p.level == kRedBallGrey; ++i) {
          make.grid[places[i]] = object(i32(type_of(objects[i])), kGrey);
        }
        require_reachable(rooms);
        break;
      case kRedBlueBall:
        rooms.place_agent();
        rooms.add_distractors(p.num_dists, /*unique=*/false, kAnyRoom, objects);
        make.failed = make.failed || contains(objects, p.num_dists, object(kBall, kRed)) ||
                      contains(objects, p.num_dists, object(kBall, kBlue));
        if (make.failed) return;
        target = rooms.add_object({0, 0}, kBall, make.below(2) == 0 ? kRed : kBlue);
        require_reachable(rooms);
        break;
      case kObj:
        rooms.place_agent();
        rooms.add_distractors(1, /*unique=*/true, kAnyRoom, &target);
        break;
      case kLocal:
      case kMaze:
        rooms.place_agent();
        if (p.level == kMaze) rooms.connect_all();
        rooms.add_distractors(p.num_dists, /*unique=*/false, kAnyRoom, objects);
        require_reachable(rooms);
        if (make.failed) return;
        target = objects[make.below(p.num_dists)];
        if (p.doors_open) open_doors(make.grid);
        break;
      case kImpUnlock: target = behind_a_lock(rooms); break;
      case kDoorOnly:
        for (i32 i = 0; i < 4; ++i) objects[i] = make.grid[rooms.add_door({1, 1})];
        rooms.place_agent({1, 1});
        if (make.failed) return;
        target = objects[make.below(4)];
        break;
      default:
        rooms.place_agent({1, 1});
        rooms.add_distractors(8, /*unique=*/false, {1, 1}, objects);
        if (make.failed) return;
        for (i32 i = 8; i < 12; ++i) objects[i] = make.grid[rooms.add_door({1, 1})];
        require_reachable(rooms);
        if (make.failed) return;
        target = objects[make.below(12)];
        break;
    }
    instruction.add({Verb::kGoTo, kind_described(target)});
  }

 private:
  template <class Rooms>
  ENVPOOL_FN static Cell behind_a_lock(Rooms& rooms) {
    const Place locked = rooms.random_room();
    const i32 color = i32(color_of(rooms.make.grid[rooms.add_door(locked, kAny, kAny, 1)]));
    // The reference means to put no key and no objects into the locked room, but its comparison is never true.
    rooms.add_object(rooms.random_room(), kKey, color);
    rooms.connect_all();
    for (i32 column = 0; column < rooms.columns(); ++column) {
      for (i32 row = 0; row < rooms.rows(); ++row) rooms.add_distractors(2, /*unique=*/false, {column, row});
    }
    rooms.place_agent_outside(locked);
    require_reachable(rooms);
    Cell target = kNothing;
    if (!rooms.make.failed) rooms.add_distractors(1, /*unique=*/false, locked, &target);
    return target;
  }
  ENVPOOL_FN static void open_doors(Grid grid) {
    for (i32 i = 0; i < grid.width * grid.height; ++i) {
      Cell& cell = grid.cells[i];
      if (type_of(cell) == kDoor) cell = door(i32(color_of(cell)), kOpen);
    }
  }
};

}  // namespace envpool::minigrid
