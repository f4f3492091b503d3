// SPDX-License-Identifier: Apache-2.0
//
// Minesweeper: cells without a mine are explored; a cell shows how many of its neighbors have one.
//
//   Action       i32[2], the row and the column of the cell to explore
//   Observation  board, i32[num_rows][num_cols]: -1 for an unexplored cell, otherwise how many of its up to 8
//                neighbors have mines. action_mask, bool[num_rows][num_cols]: the unexplored cells. num_mines, i32.
//                step_count, i32: the steps of the episode
//   Reward       1 for a cell without a mine, 0 for one with a mine, and 0 for one that was explored before; these
//                are options
//   Terminated   when a cell with a mine is explored, or one that was explored before, and when all cells without
//                mines are explored
//   Reset        num_mines cells have mines, each set of cells with equal probability
//   Image        explored cells are white, with a disc for each mine around them; mines are drawn in explored cells
//                only
//
// Reference: jumanji 1.1.2, Minesweeper.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/block_rng.h"
#if ENVPOOL_HOST
#include <stdexcept>
#include <string>

#include "envpool/core/board.h"
#endif

namespace envpool::jumanji {

struct Minesweeper {
  static constexpr const char* kName = "Minesweeper";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kMostSide = 32, kNeighbors = 8;
  static constexpr i8 kUnexplored = -1;
  enum Field { kBoard, kActionMask, kNumMines, kStepCount };

  struct Params {
    i32 rows, columns, mines;
    f32 empty_reward, mine_reward, invalid_reward;
    i32 cells;  // derived
  };
  // The numbers of the board follow, a byte each, and then a byte for each cell, 1 for a mine.
  struct State {
    i32 steps, explored;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("num_rows", 10, "rows of the board").between(2, kMostSide).sets(&Params::rows).changes_shapes();
    o.integer("num_cols", 10, "columns of the board").between(2, kMostSide).sets(&Params::columns).changes_shapes();
    o.integer("num_mines", 10, "mines").between(0, kMostSide * kMostSide - 1).sets(&Params::mines).changes_shapes();
    o.real("revealed_empty_square_reward", 1, "reward for a cell without a mine")
        .between(-1e6, 1e6)
        .sets(&Params::empty_reward);
    o.real("revealed_mine_reward", 0, "reward for a cell with a mine").between(-1e6, 1e6).sets(&Params::mine_reward);
    o.real("invalid_action_reward", 0, "reward for a cell that was explored before")
        .between(-1e6, 1e6)
        .sets(&Params::invalid_reward);
  }
  static void validate(const Params& p) {
    if (p.mines < p.cells) return;
    throw std::invalid_argument("num_mines: expected fewer than the " + std::to_string(p.cells) + " cells, got " +
                                std::to_string(p.mines));
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<i32>("board", {p.rows, p.columns})
        .bounds(kUnexplored, kNeighbors)
        .doc("-1 for an unexplored cell, otherwise the mines around it");
    s.obs<bool>("action_mask", {p.rows, p.columns}).doc("unexplored cells");
    s.obs<i32>("num_mines").categories(p.cells).doc("mines");
    s.obs<i32>("step_count").categories(p.cells - p.mines + 1).doc("steps of the episode");
    s.action<i32>("action", {2}).categories({i64{p.rows}, i64{p.columns}}).doc("row and column of the cell to explore");
    s.reward_low = min(min(p.empty_reward, p.mine_reward), p.invalid_reward);
    s.reward_high = max(max(p.empty_reward, p.mine_reward), p.invalid_reward);
    s.render_fps = 4;
    drawing::Board::set_size(s, p.rows, p.columns);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    constexpr i32 kInRow = 3;  // discs
    constexpr drawing::Color unexplored{150, 160, 176}, explored{246, 246, 246};
    drawing::Board draw(rgb, p.rows, p.columns, unexplored);
    for (i32 cell = 0; cell < p.cells; ++cell) {
      const i32 row = cell / p.columns, column = cell % p.columns, mines = board(s)[cell];
      if (mines == kUnexplored) continue;
      draw.fill(row, column, has_mine(s, p, cell) ? drawing::kAgent : explored);
      for (i32 i = 0; i < mines; ++i) {
        const drawing::Point at = draw.at(row + 0.22 + 0.28 * (i / kInRow), column + 0.22 + 0.28 * (i % kInRow));
        draw.canvas().disc(at.x, at.y, draw.side() / 10, drawing::kBlue);
      }
    }
  }
#endif

  ENVPOOL_FN static void derive(Params& p) { p.cells = p.rows * p.columns; }
  ENVPOOL_FN static i64 extra_bytes(const Params& p) { return 2 * i64{p.rows} * p.columns; }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {};
    // If most cells have mines, those without are drawn.
    const bool few = 2 * p.mines <= p.cells;
    const i32 count = few ? p.mines : p.cells - p.mines;
    for (i32 cell = 0; cell < p.cells; ++cell) {
      board(s)[cell] = kUnexplored;
      mines(s, p)[cell] = few ? 0 : 1;
    }
    BlockRng draws(rng);
    for (i32 i = 0; i < count;) {
      u8& mine = mines(s, p)[draws.below(u32(p.cells))];
      if (mine == u8(few)) continue;
      mine = u8(few);
      ++i;
    }
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32* const at = action.at<i32, 2>(0);
    const i32 row = at[0], column = at[1], cell = row * p.columns + column;
    const bool valid = board(s)[cell] == kUnexplored, mine = has_mine(s, p, cell);
    i32 around = -i32(mine);
    for (i32 y = max(row - 1, 0); y <= min(row + 1, p.rows - 1); ++y) {
      for (i32 x = max(column - 1, 0); x <= min(column + 1, p.columns - 1); ++x) {
        around += i32(has_mine(s, p, y * p.columns + x));
      }
    }
    board(s)[cell] = static_cast<i8>(around);
    s.explored += i32(valid);
    s.steps = min(s.steps + 1, p.cells - p.mines);
    return {.reward = !valid ? p.invalid_reward
                      : mine ? p.mine_reward
                             : p.empty_reward,
            .terminated = !valid || mine || s.explored == p.cells - p.mines};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    i32* const to = row.at<i32>(kBoard);
    bool* const mask = row.at<bool>(kActionMask);
    for (i32 cell = 0; cell < p.cells; ++cell) to[cell] = board(s)[cell];
    for (i32 cell = 0; cell < p.cells; ++cell) mask[cell] = board(s)[cell] < 0;
    *row.at<i32, 1>(kNumMines) = p.mines;
    *row.at<i32, 1>(kStepCount) = s.steps;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    keep_within(s.steps, 0, p.cells - p.mines);
    s.explored = 0;
    for (i32 cell = 0; cell < p.cells; ++cell) {
      keep_within(board(s)[cell], kUnexplored, static_cast<i8>(kNeighbors));
      s.explored += i32(board(s)[cell] >= 0);
      mines(s, p)[cell] &= 1;
    }
  }

 private:
  ENVPOOL_FN static i8* board(State& s) { return reinterpret_cast<i8*>(&s + 1); }
  ENVPOOL_FN static const i8* board(const State& s) { return reinterpret_cast<const i8*>(&s + 1); }
  ENVPOOL_FN static u8* mines(State& s, const Params& p) { return reinterpret_cast<u8*>(&s + 1) + p.cells; }
  ENVPOOL_FN static bool has_mine(const State& s, const Params& p, i32 cell) {
    return reinterpret_cast<const u8*>(&s + 1)[p.cells + cell] != 0;
  }
};

}  // namespace envpool::jumanji
