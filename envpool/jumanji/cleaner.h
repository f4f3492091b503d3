// SPDX-License-Identifier: Apache-2.0
//
// Cleaner: several agents, which are moved together, clean the cells of a maze by walking over them.
//
//   Action       i32[num_agents], moves each agent up (0), to the right (1), down (2) or to the left (3)
//   Observation  grid, u8[num_rows][num_cols]: 0 for a dirty cell, 1 for a clean one, 2 for a wall. agents_locations,
//                i32[num_agents][2]: rows and columns. action_mask, bool[num_agents][4]: legal moves. step_count,
//                i32: the steps of the episode
//   Reward       the number of cells that became clean, minus penalty_per_timestep
//   Terminated   when an agent makes an illegal move, without which it stays where it is, when all cells are clean,
//                and after time_limit steps
//   Info         num_dirty_tiles, i32, and ratio_dirty_tiles, f32: how many cells are dirty, and which part of the
//                cells that are no walls
//   Reset        a maze made by recursive division, with all agents in its first cell, which is clean
//   Image        walls, dirty cells in brown, agents in red
//
// Reference: jumanji 1.1.2, Cleaner. It compares rows with the number of columns, and columns with the number of rows.
// On a grid that is not square, agents can therefore not reach all cells, and can leave the grid on one side, where
// they clean nothing, and the walls are those of its last row or column.
#pragma once

#include "envpool/core/api.h"
#include "envpool/jumanji/maze_walls.h"
#if ENVPOOL_HOST
#include "envpool/core/board.h"
#endif

namespace envpool::jumanji {

struct Cleaner {
  static constexpr const char* kName = "Cleaner";
  static constexpr bool kLargeRows = true, kLongSteps = true;
  static constexpr i32 kMostAgents = 16;
  static constexpr u8 kDirty = 0, kClean = 1, kWall = 2;
  enum Field { kGrid, kAgentsLocations, kActionMask, kStepCount, kRatioDirtyTiles, kNumDirtyTiles };

  struct Params {
    i32 rows, columns, agents, chosen_limit;
    f32 penalty;
    i32 time_limit;  // derived
  };
  struct State {  // the cells follow, a byte each
    i32 steps;
    i32 dirty, free;  // cells that are dirty, and that are no walls
    u8 row[kMostAgents], column[kMostAgents];
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("num_rows", 10, "rows of the grid").between(2, kMostMazeSide).sets(&Params::rows).changes_shapes();
    o.integer("num_cols", 10, "columns of the grid").between(2, kMostMazeSide).sets(&Params::columns).changes_shapes();
    o.integer("num_agents", 3, "agents").between(1, kMostAgents).sets(&Params::agents).changes_shapes();
    o.integer("time_limit", 0, "steps of an episode; 0: as many as the grid has cells")
        .between(0, 1e6)
        .sets(&Params::chosen_limit)
        .changes_shapes();
    o.real("penalty_per_timestep", 0.5, "what a step costs").between(-1e6, 1e6).sets(&Params::penalty);
  }
  static void spec(const Params& p, Spec& s) {
    const f64 most = max(p.rows, p.columns);
    s.obs<u8>("grid", {p.rows, p.columns}).bounds(0, kWall).doc("0 for a dirty cell, 1 for a clean one, 2 for a wall");
    s.obs<i32>("agents_locations", {p.agents, 2}).bounds(0, most).doc("row and column of each agent");
    s.obs<bool>("action_mask", {p.agents, kMoves}).doc("legal moves of each agent");
    s.obs<i32>("step_count").categories(p.time_limit + 1).doc("steps of the episode");
    s.info<f32>("ratio_dirty_tiles").bounds(0, 1).doc("part of the cells without walls that is dirty");
    s.info<i32>("num_dirty_tiles").bounds(0, p.rows * p.columns).doc("dirty cells");
    s.action<i32>("action", {p.agents}).categories(kMoves).doc("moves of the agents: 0 up, 1 right, 2 down, 3 left");
    s.reward_low = -f64(p.penalty);
    s.reward_high = p.agents - f64(p.penalty);
    s.render_fps = 6;
    drawing::Board::set_size(s, p.rows, p.columns);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    constexpr drawing::Color dirty{196, 164, 120};
    drawing::Board board(rgb, p.rows, p.columns, drawing::kEmpty);
    for (i32 cell = 0; cell < p.rows * p.columns; ++cell) {
      const u8 kind = cells(s)[cell];
      if (kind != kClean) board.fill(cell / p.columns, cell % p.columns, kind == kDirty ? dirty : drawing::kWall);
    }
    for (i32 i = 0; i < p.agents; ++i) board.disc(s.row[i], s.column[i], 0.36, drawing::kAgent);
  }
#endif

