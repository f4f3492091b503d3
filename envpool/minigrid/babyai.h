// SPDX-License-Identifier: Apache-2.0
//
// The common parts of BabyAI's levels: rooms as in room_grid.h, and a mission that is an instruction in a small
// language (instruction.h).
//
//   Action, observation, info   those of MiniGrid (level.h), with missions of up to 512 letters
//   Reward       1 - 0.9 * steps / max_steps when the instruction has been followed, else 0
//   Terminated   when the instruction has been followed, and on a mistake if the level is strict
//   Truncated    after max_steps steps, which by default depend on the rooms and the instruction
//
// M. Chevalier-Boisvert et al., "BabyAI: a platform to study the sample efficiency of grounded language learning"
// (2019). Reference: minigrid 3.2.0, envs/babyai. If the reference rejects a level, both the reference and this code
// make a new one.
#pragma once

#include "envpool/minigrid/instruction.h"
#if ENVPOOL_HOST
#include <algorithm>
#include <string>
#include <vector>
#endif

namespace envpool::minigrid {

struct BabyState : Agent {
  i32 limit;
  Progress progress;
};

// A level derives from BabyLevel<itself, its Params, its State> and defines
//
//   template <class Rooms>
//   ENVPOOL_FN static void populate(State&, const Params&, Rooms&, Instruction&);    // may set rooms.make.failed
//   // optional:
//   ENVPOOL_FN static bool keeps_keys(const Params&);      // whether instructions never name a key that opens a door
//
// In memory, the mission is followed by two arrays with a byte for each cell (see instruction.h): the marks of the
// object in the cell, and what these marks were when places were last looked up.
template <class Derived, class P = RoomParams, class S = BabyState>
struct BabyLevel : Level<Derived, P, S> {
  using Base = Level<Derived, P, S>;
  using typename Base::Params;
  using typename Base::State;
  using typename Base::Turn;

  static constexpr i32 kMostWords = 80;

  ENVPOOL_FN static i64 more_bytes(const Params& p) { return 2 * Base::cells_of(p); }
  ENVPOOL_FN static i32 limit_of(const State& s, const Params&) { return s.limit; }
  ENVPOOL_FN static bool keeps_keys(const Params&) { return false; }

  template <class Draws>
  ENVPOOL_FN static void generate(State& s, const Params& p, Maker<Draws>& make) {
    RoomMaker<Draws> rooms(make, p);
    Instruction instruction;
    Derived::populate(s, p, rooms, instruction);
    if (make.failed) return;
    const Scene scene = scene_of(rooms);
    if (!is_valid(scene, instruction, Derived::keeps_keys(p))) {
      make.failed = true;
      return;
    }
    s.mission_id = -1;
    s.progress.begin(instruction);
    u8 *const marks = marks_of(s, p), *const places = marks + Base::cells_of(p);
    for (i32 i = 0; i < Base::cells_of(p); ++i) marks[i] = 0;
    i32 trips = 0;
    for (i32 part = 0; part < 2; ++part) {
      for (i32 i = 0; i < instruction.clauses[part]; ++i) {
        const Clause& clause = instruction.clause[part][i];
        const u32 bit = 1u << 2 * (2 * part + i);
        mark(scene, clause.what, bit, marks);
        trips += clause.verb == Verb::kPutNext ? 2 : 1;
        if (clause.verb == Verb::kPutNext) mark(scene, clause.next_to, bit << 1, marks);
      }
    }
    for (i32 i = 0; i < Base::cells_of(p); ++i) places[i] = marks[i];
    scene.say(make.mission, instruction);
    s.limit = p.max_steps != 0 ? p.max_steps : trips * p.room_size * p.room_size * p.num_rows * p.num_cols;
  }

  ENVPOOL_FN static void judge(State& s, const Params& p, const Turn& turn, Outcome& outcome) {
    const ConstGrid grid = Base::grid_of(s, p);
    const i32 cells = Base::cells_of(p);
    u8 *const marks = marks_of(s, p), *const places = marks + cells;
    u8& changed = marks[turn.front.y * p.width + turn.front.x];
    const bool carries = s.carried != kCarriesNothing, carried = turn.was_carried != kCarriesNothing;
    if (carries && !carried) {
      s.progress.carried_marks = changed;
      changed = 0;
    } else if (carried && !carries) {
      changed = s.progress.carried_marks;
      s.progress.carried_marks = 0;
    } else if (turn.action == kToggle && type_of(turn.was_in_front) == kBox) {
      changed = 0;
    }
    if (turn.action == kDrop) {
      for (i32 i = 0; i < cells; ++i) places[i] = marks[i];
    }
    const Point front = s.at + step_in(s.direction);
    const i32 at = front.y * p.width + front.x;
    u8 around = 0;
    for (i32 side = 0; side < 4; ++side) {
      const Point beside = front + step_in(side);
      if (grid.contains(beside)) around |= places[beside.y * p.width + beside.x];
    }
    const bool dropped = turn.action == kDrop && carried && !carries;
    switch (s.progress.check({turn.action, grid[front], s.carried, dropped, marks[at], places[at], around})) {
      case Verdict::kSucceeds: Base::succeed(s, p, outcome); break;
      case Verdict::kFails: Base::fail(outcome); break;
      default: break;
    }
  }

  ENVPOOL_FN static void repair_more(State& s, const Params&) { s.progress.repair(); }

