// SPDX-License-Identifier: Apache-2.0
//
// 2048: tiles slide over a board of 4 by 4 cells. Two equal tiles that meet become one of twice the number, and after
// each move a new tile appears.
//
//   Action       i32, slides the tiles to the left (0), up (1), to the right (2) or down (3)
//   Observation  bool[4][4][31]: channel n is set if the cell's tile is 2 to the power of n; channel 0 of an empty cell
//   Reward       the sum of the tiles that were made
//   Terminated   when no move is possible; an illegal move, with which no tile would slide, ends the game with a reward
//                of -1
//   Info         action_mask, the moves with which a tile slides; after the end, all; board, i32[4][4]: the powers of
//                the tiles, 0 for empty cells
//   Reset        two tiles are in random cells
//   Image        a color for each tile, and as many discs as its power
//
// A new tile is in any empty cell with equal probability, and is a 2 with probability 0.9, else a 4.
//
// Reference: pgx 2.6.0, 2048. An illegal move on a full board replaces the first tile, as in pgx.
#pragma once

#include "envpool/core/api.h"
#include "envpool/core/math/block_rng.h"
#include "envpool/pgx/bits.h"
#include "envpool/pgx/play2048_tiles.h"
#if ENVPOOL_HOST
#include "envpool/core/board.h"
#endif

namespace envpool::pgx {

struct Play2048 {
  static constexpr const char* kName = "Play2048";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kSide = tiles::kSide, kCells = tiles::kCells, kPowers = tiles::kPowers;
  static constexpr i32 kActions = tiles::kActions;
  enum Field { kObs, kActionMask, kBoard };

  struct Params {};
  struct State {
    tiles::Tiles tiles;
    u8 legal;  // a bit for each action
    bool over;
  };

#if ENVPOOL_HOST
  static void options(OptionSpecs&) {}
  static void spec(const Params&, Spec& s) {
    s.obs<bool>("obs", {kSide, kSide, kPowers}).doc("channel n: the tile is 2 to the power of n; channel 0: empty");
    s.info<bool>("action_mask", {kActions}).doc("moves with which a tile slides; all after the end");
    s.info<i32>("board", {kSide, kSide}).bounds(0, kPowers - 1).doc("the powers of the tiles, 0 for empty cells");
    s.action<i32>().categories(kActions).doc("0 slides left, 1 up, 2 right, 3 down");
    s.reward_low = -1;
    s.render_fps = 4;
    drawing::Board::set_size(s, kSide, kSide);
  }
  static void render(const State& s, const Params&, u8* rgb) {
    constexpr i32 kRow = 3;  // discs in a row
    drawing::Board board(rgb, kSide, kSide, drawing::kEmpty);
    for (i32 cell = 0; cell < kCells; ++cell) {
      const i32 row = cell / kSide, column = cell % kSide, power = i32(s.tiles.power(cell));
      if (power == 0) continue;
      board.fill(row, column,
                 {u8(240 - 6 * (power % 5)), u8(max(226 - 14 * power, 30)), u8(max(190 - 16 * power, 20))});
      for (i32 i = 0; i < min(power, kRow * 5); ++i) {
        const drawing::Point at = board.at(row + 0.14 + 0.18 * (i / kRow), column + 0.25 + 0.25 * (i % kRow));
        board.canvas().disc(at.x, at.y, board.side() / 16, drawing::kBlack);
      }
    }
  }
#endif

  ENVPOOL_FN static void reset(State& s, const Params&, Rng& rng) {
    s = {};
    add_tile(s, rng);
    add_tile(s, rng);
    s.legal = tiles::legal_actions(s.tiles);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params&, ActionRow row, Rng& rng) {
    const i32 action = *row.at<i32>(0);
    const bool legal = (s.legal >> action & 1) != 0;
    const u32 sum = tiles::slide(s.tiles, action);
    add_tile(s, rng);
    s.legal = tiles::legal_actions(s.tiles);
    s.over = !legal || s.legal == 0;
    return {.reward = legal ? f32(sum) : -1.0f, .terminated = s.over};
  }

  ENVPOOL_FN static void observe(const State& s, const Params&, Row row) {
    tiles::write_channels(s.tiles, row.at<bool, kCells * kPowers>(kObs));
    i32* const board = row.at<i32, kCells>(kBoard);
    const u8 legal = s.over ? u8{0xF} : s.legal;
#ifdef __CUDACC__
    const tiles::Tiles tiles = s.tiles;  // a copy, which the row cannot alias
    for (i32 cell = 0; cell < kCells; ++cell) board[cell] = i32(tiles.power(cell));
#else
    write_numbers<kCells>(board, Bytes16(Words2{s.tiles.half[0], s.tiles.half[1]}));
#endif
    write_set<kActions>(row.at<bool, kActions>(kActionMask), legal);
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    for (u64& half : s.tiles.half) {
      u64 kept = 0;
      for (i32 shift = 0; shift < 64; shift += 8) {
        const u64 power = half >> shift & 0xFF;
        kept |= (power < kPowers ? power : kPowers - 1) << shift;
      }
      half = kept;
    }
    s.legal = tiles::legal_actions(s.tiles);
    keep_bool(s.over);
  }

 private:
  ENVPOOL_FN static void add_tile(State& s, Rng& rng) {
    BlockRng draws(rng);
    const u32 count = tiles::count_empty(s.tiles), n = count > 0 ? draws.below(count) : 0;
    if (count == 0) s.tiles.half[0] &= ~u64{0xFF};
    tiles::put(s.tiles, n, is_two(draws, rng) ? 1 : 2);
  }
  // Returns whether uniform() < 0.9. The second word of its number hardly ever matters.
  ENVPOOL_FN static bool is_two(BlockRng& draws, Rng& rng) {
    constexpr u64 kEnd = 8106479329266893;  // 0.9 * 2^53
    const u32 first = draws.bits() >> 5;
    if (first == kEnd >> 26) return draws.bits() >> 6 < (kEnd & 0x3FFFFFF);
    ++rng.draws;
    return first < kEnd >> 26;
  }
};

}  // namespace envpool::pgx
