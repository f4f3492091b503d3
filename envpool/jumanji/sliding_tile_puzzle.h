// SPDX-License-Identifier: Apache-2.0
//
// The sliding tile puzzle: numbered tiles are brought into order by moving them to the empty cell.
//
//   Action       i32, moves the empty cell up (0), to the right (1), down (2) or to the left (3)
//   Observation  puzzle, i32[grid_size][grid_size]: the numbers of the tiles, 0 for the empty cell.
//                empty_tile_position, i32[2]: its row and column. action_mask, bool[4]: moves that stay on the grid.
//                step_count, i32: the steps of the episode
//   Reward       by how many more cells have the right content after the move; with reward_fn="sparse", 1 when the
//                puzzle is solved. A move that would leave the grid changes nothing
//   Terminated   when the tiles are in order and the empty cell is the last one, and after time_limit steps
//   Info         prop_correctly_placed, f32: the fraction of cells with the right content
//   Reset        num_random_moves random moves from the order, each with equal probability among those that stay on
//                the grid
//   Image        tiles in place are green, others blue, the lighter the later their place
//
// Reference: jumanji 1.1.2, SlidingTilePuzzle.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/block_rng.h"
#include "envpool/jumanji/moves.h"
#if ENVPOOL_HOST
#include "envpool/core/board.h"
#endif

namespace envpool::jumanji {

struct SlidingTilePuzzle {
  static constexpr const char* kName = "SlidingTilePuzzle";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kMostSide = 16;
  enum Field { kPuzzle, kEmptyTilePosition, kActionMask, kStepCount, kPropCorrectlyPlaced };
  enum Reward : i32 { kDense, kSparse };

  struct Params {
    i32 side, random_moves, time_limit;
    Reward reward;
    // Derived:
    i32 cells;
    f32 part;  // of one cell; XLA divides by a constant by multiplying with its reciprocal, as we do
  };
  struct State {      // the number of each cell follows, a byte each
    i32 row, column;  // of the empty cell
    i32 correct;      // cells with the right content
    i32 steps;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("grid_size", 5, "rows and columns").between(2, kMostSide).sets(&Params::side).changes_shapes();
    o.integer("num_random_moves", 200, "moves from the order at a reset")
        .between(0, 100000)
        .sets(&Params::random_moves);
    o.integer("time_limit", 500, "steps of an episode").between(1, 1e6).sets(&Params::time_limit).changes_shapes();
    o.text("reward_fn", "dense", "whether cells with the right content or only the end are rewarded")
        .one_of({"dense", "sparse"})
        .sets(&Params::reward);
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<i32>("puzzle", {p.side, p.side}).bounds(0, p.cells - 1).doc("numbers of the tiles, 0 for the empty cell");
    s.obs<i32>("empty_tile_position", {2}).bounds(0, p.side - 1).doc("row and column of the empty cell");
    s.obs<bool>("action_mask", {kMoves}).doc("moves that stay on the grid");
    s.obs<i32>("step_count").categories(p.time_limit + 1).doc("steps of the episode");
    s.info<f32>("prop_correctly_placed").bounds(0, 1).doc("fraction of cells with the right content");
    s.action<i32>().categories(kMoves).doc("moves the empty cell: 0 up, 1 right, 2 down, 3 left");
    s.reward_low = p.reward == kSparse ? 0 : -2;
    s.reward_high = p.reward == kSparse ? 1 : 2;
    s.render_fps = 4;
    drawing::Board::set_size(s, p.side, p.side);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    drawing::Board board(rgb, p.side, p.side, drawing::kEmpty);
    for (i32 cell = 0; cell < p.cells; ++cell) {
      const i32 tile = tiles(s)[cell], light = 150 * tile / p.cells;
      if (tile == 0) continue;
      const drawing::Color placed{u8(40 + light / 2), u8(120 + light / 2), u8(60 + light / 2)};
      const drawing::Color other{u8(30 + light), u8(60 + light), 200};
      board.fill(cell / p.side, cell % p.side, tile == right(p, cell) ? placed : other);
    }
  }
#endif