  ENVPOOL_FN static void derive(Params& p) { p.time_limit = p.chosen_limit > 0 ? p.chosen_limit : p.rows * p.columns; }
  ENVPOOL_FN static i64 extra_bytes(const Params& p) { return i64{p.rows} * p.columns; }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {};
    BlockRng draws(rng);
    s.free = make_maze(cells(s), p.rows, p.columns, kWall, draws);
    s.dirty = s.free - 1;
    cells(s)[0] = kClean;  // which is never a wall
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32* const moves = action.row_of<i32>(0);
    const i32 before = s.dirty;
    bool legal = true;
    for (i32 i = 0; i < p.agents; ++i) {
      const bool goes = is_legal(s, p, i, moves[i]);
      legal &= goes;
      s.row[i] = static_cast<u8>(s.row[i] + (goes ? rows_of(moves[i]) : 0));
      s.column[i] = static_cast<u8>(s.column[i] + (goes ? columns_of(moves[i]) : 0));
      if (s.row[i] >= p.rows || s.column[i] >= p.columns) continue;
      u8& cell = cells(s)[s.row[i] * p.columns + s.column[i]];
      s.dirty -= i32(cell == kDirty);
      cell = cell == kDirty ? kClean : cell;
    }
    s.steps = min(s.steps + 1, p.time_limit);
    return {.reward = f32(before - s.dirty) - p.penalty,
            .terminated = !legal || s.dirty == 0 || s.steps >= p.time_limit};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    u8* const grid = row.at<u8>(kGrid);
    for (i32 cell = 0; cell < p.rows * p.columns; ++cell) grid[cell] = cells(s)[cell];
    i32* const locations = row.at<i32>(kAgentsLocations);
    bool* const mask = row.at<bool>(kActionMask);
    for (i32 i = 0; i < p.agents; ++i) {
      locations[2 * i] = s.row[i];
      locations[2 * i + 1] = s.column[i];
      for (i32 move = 0; move < kMoves; ++move) mask[i * kMoves + move] = is_legal(s, p, i, move);
    }
    *row.at<i32, 1>(kStepCount) = s.steps;
    *row.at<f32, 1>(kRatioDirtyTiles) = f32(s.dirty) / f32(s.free);
    *row.at<i32, 1>(kNumDirtyTiles) = s.dirty;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    keep_within(s.steps, 0, p.time_limit);
    s.dirty = s.free = 0;
    for (i32 cell = 0; cell < p.rows * p.columns; ++cell) {
      u8& kind = cells(s)[cell];
      kind = kind > kWall ? kWall : kind;
      s.dirty += i32(kind == kDirty);
      s.free += i32(kind != kWall);
    }
    if (s.free == 0) {  // the ratio of dirty cells would not be a number
      cells(s)[0] = kClean;
      s.free = 1;
    }
    const i32 most = max(p.rows, p.columns) - 1;
    for (i32 i = 0; i < kMostAgents; ++i) {
      s.row[i] = static_cast<u8>(min(i32(s.row[i]), i < p.agents ? most : 0));
      s.column[i] = static_cast<u8>(min(i32(s.column[i]), i < p.agents ? most : 0));
    }
  }

 private:
  ENVPOOL_FN static u8* cells(State& s) { return reinterpret_cast<u8*>(&s + 1); }
  ENVPOOL_FN static const u8* cells(const State& s) { return reinterpret_cast<const u8*>(&s + 1); }
  ENVPOOL_FN static bool is_legal(const State& s, const Params& p, i32 agent, i32 move) {
    const i32 row = s.row[agent] + rows_of(move), column = s.column[agent] + columns_of(move);
    if (u32(column) >= u32(p.rows) || u32(row) >= u32(p.columns)) return false;
    return cells(s)[min(row, p.rows - 1) * p.columns + min(column, p.columns - 1)] != kWall;
  }
};

}  // namespace envpool::jumanji
