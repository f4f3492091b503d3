// SPDX-License-Identifier: Apache-2.0
//
// Maze: an agent that sees the whole maze walks to a cell.
//
//   Action       i32, moves up (0), to the right (1), down (2) or to the left (3); a move into a wall changes nothing
//   Observation  agent_position.row, agent_position.col, target_position.row and target_position.col, i32; walls,
//                bool[num_rows][num_cols]; step_count, i32: the steps of the episode; action_mask, bool[4]: moves to
//                free cells
//   Reward       1 for reaching the target
//   Terminated   at the target, and after time_limit steps
//   Reset        a maze made by recursive division; agent and target are in two of its free cells
//   Image        walls, the agent in red, the target in yellow
//
// Reference: jumanji 1.1.2, Maze.
#pragma once

#include "envpool/core/api.h"
#include "envpool/jumanji/maze_walls.h"
#if ENVPOOL_HOST
#include "envpool/core/board.h"
#endif

namespace envpool::jumanji {

struct Maze {
  static constexpr const char* kName = "Maze";
  static constexpr bool kLargeRows = true, kLongSteps = true;
  enum Field { kAgentRow, kAgentColumn, kTargetRow, kTargetColumn, kWalls, kStepCount, kActionMask };

  struct Params {
    i32 rows, columns, chosen_limit;
    i32 time_limit;  // derived
  };
  struct State {  // the cells follow, a byte each, 1 for a wall
    i32 row, column, target_row, target_column;
    i32 steps;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("num_rows", 10, "rows of the maze").between(2, kMostMazeSide).sets(&Params::rows).changes_shapes();
    o.integer("num_cols", 10, "columns of the maze").between(2, kMostMazeSide).sets(&Params::columns).changes_shapes();
    o.integer("time_limit", 0, "steps of an episode; 0: as many as the maze has cells")
        .between(0, 1e6)
        .sets(&Params::chosen_limit)
        .changes_shapes();
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<i32>("agent_position.row").categories(p.rows).doc("row of the agent");
    s.obs<i32>("agent_position.col").categories(p.columns).doc("column of the agent");
    s.obs<i32>("target_position.row").categories(p.rows).doc("row of the target");
    s.obs<i32>("target_position.col").categories(p.columns).doc("column of the target");
    s.obs<bool>("walls", {p.rows, p.columns}).doc("walls");
    s.obs<i32>("step_count").categories(p.time_limit + 1).doc("steps of the episode");
    s.obs<bool>("action_mask", {kMoves}).doc("moves to free cells");
    s.action<i32>().categories(kMoves).doc("0 moves up, 1 right, 2 down, 3 left");
    s.reward_low = 0;
    s.reward_high = 1;
    s.render_fps = 6;
    drawing::Board::set_size(s, p.rows, p.columns);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    drawing::Board board(rgb, p.rows, p.columns, drawing::kEmpty);
    for (i32 cell = 0; cell < p.rows * p.columns; ++cell) {
      if (walls(s)[cell] != 0) board.fill(cell / p.columns, cell % p.columns, drawing::kWall);
    }
    board.fill(s.target_row, s.target_column, drawing::kGoal);
    board.disc(s.row, s.column, 0.36, drawing::kAgent);
  }
#endif

  ENVPOOL_FN static void derive(Params& p) { p.time_limit = p.chosen_limit > 0 ? p.chosen_limit : p.rows * p.columns; }
  ENVPOOL_FN static i64 extra_bytes(const Params& p) { return i64{p.rows} * p.columns; }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    BlockRng draws(rng);
    const i32 free = make_maze(walls(s), p.rows, p.columns, 1, draws);
    const i32 agent = i32(draws.below(u32(free))), other = i32(draws.below(u32(free - 1)));
    const i32 target = other + i32(other >= agent);
    for (i32 cell = 0, number = 0; cell < p.rows * p.columns; ++cell) {
      if (walls(s)[cell] != 0) continue;
      if (number == agent) s.row = cell / p.columns, s.column = cell % p.columns;
      if (number == target) s.target_row = cell / p.columns, s.target_column = cell % p.columns;
      ++number;
    }
    s.steps = 0;
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 move = *action.at<i32>(0);
    const bool moves = is_free(s, p, move);
    s.row += moves ? rows_of(move) : 0;
    s.column += moves ? columns_of(move) : 0;
    s.steps = min(s.steps + 1, p.time_limit);
    const bool reached = s.row == s.target_row && s.column == s.target_column;
    return {.reward = one_if(reached), .terminated = reached || s.steps >= p.time_limit};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    *row.at<i32, 1>(kAgentRow) = s.row;
    *row.at<i32, 1>(kAgentColumn) = s.column;
    *row.at<i32, 1>(kTargetRow) = s.target_row;
    *row.at<i32, 1>(kTargetColumn) = s.target_column;
    bool* const to = row.at<bool>(kWalls);
    for (i32 cell = 0; cell < p.rows * p.columns; ++cell) to[cell] = walls(s)[cell] != 0;
    *row.at<i32, 1>(kStepCount) = s.steps;
    bool* const mask = row.at<bool, kMoves>(kActionMask);
    for (i32 move = 0; move < kMoves; ++move) mask[move] = is_free(s, p, move);
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    keep_within(s.row, 0, p.rows - 1);
    keep_within(s.column, 0, p.columns - 1);
    keep_within(s.target_row, 0, p.rows - 1);
    keep_within(s.target_column, 0, p.columns - 1);
    keep_within(s.steps, 0, p.time_limit);
    for (i32 cell = 0; cell < p.rows * p.columns; ++cell) walls(s)[cell] &= 1;
  }

 private:
  ENVPOOL_FN static u8* walls(State& s) { return reinterpret_cast<u8*>(&s + 1); }
  ENVPOOL_FN static const u8* walls(const State& s) { return reinterpret_cast<const u8*>(&s + 1); }
  // Returns whether the cell to which a move leads is free.
  ENVPOOL_FN static bool is_free(const State& s, const Params& p, i32 move) {
    const i32 row = s.row + rows_of(move), column = s.column + columns_of(move);
    return u32(row) < u32(p.rows) && u32(column) < u32(p.columns) && walls(s)[row * p.columns + column] == 0;
  }
};

}  // namespace envpool::jumanji
