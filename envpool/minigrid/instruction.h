// SPDX-License-Identifier: Apache-2.0
//
// BabyAI's language. A description names objects, a clause consists of a verb and one or two descriptions, and an
// instruction consists of one to four clauses. The reset determines which objects a description means, and sets a bit
// in the marks of each of them. A clause may also depend on the places of these objects. Places are looked up only at
// the reset and when the agent drops something; at all other times, a clause uses the old places.
//
// Reference: minigrid 3.2.0, envs/babyai/core/verifier.py.
#pragma once

#include "envpool/minigrid/room_grid.h"

namespace envpool::minigrid {

enum Location : i32 { kOnTheLeft, kOnTheRight, kInFront, kBehind };
inline constexpr i32 kLocations = 4;

// Describes objects by type, by colour, and by their side of the agent's start (in the same room). kAny allows all.
struct Description {
  i32 type = kAny, color = kAny, location = kAny;
};

enum class Verb : u8 { kGoTo, kOpen, kPickup, kPutNext };

struct Clause {
  Verb verb;
  Description what{}, next_to{};  // only kPutNext uses next_to
  bool strict = false;            // a wrong object ends the episode
};

enum class Order : u8 { kOne, kBefore, kAfter };

// Two parts of one or two clauses each. An instruction with kOne has only the first part.
struct Instruction {
  Order order = Order::kOne;
  i32 clauses[2];
  Clause clause[2][2] = {};

  ENVPOOL_FN Instruction() { clauses[0] = clauses[1] = 0; }
  ENVPOOL_FN void add(Clause added, i32 part = 0) { clause[part][clauses[part]++ & 1] = added; }
};

// The data that descriptions refer to: the grid, the start of the agent, and its room.
struct Scene {
  ConstGrid grid;
  Viewer agent;
  Point room_from, room_to;

  ENVPOOL_DEVICE_CALL bool matches(const Description& wanted, Point at) const {
    const Cell cell = grid[at];
    if (cell == kNothing) return false;
    if (wanted.type != kAny && type_of(cell) != u32(wanted.type)) return false;
    if (wanted.color != kAny && color_of(cell) != u32(wanted.color)) return false;
    if (wanted.location == kAny) return true;
    if (at.x < room_from.x || at.y < room_from.y || at.x > room_to.x || at.y > room_to.y) return false;
    const Point ahead = step_in(agent.direction), away = at - agent.at;
    const i32 forward = away.x * ahead.x + away.y * ahead.y, right = away.y * ahead.x - away.x * ahead.y;
    switch (wanted.location) {
      case kOnTheLeft: return right < 0;
      case kOnTheRight: return right > 0;
      case kInFront: return forward > 0;
      default: return forward < 0;
    }
  }
  // Calls a function with each cell that a description matches.
  template <class Function>
  ENVPOOL_FN void each(const Description& wanted, Function function) const {
    for (i32 i = 0; i < grid.width * grid.height; ++i) {
      const Point at{i % grid.width, i / grid.width};
      if (matches(wanted, at)) function(at);
    }
  }
  ENVPOOL_DEVICE_CALL i32 count(const Description& wanted) const {
    i32 count = 0;
    each(wanted, [&](Point) { ++count; });
    return count;
  }
  // Returns whether an object that is to be moved is already next to its target, or matches both descriptions.
  ENVPOOL_DEVICE_CALL bool is_done(const Clause& clause) const {
    bool done = false;
    each(clause.what, [&](Point at) {
      done = done || matches(clause.next_to, at);
      for (i32 side = 0; side < 4; ++side) {
        const Point beside = at + step_in(side);
        done = done || (grid.contains(beside) && matches(clause.next_to, beside));
      }
    });
    return done;
  }

  ENVPOOL_DEVICE_CALL void say(Mission& mission, const Description& wanted) const {
    using enum Word;
    mission.say(count(wanted) > 1 ? a : the);
    if (wanted.color != kAny) mission.say(color_word(u32(wanted.color)));
    mission.say(wanted.type != kAny ? type_word(u32(wanted.type)) : object);
    switch (wanted.location) {
      case kOnTheLeft: mission.say(on, your, left); break;
      case kOnTheRight: mission.say(on, your, right); break;
      case kInFront: mission.say(in, front, of, you); break;
      case kBehind: mission.say(behind, you); break;
      default: break;
    }
  }
  ENVPOOL_DEVICE_CALL void say(Mission& mission, const Clause& clause) const {
    using enum Word;
    switch (clause.verb) {
      case Verb::kGoTo: mission.say(go, to); break;
      case Verb::kOpen: mission.say(open); break;
      case Verb::kPickup: mission.say(pick, up); break;
      case Verb::kPutNext: mission.say(put); break;
    }
    say(mission, clause.what);
    if (clause.verb != Verb::kPutNext) return;
    mission.say(next, to);
    say(mission, clause.next_to);
  }
  ENVPOOL_DEVICE_CALL void say(Mission& mission, const Instruction& instruction) const {
    using enum Word;
    for (i32 part = 0; part < 2; ++part) {
      for (i32 i = 0; i < instruction.clauses[part]; ++i) {
        if (i > 0) mission.say(and_);
        say(mission, instruction.clause[part][i]);
      }
      if (part > 0) break;
      if (instruction.order == Order::kBefore) mission.say(comma, then);
      if (instruction.order == Order::kAfter) mission.say(after, you);
    }
  }
};

enum class Verdict : u8 { kContinues, kSucceeds, kFails };

// The progress of an instruction. Clause i of a part has number n = 2 * part + i. In the marks of an object, bit 2 * n
// is set if the `what` of this clause describes the object, and bit 2 * n + 1 if its `next_to` does.
struct Progress {
  static constexpr i32 kClauses = 4;

