// SPDX-License-Identifier: Apache-2.0
//
// Snake: a snake grows with each fruit that it eats, and must neither leave the grid nor bite itself.
//
//   Action       i32, moves the head up (0), to the right (1), down (2) or to the left (3)
//   Observation  grid, f32[num_rows][num_cols][5]: in the channels 0 to 3, a 1 for each cell of the body, for the head,
//                for the tail and for the fruit; channel 4 is the place of a cell in the body, from 1 at the head down
//                to almost 0. step_count, i32: the steps of the episode. action_mask, bool[4]: moves that do not end
//                the game
//   Reward       1 for a fruit
//   Terminated   when the head leaves the grid or meets the body, when the snake fills the grid, and after time_limit
//                steps
//   Reset        a snake of one cell and the fruit are in two random cells
//   Image        the body in blue, the head in red, the fruit in yellow
//
// A new fruit is in any cell without the snake, with equal probability.
//
// Reference: jumanji 1.1.2, Snake. If the head leaves the grid, the last observation is as JAX indexes arrays: the head
// is in the opposite row or column above and on the left, and in no cell below and on the right.
#pragma once

#include "envpool/core/api.h"
#include "envpool/jumanji/moves.h"
#if ENVPOOL_HOST
#include "envpool/core/board.h"
#endif

namespace envpool::jumanji {

struct Snake {
  static constexpr const char* kName = "Snake";
  static constexpr bool kLargeRows = true, kLongSteps = true;
  static constexpr i32 kMostSide = 32, kChannels = 5;
  enum Field { kGrid, kStepCount, kActionMask };

  struct Params {
    i32 rows, columns, time_limit;
    i32 cells;  // derived
  };
  // The cells of the body follow, in a ring of 16 bits each, and then a byte for each cell of the grid, 1 for the body.
  struct State {
    i32 row, column;  // of the head; it may be next to the grid
    i32 fruit;        // its cell
    i32 tail, size;   // the place of the tail in the ring, and the cells in it; a head next to the grid is not in it
    i32 steps;
    i32 legal;  // a bit for each move
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("num_rows", 12, "rows of the grid").between(2, kMostSide).sets(&Params::rows).changes_shapes();
    o.integer("num_cols", 12, "columns of the grid").between(2, kMostSide).sets(&Params::columns).changes_shapes();
    o.integer("time_limit", 4000, "steps of an episode").between(1, 1e6).sets(&Params::time_limit).changes_shapes();
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<f32>("grid", {p.rows, p.columns, kChannels})
        .bounds(0, 1)
        .doc("body, head, tail, fruit and place in the body");
    s.obs<i32>("step_count").categories(p.time_limit + 1).doc("steps of the episode");
    s.obs<bool>("action_mask", {kMoves}).doc("moves that do not end the game");
    s.action<i32>().categories(kMoves).doc("0 moves up, 1 right, 2 down, 3 left");
    s.reward_low = 0;
    s.reward_high = 1;
    s.render_fps = 8;
    drawing::Board::set_size(s, p.rows, p.columns);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    drawing::Board board(rgb, p.rows, p.columns, drawing::kEmpty);
    board.disc(s.fruit / p.columns, s.fruit % p.columns, 0.36, drawing::kGoal);
    for (i32 i = 0; i < s.size; ++i) {
      const i32 cell = body(s, p)[place(s, p, i)];
      board.fill(cell / p.columns, cell % p.columns, drawing::kBlue);
    }
    board.fill(s.row, s.column, drawing::kAgent);
  }
#endif

