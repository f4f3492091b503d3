// SPDX-License-Identifier: Apache-2.0
//
// 2048: tiles slide over a board. Two equal tiles that meet become one of twice the number, and after each move a new
// tile appears.
//
//   Action       i32, slides the tiles up (0), to the right (1), down (2) or to the left (3)
//   Observation  board, i32[board_size][board_size]: the powers of two of the tiles, 0 for empty cells. action_mask,
//                bool[4]: the moves with which a tile slides
//   Reward       the sum of the tiles that were made
//   Terminated   when no move is possible
//   Info         highest_tile, i32: the largest tile
//   Reset        one tile is in a random cell
//   Image        a color for each tile, and as many discs as its power
//
// A new tile is in any empty cell with equal probability, and is a 2 with probability 0.9, else a 4. A move with which
// no tile slides changes nothing.
//
// Reference: jumanji 1.1.2, Game2048.
#pragma once

#include "envpool/core/api.h"
#include "envpool/jumanji/moves.h"
#if ENVPOOL_HOST
#include "envpool/core/board.h"
#endif

namespace envpool::jumanji {

struct Game2048 {
  static constexpr const char* kName = "Game2048";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kMostSide = 8, kUsualSide = 4, kMostPower = 30;
  enum Field { kBoard, kActionMask, kHighestTile };

  struct Params {
    i32 side;
  };
  struct State {
    u64 row[kMostSide];  // the powers of the tiles, a byte for each cell, of which the lowest is on the left; 0: empty
    i32 legal;           // a bit for each move
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) {
    o.integer("board_size", kUsualSide, "rows and columns of the board")
        .between(2, kMostSide)
        .sets(&Params::side)
        .changes_shapes();
  }
  static void spec(const Params& p, Spec& s) {
    s.obs<i32>("board", {p.side, p.side}).bounds(0, kMostPower).doc("the powers of the tiles, 0 for empty cells");
    s.obs<bool>("action_mask", {kMoves}).doc("moves with which a tile slides");
    s.info<i32>("highest_tile").bounds(0, kInfinity).doc("the largest tile");
    s.action<i32>().categories(kMoves).doc("0 slides up, 1 right, 2 down, 3 left");
    s.reward_low = 0;
    s.render_fps = 4;
    drawing::Board::set_size(s, p.side, p.side);
  }
  static void render(const State& s, const Params& p, u8* rgb) {
    constexpr i32 kInRow = 3;  // discs
    drawing::Board board(rgb, p.side, p.side, drawing::kEmpty);
    for (i32 row = 0; row < p.side; ++row) {
      for (i32 column = 0; column < p.side; ++column) {
        const i32 power = power_of(s, row, column);
        if (power == 0) continue;
        board.fill(row, column,
                   {u8(240 - 6 * (power % 5)), u8(max(226 - 14 * power, 30)), u8(max(190 - 16 * power, 20))});
        for (i32 i = 0; i < min(power, kInRow * 5); ++i) {
          const drawing::Point at = board.at(row + 0.14 + 0.18 * (i / kInRow), column + 0.25 + 0.25 * (i % kInRow));
          board.canvas().disc(at.x, at.y, board.side() / 16, drawing::kBlack);
        }
      }
    }
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    s = {};
    add_tile(s, p.side, rng);
    s.legal = legal_moves(s, p.side);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    const i32 move = *action.at<i32>(0);
#ifndef __CUDACC__
    if (p.side == kUsualSide) return play(s, kUsualSide, move, rng);  // faster, because loops are unrolled
#endif
    return play(s, p.side, move, rng);
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    i32* const board = row.at<i32>(kBoard);
    i32 highest = 0;
    for (i32 i = 0; i < p.side; ++i) {
      for (i32 k = 0; k < p.side; ++k) {
        board[i * p.side + k] = power_of(s, i, k);
        highest = max(highest, power_of(s, i, k));
      }
    }
    bool* const mask = row.at<bool>(kActionMask);
    for (i32 move = 0; move < kMoves; ++move) mask[move] = (s.legal >> move & 1) != 0;
    *row.at<i32>(kHighestTile) = i32(1u << highest);
  }

  ENVPOOL_FN static void repair(State& s, const Params& p) {
    for (i32 i = 0; i < kMostSide; ++i) {
      u64 kept = 0;
      for (i32 k = 0; k < p.side; ++k) kept |= u64(min(power_of(s, i, k), kMostPower)) << 8 * k;
      s.row[i] = i < p.side ? kept : 0;
    }
    s.legal = legal_moves(s, p.side);
  }

 private:
  static constexpr u64 kOnes = 0x0101010101010101;

  ENVPOOL_FN static i32 power_of(const State& s, i32 row, i32 column) { return i32(s.row[row] >> 8 * column & 0xFF); }