  Order order;
  bool first_done;  // for kBefore and kAfter: whether the part that comes first is done
  u8 clauses[2];
  Verb verb[kClauses];
  u8 strict;          // a bit for each clause
  u8 done;            // a bit for each clause that is done, used only for parts with two clauses
  u8 carried_marks;   // of the object that the agent carries
  u8 seen[kClauses];  // the marks of what the agent carried when the clause was last checked
  u8 seen_any;        // a bit for each clause: whether the agent carried anything at that check

  // The events of a step: the action, and the cell that is now in front of the agent.
  struct Event {
    i32 action;
    Cell front, carried;
    bool dropped;      // the agent has dropped something
    u8 front_marks;    // the marks of the object in front of the agent
    u8 front_places;   // the marks of the objects that were in front of the agent when places were last looked up
    u8 around_places;  // the same for the four cells around the cell in front of the agent
  };

  ENVPOOL_FN void begin(const Instruction& instruction) {
    *this = {};
    order = instruction.order;
    for (i32 part = 0; part < 2; ++part) {
      clauses[part] = u8(instruction.clauses[part]);
      for (i32 i = 0; i < instruction.clauses[part]; ++i) {
        const Clause& clause = instruction.clause[part][i];
        verb[2 * part + i] = clause.verb;
        strict |= u8(u32(clause.strict) << (2 * part + i));
      }
    }
  }

  ENVPOOL_FN void repair() {
    order = Order(u8(order) % 3);
    keep_bool(first_done);
    for (u8& count : clauses) keep_within<u8>(count, 0, 2);
    for (Verb& each : verb) each = Verb(u8(each) & 3);
  }

  ENVPOOL_FN Verdict check(const Event& event) {
    if (order == Order::kOne) return check_part(0, event);
    const i32 first = order == Order::kBefore ? 0 : 1;
    if (!first_done) {
      const Verdict verdict = check_part(first, event);
      if (verdict != Verdict::kSucceeds) return verdict;
      first_done = true;
    }
    return check_part(1 - first, event);
  }

 private:
  ENVPOOL_FN Verdict check_part(i32 part, const Event& event) {
    if (clauses[part] < 2) return check_clause(2 * part, event);
    const u32 both = 3u << 2 * part;
    for (i32 number = 2 * part; number < 2 * part + 2; ++number) {
      if ((done >> number & 1) != 0) continue;
      if (check_clause(number, event) == Verdict::kSucceeds) done |= u8(1u << number);
    }
    return (done & both) == both ? Verdict::kSucceeds : Verdict::kContinues;
  }

  ENVPOOL_DEVICE_CALL Verdict check_clause(i32 number, const Event& event) {
    const u32 what = 1u << 2 * number, next_to = what << 1;
    const bool is_strict = (strict >> number & 1) != 0, carries = event.carried != kCarriesNothing;
    switch (verb[number]) {
      case Verb::kGoTo: return verdict((event.front_places & what) != 0);
      case Verb::kOpen:
        if (event.action != kToggle) return Verdict::kContinues;
        if ((event.front_marks & what) != 0 && is_open_door(event.front)) return Verdict::kSucceeds;
        return verdict(/*succeeds=*/false, is_strict && type_of(event.front) == kDoor);
      case Verb::kPickup: {
        const bool carried_before = (seen_any >> number & 1) != 0;
        see(number, carries);
        if (event.action != kPickup) return Verdict::kContinues;
        return verdict(!carried_before && (carried_marks & what) != 0, is_strict && carries);
      }
      default: {
        const u32 before = seen[number];
        see(number, carries);
        if (is_strict && event.action == kPickup && carries) return Verdict::kFails;
        return verdict(event.dropped && (before & what) != 0 && (event.around_places & next_to) != 0);
      }
    }
  }
  ENVPOOL_FN void see(i32 number, bool carries) {
    seen[number] = carried_marks;
    seen_any = u8((seen_any & ~(1u << number)) | u32(carries) << number);
  }
  ENVPOOL_FN static Verdict verdict(bool succeeds, bool fails = false) {
    return succeeds ? Verdict::kSucceeds : fails ? Verdict::kFails : Verdict::kContinues;
  }
};

}  // namespace envpool::minigrid