  ENVPOOL_FN static void derive(Params& p) { p.cells = p.rows * p.columns; }
  ENVPOOL_FN static i64 extra_bytes(const Params& p) { return i64{p.rows} * p.columns * i64(sizeof(u16) + sizeof(u8)); }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    const i32 head = i32(rng.below(u32(p.cells))), fruit = i32(rng.below(u32(p.cells - 1)));
    s = {};
    s.row = head / p.columns, s.column = head % p.columns;
    s.fruit = fruit + i32(fruit >= head);
    s.size = 1;
    u8* const taken = occupied(s, p);
    for (i32 cell = 0; cell < p.cells; ++cell) {
      taken[cell] = 0;
      body(s, p)[cell] = 0;
    }
    body(s, p)[0] = static_cast<u16>(head);
    taken[head] = 1;
    s.legal = legal_moves(s, p);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    const i32 move = *action.at<i32>(0);
    const bool legal = (s.legal >> move & 1) != 0;
    s.row = clamp(s.row + rows_of(move), -1, p.rows), s.column = clamp(s.column + columns_of(move), -1, p.columns);
    const i32 head = head_cell(s, p);
    const bool eats = head == s.fruit && u32(s.row) < u32(p.rows) && u32(s.column) < u32(p.columns);
    u8* const taken = occupied(s, p);
    if (!eats && s.size > 0) {
      taken[body(s, p)[s.tail]] = 0;
      s.tail = s.tail + 1 == p.cells ? 0 : s.tail + 1;
      --s.size;
    }
    if (head >= 0) {
      body(s, p)[place(s, p, s.size)] = static_cast<u16>(head);
      s.size = min(s.size + 1, p.cells);
      taken[head] = 1;
    }
    const bool full = s.size == p.cells;
    if (eats) s.fruit = full ? 0 : free_cell(s, p, i32(rng.below(u32(p.cells - s.size))));
    s.legal = legal_moves(s, p);
    s.steps = min(s.steps + 1, p.time_limit);
    return {.reward = one_if(eats), .terminated = !legal || full || s.steps >= p.time_limit};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    f32* const grid = row.at<f32>(kGrid);
    for (i32 i = 0; i < p.cells * kChannels; ++i) grid[i] = 0;
    observe_cleared(s, p, row);
  }
  ENVPOOL_FN static void observe_cleared(const State& s, const Params& p, Row row) {
    f32* const grid = row.at<f32>(kGrid);
    const i32 head = head_cell(s, p);
    // XLA divides by a number by multiplying with its reciprocal, whose rounding Jumanji's numbers have.
    const f32 each = 1.0f / f32(max(s.size, 1));
    for (i32 i = 0, at = s.tail; i < s.size; ++i, at = at + 1 == p.cells ? 0 : at + 1) {
      f32* const cell = grid + body(s, p)[at] * kChannels;
      cell[0] = 1;
      cell[4] = f32(i + 1) * each;
    }
    if (head >= 0) grid[head * kChannels + 1] = 1;
    const i32 tail = tail_cell(s, p, head);
    if (tail >= 0) grid[tail * kChannels + 2] = 1;
    grid[s.fruit * kChannels + 3] = 1;
    *row.at<i32>(kStepCount) = s.steps;
    bool* const mask = row.at<bool>(kActionMask);
    for (i32 move = 0; move < kMoves; ++move) mask[move] = (s.legal >> move & 1) != 0;
  }

  ENVPOOL_HOST_CALL static void repair(State& s, const Params& p) {
    keep_within(s.row, -1, p.rows);
    keep_within(s.column, -1, p.columns);
    keep_within(s.fruit, 0, p.cells - 1);
    keep_within(s.tail, 0, p.cells - 1);
    keep_within(s.size, 0, p.cells);
    keep_within(s.steps, 0, p.time_limit);
    s.legal &= (1 << kMoves) - 1;
    for (i32 i = 0; i < p.cells; ++i) {
      u16& cell = body(s, p)[i];
      cell = cell < p.cells ? cell : u16{0};
      occupied(s, p)[i] &= 1;
    }
  }

 private:
  ENVPOOL_FN static u16* body(State& s, const Params&) { return reinterpret_cast<u16*>(&s + 1); }
  ENVPOOL_FN static const u16* body(const State& s, const Params&) { return reinterpret_cast<const u16*>(&s + 1); }
  ENVPOOL_FN static u8* occupied(State& s, const Params& p) { return reinterpret_cast<u8*>(body(s, p) + p.cells); }
  ENVPOOL_FN static const u8* occupied(const State& s, const Params& p) {
    return reinterpret_cast<const u8*>(body(s, p) + p.cells);
  }
  // Returns the place in the ring of the cell with this number, counted from the tail.
  ENVPOOL_FN static i32 place(const State& s, const Params& p, i32 number) {
    const i32 at = s.tail + number;
    return at >= p.cells ? at - p.cells : at;
  }
  // Returns the cell that an observation shows as the head's; -1: none.
  ENVPOOL_FN static i32 head_cell(const State& s, const Params& p) {
    const i32 row = s.row < 0 ? p.rows - 1 : s.row, column = s.column < 0 ? p.columns - 1 : s.column;
    return row < p.rows && column < p.columns ? row * p.columns + column : -1;
  }
  // Returns the cell of the tail; -1: none, because the head is there.
  ENVPOOL_FN static i32 tail_cell(const State& s, const Params& p, i32 head) {
    const i32 tail = body(s, p)[s.tail];
    return s.size == 0 || (s.size > 1 && tail == head) ? -1 : tail;
  }
  // The tail moves away, so the head may move to its cell.
  ENVPOOL_FN static i32 legal_moves(const State& s, const Params& p) {
    const i32 tail = tail_cell(s, p, head_cell(s, p));
    i32 legal = 0;
    for (i32 move = 0; move < kMoves; ++move) {
      const i32 row = s.row + rows_of(move), column = s.column + columns_of(move);
      if (u32(row) >= u32(p.rows) || u32(column) >= u32(p.columns)) continue;
      const i32 cell = row * p.columns + column;
      legal |= i32(occupied(s, p)[cell] == 0 || cell == tail) << move;
    }
    return legal;
  }
  // Returns the cell without the snake that has this number among them.
  ENVPOOL_FN static i32 free_cell(const State& s, const Params& p, i32 number) {
    const u8* const taken = occupied(s, p);
    for (i32 cell = 0; cell < p.cells; ++cell) {
      number -= i32(taken[cell] == 0);
      if (number < 0) return cell;
    }
    return 0;
  }
};

}  // namespace envpool::jumanji