  ENVPOOL_FN static void derive(Params& p) {
    p.cells = p.side * p.side;
    p.part = 1.0f / f32(p.cells);
  }
  ENVPOOL_FN static i64 extra_bytes(const Params& p) { return i64{p.side} * p.side; }

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {};
    s.row = s.column = p.side - 1;
    s.correct = p.cells;
    for (i32 cell = 0; cell < p.cells; ++cell) tiles(s)[cell] = static_cast<u8>(right(p, cell));
    BlockRng draws(rng);
    for (i32 i = 0; i < p.random_moves; ++i) {
      const i32 legal = legal_moves(s, p);
      i32 left = i32(draws.below(u32((legal & 1) + (legal >> 1 & 1) + (legal >> 2 & 1) + (legal >> 3)))), move = 0;
      for (; move + 1 < kMoves; ++move) {
        left -= legal >> move & 1;
        if (left < 0) break;
      }
      move_empty(s, p, move);
    }
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng&) {
    const i32 move = *action.at<i32>(0), before = s.correct;
    if ((legal_moves(s, p) >> move & 1) != 0) move_empty(s, p, move);
    s.steps = min(s.steps + 1, p.time_limit);
    const bool solved = s.correct == p.cells;
    return {.reward = p.reward == kSparse ? one_if(solved) : f32(s.correct - before),
            .terminated = solved || s.steps >= p.time_limit};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    i32* const puzzle = row.at<i32>(kPuzzle);
    for (i32 cell = 0; cell < p.cells; ++cell) puzzle[cell] = tiles(s)[cell];
    i32* const at = row.at<i32, 2>(kEmptyTilePosition);
    at[0] = s.row, at[1] = s.column;
    const i32 legal = legal_moves(s, p);
    bool* const mask = row.at<bool, kMoves>(kActionMask);
    for (i32 move = 0; move < kMoves; ++move) mask[move] = (legal >> move & 1) != 0;
    *row.at<i32, 1>(kStepCount) = s.steps;
    *row.at<f32, 1>(kPropCorrectlyPlaced) = f32(s.correct) * p.part;
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    keep_within(s.row, 0, p.side - 1);
    keep_within(s.column, 0, p.side - 1);
    keep_within(s.steps, 0, p.time_limit);
    s.correct = 0;
    for (i32 cell = 0; cell < p.cells; ++cell) {
      u8& tile = tiles(s)[cell];
      tile = tile < p.cells ? tile : u8{0};
      s.correct += i32(tile == right(p, cell));
    }
  }

 private:
  ENVPOOL_FN static u8* tiles(State& s) { return reinterpret_cast<u8*>(&s + 1); }
  ENVPOOL_FN static const u8* tiles(const State& s) { return reinterpret_cast<const u8*>(&s + 1); }
  // Returns the right content of a cell.
  ENVPOOL_FN static i32 right(const Params& p, i32 cell) { return cell + 1 == p.cells ? 0 : cell + 1; }
  ENVPOOL_FN static i32 legal_moves(const State& s, const Params& p) {
    return i32(s.row > 0) | i32(s.column + 1 < p.side) << 1 | i32(s.row + 1 < p.side) << 2 | i32(s.column > 0) << 3;
  }
  // Exchanges the empty cell with a neighbor.
  ENVPOOL_FN static void move_empty(State& s, const Params& p, i32 move) {
    const i32 from = s.row * p.side + s.column;
    s.row += rows_of(move), s.column += columns_of(move);
    const i32 to = s.row * p.side + s.column, tile = tiles(s)[to];
    s.correct += i32(tile == right(p, from)) - i32(tile == right(p, to)) + i32(to + 1 == p.cells) -
                 i32(tiles(s)[from] == right(p, from));
    tiles(s)[from] = static_cast<u8>(tile);
    tiles(s)[to] = 0;
  }
};

}  // namespace envpool::jumanji