  ENVPOOL_ALWAYS_INLINE static Outcome play(State& s, i32 side, i32 move, Rng& rng) {
    if ((s.legal >> move & 1) == 0) return {.terminated = s.legal == 0};
    const i64 sum = slide(s, side, move);
    add_tile(s, side, rng);
    s.legal = legal_moves(s, side);
    return {.reward = f32(sum), .terminated = s.legal == 0};
  }

  // Returns the highest bit of each byte that is not 0. Bytes are less than 128.
  ENVPOOL_FN static u64 filled(u64 cells) { return (cells + 0x7F * kOnes) & 0x80 * kOnes; }

  // Returns whether tiles slide from `next` to `cells` (bit 0) and from `cells` to `next` (bit 1).
  ENVPOOL_FN static i32 slides(u64 cells, u64 next) {
    const u64 here = filled(cells), there = filled(next), different = filled(cells ^ next);
    return i32((there & ~(here & different)) != 0) | i32((here & ~(there & different)) != 0) << 1;
  }
  ENVPOOL_ALWAYS_INLINE static i32 legal_moves(const State& s, i32 side) {
    const u64 all_but_last = (u64{1} << 8 * (side - 1)) - 1;
    i32 across = 0, along = 0;
    for (i32 i = 0; i < side; ++i) {
      across |= slides(s.row[i] & all_but_last, s.row[i] >> 8);
      if (i + 1 < side) along |= slides(s.row[i], s.row[i + 1]);
    }
    return (along & 1) | (across & 2) | (along & 2) << 1 | (across & 1) << 3;
  }

  // Moves the tiles of a line to its first cells. There are no branches, which would be mispredicted.
  ENVPOOL_ALWAYS_INLINE static u64 packed(u64 line, i32 side) {
    u64 found = 0;
    i32 shift = 0;
    for (i32 k = 0; k < side; ++k, line >>= 8) {
      found |= (line & 0xFF) << shift;
      shift += (line & 0xFF) != 0 ? 8 : 0;
    }
    return found;
  }
  // Slides a line to its first cell. Adds the tiles that are made to `sum`.
  ENVPOOL_ALWAYS_INLINE static u64 slid(u64 line, i32 side, i64& sum) {
    line = packed(line, side);
    for (i32 shift = 0; shift < 8 * (side - 1); shift += 8) {
      const u64 tile = line >> shift & 0xFF, next = line >> (shift + 8) & 0xFF;
      const u64 merges = u64{tile != 0 && tile == next}, made = min(tile + merges, u64{kMostPower});
      sum += i64(merges << made);
      line = (line & ~(u64{0xFF} << shift) & ~((0 - merges) & u64{0xFF} << (shift + 8))) | made << shift;
    }
    return packed(line, side);
  }
  ENVPOOL_ALWAYS_INLINE static u64 reversed(u64 line, i32 side) {
    u64 other = 0;
    for (i32 k = 0; k < side; ++k, line >>= 8) other = other << 8 | (line & 0xFF);
    return other;
  }
  ENVPOOL_ALWAYS_INLINE static void transpose(State& s, i32 side) {
    State other{};
    for (i32 i = 0; i < side; ++i) {
      for (i32 k = 0; k < side; ++k) other.row[k] |= (s.row[i] >> 8 * k & 0xFF) << 8 * i;
    }
    for (i32 i = 0; i < side; ++i) s.row[i] = other.row[i];
  }
  // Slides all tiles. Returns the sum of the tiles that are made.
  ENVPOOL_ALWAYS_INLINE static i64 slide(State& s, i32 side, i32 move) {
    const bool along = move % 2 == 0, back = move == 1 || move == 2;  // columns; towards the last cell
    i64 sum = 0;
    if (along) transpose(s, side);
    for (i32 i = 0; i < side; ++i) {
      const u64 line = back ? reversed(s.row[i], side) : s.row[i], after = slid(line, side, sum);
      s.row[i] = back ? reversed(after, side) : after;
    }
    if (along) transpose(s, side);
    return sum;
  }

  ENVPOOL_ALWAYS_INLINE static void add_tile(State& s, i32 side, Rng& rng) {
    i32 empty = 0;
    for (i32 i = 0; i < side; ++i) {
      for (i32 k = 0; k < side; ++k) empty += i32(power_of(s, i, k) == 0);
    }
    if (empty == 0) return;  // only in a restored state
    i32 left = i32(rng.below(u32(empty)));
    const u64 tile = rng.uniform() < 0.9 ? 1 : 2;
    for (i32 i = 0; i < side; ++i) {
      for (i32 k = 0; k < side; ++k) {
        const bool is_empty = power_of(s, i, k) == 0;
        s.row[i] |= is_empty && left == 0 ? tile << 8 * k : 0;
        left -= i32(is_empty);
      }
    }
  }
};

}  // namespace envpool::jumanji