  // Removes and returns the marks of a cell whose object is taken away.
  ENVPOOL_FN static u8 take_marks(State& s, const Params& p, Point at) {
    u8& marks = marks_of(s, p)[at.y * p.width + at.x];
    const u8 taken = marks;
    marks = 0;
    return taken;
  }

  // Returns whether the agent can reach all objects, through doors but without moving anything.
  template <class Rooms>
  ENVPOOL_DEVICE_CALL static bool all_reachable(const Rooms& rooms) {
    const Grid grid = rooms.make.grid;
    constexpr i32 kMost = 64;
    u64 open[kMost], thing[kMost], reached[kMost];  // a bit for each column, by row
    for (i32 y = 0; y < grid.height; ++y) {
      open[y] = thing[y] = reached[y] = 0;
      for (i32 x = 0; x < grid.width; ++x) {
        const Cell cell = grid[{x, y}];
        const u32 type = type_of(cell);
        open[y] |= u64{type == kEmpty || type == kDoor} << x;
        thing[y] |= u64{type != kEmpty && type != kWall} << x;
      }
    }
    const Point start = rooms.make.agent.at;
    reached[start.y] = u64{1} << start.x;
    for (bool changes = true; changes;) {
      changes = false;
      for (i32 y = 0; y < grid.height; ++y) {
        const u64 through = reached[y] & open[y];
        const u64 above = y > 0 ? reached[y - 1] & open[y - 1] : 0;
        const u64 below = y + 1 < grid.height ? reached[y + 1] & open[y + 1] : 0;
        const u64 next = reached[y] | through << 1 | through >> 1 | above | below;
        changes = changes || next != reached[y];
        reached[y] = next;
      }
    }
    for (i32 y = 0; y < grid.height; ++y) {
      if ((thing[y] & ~reached[y]) != 0) return false;
    }
    return true;
  }
  template <class Rooms>
  ENVPOOL_FN static void require_reachable(Rooms& rooms) {
    rooms.make.failed = rooms.make.failed || !all_reachable(rooms);
  }

  // Returns the current scene, with the agent's room.
  template <class Rooms>
  ENVPOOL_DEVICE_CALL static Scene scene_of(const Rooms& rooms) {
    const Agent& agent = rooms.make.agent;
    const Grid grid = rooms.make.grid;
    const Point from = rooms.top(rooms.place_of(agent.at));
    return {grid, {agent.at, agent.direction}, from, from + Point{rooms.room_size() - 1, rooms.room_size() - 1}};
  }

  ENVPOOL_FN static Description kind_described(Cell object) { return {i32(type_of(object)), i32(color_of(object))}; }

#if ENVPOOL_HOST
  // Returns the index of an option's value among its possible values.
  static i32 choice(const OptionValues& v, const char* name, const std::vector<std::string>& values) {
    return i32(std::find(values.begin(), values.end(), v.text(name)) - values.begin());
  }
  static void declare(OptionSpecs& o) { Base::declare(o, /*sees_through_walls=*/false, 512); }
  static void declare_rooms(OptionSpecs& o, i64 room_size = 8, i64 num_rows = 3, i64 num_cols = 3, i64 least = 3) {
    o.integer("room_size", room_size, "rows and columns of a room, walls included")
        .between(f64(least), 20)
        .changes_shapes();
    o.integer("num_rows", num_rows, "rows of rooms").between(1, 3).changes_shapes();
    o.integer("num_cols", num_cols, "columns of rooms").between(1, 3).changes_shapes();
  }
  // If max_steps is 0, the limit depends on the rooms and the instruction.
  static Params resolve_rooms(const OptionValues& v, i64 room_size, i64 num_rows, i64 num_cols, i64 max_steps = 0) {
    Params p = Base::resolve(v, (room_size - 1) * num_cols + 1, (room_size - 1) * num_rows + 1, max_steps, kMostWords);
    p.room_size = i32(room_size);
    p.num_rows = i32(num_rows);
    p.num_cols = i32(num_cols);
    return p;
  }
  static Params resolve_rooms(const OptionValues& v, i64 max_steps = 0) {
    return resolve_rooms(v, v.integer("room_size"), v.integer("num_rows"), v.integer("num_cols"), max_steps);
  }
#endif

 private:
  ENVPOOL_FN static u8* marks_of(State& s, const Params& p) { return Base::mission_of(s, p) + p.mission_size; }
  ENVPOOL_DEVICE_CALL static void mark(const Scene& scene, const Description& wanted, u32 bit, u8* marks) {
    scene.each(wanted, [&](Point at) { marks[at.y * scene.grid.width + at.x] |= u8(bit); });
  }
  ENVPOOL_DEVICE_CALL static bool is_valid(const Scene& scene, const Instruction& instruction, bool keeps_keys) {
    u32 locked = 0;  // colours of locked doors
    for (i32 i = 0; keeps_keys && i < scene.grid.width * scene.grid.height; ++i) {
      const Cell cell = scene.grid.cells[i];
      if (type_of(cell) == kDoor && state_of(cell) == kLocked) locked |= 1u << color_of(cell);
    }
    const auto opens = [&](const Description& wanted) {
      return wanted.type == kKey && wanted.color != kAny && (locked >> wanted.color & 1) != 0;
    };
    for (i32 part = 0; part < 2; ++part) {
      for (i32 i = 0; i < instruction.clauses[part]; ++i) {
        const Clause& clause = instruction.clause[part][i];
        if (opens(clause.what)) return false;
        if (clause.verb == Verb::kPutNext && (opens(clause.next_to) || scene.is_done(clause))) return false;
      }
    }
    return true;
  }
};

}  // namespace envpool::minigrid
