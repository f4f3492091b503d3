// SPDX-License-Identifier: Apache-2.0
//
// BabyAIPutNext: the agent must put an object next to another one. Levels are local (a single room), two_rooms (the
// other object is in a neighbouring room, and the wall between the rooms is removed; the agent may start with the
// object) and across (the same rooms; the agent must move one object each way).
//
// Actions, observations and rewards are the same as in all levels of BabyAI (babyai.h). Reference: minigrid 3.2.0,
// envs/babyai/putnext.py and envs/babyai/other.py.
#pragma once

#include "envpool/minigrid/babyai.h"

namespace envpool::minigrid {

struct BabyAIPutNextParams : RoomParams {
  i32 level, chosen_objs, most_objs;
  bool chosen_start;
  i32 num_objs;         // derived
  bool start_carrying;  // derived
};

struct BabyAIPutNextState : BabyState {
  Point carried_from;  // the cell from which the agent took the object that it starts with
};

struct BabyAIPutNext : BabyLevel<BabyAIPutNext, BabyAIPutNextParams, BabyAIPutNextState> {
  static constexpr const char* kName = "BabyAIPutNext";
  static constexpr i32 kMostObjects = 9;
  enum LevelName { kLocal, kTwoRooms, kAcross };

#if ENVPOOL_HOST
  static std::vector<std::string> levels() { return {"local", "two_rooms", "across"}; }
  static void options(OptionSpecs& o) {
    o.text("level", "local", "where the objects are").one_of(levels()).changes_shapes();
    o.integer("room_size", 8, "rows and columns of a room, walls included").between(4, 20).changes_shapes();
    o.integer("num_objs", 8, "objects in each room").between(1, kMostObjects).sets(&Params::chosen_objs);
    o.boolean("start_carrying", false, "in two_rooms, the agent has the object from the first step on")
        .sets(&Params::chosen_start);
    declare(o);
  }
  static Params params(const OptionValues& v) {
    const i32 level = choice(v, "level", levels()), times[] = {0, 8, 16};
    const i64 size = v.integer("room_size"), columns = level == kLocal ? 1 : 2;
    Params p = resolve_rooms(v, size, 1, columns, times[level] * size * size);
    p.level = level;
    // No object is put next to the agent, so only one fits into the agent's room if that has 2 x 2 cells.
    p.most_objs = Base::checked_objects(v, "num_objs", size == 4 ? 1 : (size - 2) * (size - 2) / 2);
    if (level != kTwoRooms && v.integer("num_objs") < 2) {
      throw std::invalid_argument("num_objs: expected at least 2 for this level, got " +
                                  std::to_string(v.integer("num_objs")));
    }
    return p;
  }
#endif

  ENVPOOL_FN static void derive_more(Params& p) {
    p.num_objs = clamp(p.chosen_objs, p.level == kTwoRooms ? 1 : 2, p.most_objs);
    p.start_carrying = p.chosen_start && p.level == kTwoRooms;
  }

  template <class Rooms>
  ENVPOOL_FN static void populate(State& s, const Params& p, Rooms& rooms, Instruction& instruction) {
    auto& make = rooms.make;
    Cell left[kMostObjects], right[kMostObjects];
    Point left_places[kMostObjects], right_places[kMostObjects];
    i32 from_left[kMostObjects], from_right[kMostObjects];
    for (i32 i = 0; i < kMostObjects; ++i) from_left[i] = from_right[i] = i;
    const auto put_next = [](Cell what, Cell next_to) {
      return Clause{Verb::kPutNext, kind_described(what), kind_described(next_to)};
    };
    if (p.level == kLocal) {
      rooms.place_agent();
      rooms.add_distractors(p.num_objs, /*unique=*/true, kAnyRoom, left);
      require_reachable(rooms);
      if (make.failed) return;
      make.choose(from_left, p.num_objs, 2);
      instruction.add(put_next(left[from_left[0]], left[from_left[1]]));
      return;
    }
    rooms.place_agent({0, 0});
    rooms.add_distractors(p.num_objs, /*unique=*/true, {0, 0}, left, left_places);
    rooms.add_distractors(p.num_objs, /*unique=*/true, {1, 0}, right, right_places);
    rooms.remove_wall({0, 0}, 0);
    if (make.failed) return;
    if (p.level == kTwoRooms) {
      const i32 a = make.below(p.num_objs), b = make.below(p.num_objs);
      const bool swapped = make.flip();
      s.carried_from = swapped ? right_places[b] : left_places[a];
      instruction.add(swapped ? put_next(right[b], left[a]) : put_next(left[a], right[b]));
    } else {
      make.choose(from_left, p.num_objs, 2);
      make.choose(from_right, p.num_objs, 2);
      instruction.order = Order::kBefore;
      instruction.add(put_next(left[from_left[0]], right[from_right[0]]), 0);
      instruction.add(put_next(right[from_right[1]], left[from_left[1]]), 1);
    }
  }

  // In the reference, the agent takes the object after the first observation has been made.
  ENVPOOL_FN static Point hidden_cell(const State& s, const Params& p) {
    return p.start_carrying && s.steps == 0 ? s.carried_from : kNowhere;
  }
  ENVPOOL_FN static void prepare(State& s, const Params& p) {
    if (hidden_cell(s, p) == kNowhere) return;
    s.progress.carried_marks = take_marks(s, p, s.carried_from);
    Cell& cell = grid_of(s, p)[s.carried_from];
    s.carried = cell;
    cell = kNothing;
  }

  ENVPOOL_FN static void repair_more(State& s, const Params& p) {
    BabyLevel::repair_more(s, p);
    BabyLevel::keep_in_grid(s.carried_from, p);
  }
};

}  // namespace envpool::minigrid
