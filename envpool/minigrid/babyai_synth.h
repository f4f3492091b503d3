// SPDX-License-Identifier: Apache-2.0
//
// BabyAISynth: a maze with random objects and, sometimes, a locked room; instructions are drawn from the whole
// language, or from the verbs and the forms that options list. The level action_obj_door is one room with four doors
// and five objects, and the instruction concerns one of these.
//
// Actions, observations and rewards are the same as in all levels of BabyAI (babyai.h). Reference: minigrid 3.2.0,
// envs/babyai/core/levelgen.py, envs/babyai/synth.py and envs/babyai/other.py.
#pragma once

#include "envpool/minigrid/babyai.h"

namespace envpool::minigrid {

// Up to four values of Verb or of Form.
struct Choices {
  u8 count, number[4];
};

struct BabyAISynthParams : RoomParams {
  i32 chosen_dists, most_dists;
  f64 chosen_prob;
  bool action_obj_door, locations, unblocking, implicit_unlock;
  Choices verbs, forms;
  i32 num_dists;         // derived
  f64 locked_room_prob;  // derived
};

struct BabyAISynth : BabyLevel<BabyAISynth, BabyAISynthParams> {
  static constexpr const char* kName = "BabyAISynth";
  static constexpr i32 kDescriptions = 101;  // the most attempts to find a description that matches an object
  enum Form : u8 { kAction, kAnd, kSequence };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.text("level", "synth", "how the level and its instruction are made").one_of({"synth", "action_obj_door"});
    o.integer("num_dists", 18, "number of objects").between(0, 24).sets(&Params::chosen_dists);
    o.real("locked_room_prob", 0.5, "probability of a locked room").between(0, 1).sets(&Params::chosen_prob);
    o.boolean("locations", true, "descriptions may name the side of the agent's start on which an object lies")
        .sets(&Params::locations);
    o.boolean("unblocking", true, "objects may be in the way, so that the agent has to move them")
        .sets(&Params::unblocking);
    o.boolean("implicit_unlock", true, "instructions may concern objects in the locked room")
        .sets(&Params::implicit_unlock);
    o.text("action_kinds", "goto,pickup,open,putnext", "the verbs");
    o.text("instr_kinds", "action,and,seq", "the forms: one clause, two, or two parts in order");
    declare_rooms(o, 8, 3, 3, 5);
    declare(o);
  }
  static Params params(const OptionValues& v) {
    Params p = resolve_rooms(v);
    p.action_obj_door = v.text("level") == "action_obj_door";
    p.verbs = choices(v, "action_kinds", {"goto", "open", "pickup", "putnext"});
    p.forms = choices(v, "instr_kinds", {"action", "and", "seq"});
    check(p, v);
    p.most_dists = most_dists_in(p);
    return p;
  }
#endif

  ENVPOOL_FN static void derive_more(Params& p) {
    p.num_dists = p.action_obj_door ? p.chosen_dists : clamp(p.chosen_dists, 2, p.most_dists);
    p.locked_room_prob = p.num_rows * p.num_cols == 1 ? 0 : p.chosen_prob;
  }

  ENVPOOL_FN static bool keeps_keys(const Params& p) { return p.unblocking && !p.action_obj_door; }

  template <class Rooms>
  ENVPOOL_FN static void populate(State&, const Params& p, Rooms& rooms, Instruction& instruction) {
    if (p.action_obj_door) {
      populate_with_doors(rooms, instruction);
      return;
    }
    Place locked = kAnyRoom;
    if (rooms.make.draws.uniform() < p.locked_room_prob) locked = add_locked_room(rooms);
    rooms.connect_all();
    rooms.add_distractors(p.num_dists, /*unique=*/false);
    rooms.place_agent_outside(locked);
    if (!p.unblocking) require_reachable(rooms);
    if (!rooms.make.failed) draw_instruction(p, rooms, locked, instruction);
  }

 private:
  template <class Rooms>
  ENVPOOL_DEVICE_CALL static Place add_locked_room(Rooms& rooms) {
    Place locked;
    i32 side;
    do {
      locked = rooms.random_room();
      side = rooms.make.below(4);
    } while (!rooms.has_neighbor(locked, side));
    const i32 color = i32(color_of(rooms.make.grid[rooms.add_door(locked, side, kAny, 1)]));
    Place key_room;
    do {
      key_room = rooms.random_room();
    } while (key_room == locked);
    rooms.add_object(key_room, kKey, color);
    return locked;
  }

  template <class Rooms>
  ENVPOOL_FN static void draw_instruction(const Params& p, Rooms& rooms, Place locked, Instruction& instruction) {
    auto& make = rooms.make;
    const i32 form = p.forms.number[make.below(p.forms.count) & 3];
    if (form == kAction) {
      instruction.add(draw_clause(p, rooms, locked));
    } else if (form == kAnd) {
      draw_part(p, rooms, locked, 2, 0, instruction);
    } else {
      for (i32 part = 0; part < 2 && !make.failed; ++part) {
        const i32 clauses = 1 + make.below(2);
        draw_part(p, rooms, locked, clauses, part, instruction);
      }
      if (!make.failed) instruction.order = make.below(2) == 0 ? Order::kBefore : Order::kAfter;
    }
  }
  template <class Rooms>
  ENVPOOL_FN static void draw_part(const Params& p, Rooms& rooms, Place locked, i32 clauses, i32 part,
                                   Instruction& instruction) {
    for (i32 i = 0; i < clauses && !rooms.make.failed; ++i) {
      if (clauses == 2) rooms.make.below(1);  // a draw without effect: the reference draws from a list of one form
      instruction.add(draw_clause(p, rooms, locked), part);
    }
  }
  template <class Rooms>
  ENVPOOL_DEVICE_CALL static Clause draw_clause(const Params& p, Rooms& rooms, Place locked) {
    constexpr i32 kTypes = 0x4567;  // a digit for each Type, from the lowest: box, ball, key, door, as in the reference
    Clause clause{Verb(p.verbs.number[rooms.make.below(p.verbs.count) & 3])};
    const bool any = clause.verb == Verb::kGoTo, is_door = clause.verb == Verb::kOpen;
    clause.what = draw_description(p, rooms, locked, is_door ? kDoor : kTypes, is_door ? 1 : any ? 4 : 3);
    if (clause.verb == Verb::kPutNext && !rooms.make.failed) {
      clause.next_to = draw_description(p, rooms, locked, kTypes, 4);
    }
    return clause;
  }
  // Draws a description that matches at least one object. `types` has a digit for each of the possible types.
  template <class Rooms>
  ENVPOOL_DEVICE_CALL static Description draw_description(const Params& p, Rooms& rooms, Place locked, i32 types,
                                                          i32 count) {
    auto& make = rooms.make;
    const Scene scene = scene_of(rooms);
    for (i32 i = 0; i < kDescriptions; ++i) {
      Description description;
      const i32 color = make.below(kColors + 1);
      if (color > 0) description.color = make.color_by_name(color - 1);
      description.type = types >> 4 * make.below(count) & 15;
      if (p.locations && make.flip()) description.location = make.below(kLocations);
      bool matches = false;
      scene.each(description, [&](Point at) {
        matches = matches || p.implicit_unlock || locked == kAnyRoom || !rooms.is_in(locked, at);
      });
      if (matches) return description;
    }
    make.failed = true;
    return {};
  }

  template <class Rooms>
  ENVPOOL_DEVICE_CALL static void populate_with_doors(Rooms& rooms, Instruction& instruction) {
    auto& make = rooms.make;
    Cell objects[9];
    rooms.add_distractors(5, /*unique=*/true, {1, 1}, objects);
    if (make.failed) return;
    for (i32 i = 5; i < 9; ++i) objects[i] = make.grid[rooms.add_door({1, 1}, kAny, kAny, 0)];
    rooms.place_agent({1, 1});
    if (make.failed) return;
    const Cell target = objects[make.below(9)];
    const Verb other = type_of(target) == kDoor ? Verb::kOpen : Verb::kPickup;
    instruction.add({make.flip() ? Verb::kGoTo : other, kind_described(target)});
  }

#if ENVPOOL_HOST
  // Parses words that are separated by commas.
  static Choices choices(const OptionValues& v, const char* name, const std::vector<std::string>& words) {
    Choices choices{};
    std::string text(v.text(name));
    for (size_t from = 0; from <= text.size();) {
      const size_t comma = std::min(text.find(',', from), text.size());
      const std::string word = text.substr(from, comma - from);
      const auto position = std::find(words.begin(), words.end(), word);
      const u8 number = u8(position - words.begin());
      const bool twice =
          std::find(choices.number, choices.number + choices.count, number) != choices.number + choices.count;
      if (position == words.end() || twice) {
        std::string all;
        for (const std::string& each : words) all += (all.empty() ? "" : ", ") + each;
        throw std::invalid_argument(std::string(name) + ": expected some of " + all +
                                    " with commas between them, got '" + text + "'");
      }
      choices.number[choices.count++] = number;
      from = comma + 1;
    }
    return choices;
  }
  static i32 most_dists_in(const Params& p) {
    return (p.room_size - 2) * (p.room_size - 2) * p.num_rows * p.num_cols / 3;
  }
  static void check(const Params& p, const OptionValues& v) {
    const i32 rooms = p.num_rows * p.num_cols, least = p.action_obj_door ? 3 : 1;
    if (p.num_rows < least || p.num_cols < least) {
      throw std::invalid_argument("num_rows: expected 3 rows and 3 columns of rooms for this level, got " +
                                  std::to_string(p.num_rows) + " and " + std::to_string(p.num_cols));
    }
    if (p.action_obj_door) return;
    if (rooms == 1 && v.real("locked_room_prob") > 0) {
      throw std::invalid_argument("locked_room_prob: expected 0 with one room, got " +
                                  to_text(v.real("locked_room_prob")));
    }
    const bool opens =
        std::find(p.verbs.number, p.verbs.number + p.verbs.count, u8(Verb::kOpen)) != p.verbs.number + p.verbs.count;
    if (rooms == 1 && opens) {
      throw std::invalid_argument("action_kinds: expected no 'open' with one room, which has no door");
    }
    const i64 wanted = v.integer("num_dists"), most = most_dists_in(p);
    if (wanted > most || wanted < 2) {
      throw std::invalid_argument("num_dists: expected 2.." + std::to_string(most) + " in rooms of this size, got " +
                                  std::to_string(wanted));
    }
  }
#endif
};

}  // namespace envpool::minigrid
