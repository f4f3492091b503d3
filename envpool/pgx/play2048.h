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
#if ENVPOOL_HOST
#include "envpool/core/board.h"
#endif

namespace envpool::pgx {

struct Play2048 {
  static constexpr const char* kName = "Play2048";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kSide = 4, kCells = kSide * kSide, kPowers = 31, kActions = 4;
  enum Field { kObs, kActionMask, kBoard };

  struct Params {};
  struct State {
    u64 powers[2];  // the upper and the lower half of the board, a byte for each cell; 0: empty
    u8 legal;       // a bit for each action
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
      const i32 row = cell / kSide, column = cell % kSide, power = i32(power_of(s, cell));
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
    s.legal = legal_actions(s);
  }

  ENVPOOL_FN static Outcome step(State& s, const Params&, ActionRow row, Rng& rng) {
    const i32 action = *row.at<i32>(0);
    const bool legal = (s.legal >> action & 1) != 0;
    const u32 sum = slide(s, action);
    add_tile(s, rng);
    s.legal = legal_actions(s);
    s.over = !legal || s.legal == 0;
    return {.reward = legal ? f32(sum) : -1.0f, .terminated = s.over};
  }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    bool* const obs = row.at<bool, kCells * kPowers>(kObs);
    for (i32 i = 0; i < kCells * kPowers; ++i) obs[i] = false;
    observe_cleared(s, p, row);
  }
  ENVPOOL_FN static void observe_cleared(const State& s, const Params&, Row row) {
    bool* const obs = row.at<bool, kCells * kPowers>(kObs);
    i32* const board = row.at<i32, kCells>(kBoard);
    const u64 powers[] = {s.powers[0], s.powers[1]};  // copies, which the row cannot alias
    for (i32 cell = 0; cell < kCells; ++cell) {
      const u32 power = u32(powers[cell >> 3] >> 8 * (cell & 7)) & 0xFF;
      obs[cell * kPowers + power] = true;
#ifdef __CUDACC__
      board[cell] = i32(power);
#endif
    }
#ifndef __CUDACC__
    write_numbers<kCells>(board, board_of(s));
#endif
    bool* const mask = row.at<bool, kActions>(kActionMask);
    for (i32 action = 0; action < kActions; ++action) mask[action] = s.over || (s.legal >> action & 1) != 0;
  }

  ENVPOOL_FN static void repair(State& s, const Params&) {
    for (u64& half : s.powers) {
      u64 kept = 0;
      for (i32 shift = 0; shift < 64; shift += 8) {
        const u64 power = half >> shift & 0xFF;
        kept |= (power < kPowers ? power : kPowers - 1) << shift;
      }
      half = kept;
    }
    s.legal = legal_actions(s);
    keep_bool(s.over);
  }

 private:
  ENVPOOL_FN static u32 power_of(const State& s, i32 cell) { return u32(s.powers[cell >> 3] >> 8 * (cell & 7)) & 0xFF; }

  // Returns a row, or with kColumn a column, whose first cell is the lowest byte.
  template <bool kColumn>
  ENVPOOL_FN static u32 line_of(const State& s, i32 line) {
    if constexpr (!kColumn) return u32(s.powers[line >> 1] >> 32 * (line & 1));
    const u32 shift = 8 * u32(line);
    return (u32(s.powers[0]) >> shift & 0xFF) | (u32(s.powers[0] >> 32) >> shift & 0xFF) << 8 |
           (u32(s.powers[1]) >> shift & 0xFF) << 16 | (u32(s.powers[1] >> 32) >> shift & 0xFF) << 24;
  }

#ifdef __CUDACC__
  // Returns the highest bit of each byte that is not 0. Bytes are less than 128.
  ENVPOOL_FN static u64 filled(u64 cells) { return (cells + 0x7F7F7F7F7F7F7F7F) & 0x8080808080808080; }

  // Returns whether tiles of two lines slide towards the first cells (bit 0) and towards the last ones (bit 1).
  ENVPOOL_FN static u32 slides(u64 lines) {
    constexpr u64 kAllButLast = 0x00FFFFFF00FFFFFF;
    const u64 cells = lines & kAllButLast, next = lines >> 8 & kAllButLast;
    const u64 here = filled(cells), there = filled(next), different = filled(cells ^ next);
    return u32((there & ~(here & different)) != 0) | u32((here & ~(there & different)) != 0) << 1;
  }
  ENVPOOL_FN static u8 legal_actions(const State& s) {
    const u64 left = line_of<true>(s, 0) | u64{line_of<true>(s, 1)} << 32;
    const u64 right = line_of<true>(s, 2) | u64{line_of<true>(s, 3)} << 32;
    const u32 rows = slides(s.powers[0]) | slides(s.powers[1]), columns = slides(left) | slides(right);
    return u8((rows & 1) | (columns & 1) << 1 | (rows & 2) << 1 | (columns & 2) << 2);
  }

  // Moves the tiles of a line to its first cells. There are no branches, which would be mispredicted.
  ENVPOOL_FN static u32 packed(u32 line) {
    u64 found = 0;
    u32 shift = 0;
    for (i32 k = 0; k < kSide; ++k, line >>= 8) {
      found |= u64{line & 0xFF} << shift;
      shift += (line & 0xFF) != 0 ? 8 : 0;
    }
    return u32(found);
  }
  // Slides a line to its first cell. Adds the tiles that are made to `sum`.
  ENVPOOL_FN static u32 slid(u32 line, u32& sum) {
    line = packed(line);
    for (i32 shift = 0; shift + 8 < 8 * kSide; shift += 8) {
      const u32 tile = line >> shift & 0xFF, next = line >> (shift + 8) & 0xFF;
      const u32 merges = u32(tile != 0) & u32(tile == next), made = min(tile + merges, u32{kPowers - 1});
      sum += merges << made;
      line = (line & ~(0xFFu << shift) & ~((0u - merges) & 0xFFu << (shift + 8))) | made << shift;
    }
    return packed(line);
  }
  ENVPOOL_FN static u32 reversed(u32 line) {
    return line >> 24 | (line >> 8 & 0xFF00) | (line << 8 & 0xFF0000) | line << 24;
  }
  // Slides all tiles. Returns the sum of the tiles that are made.
  ENVPOOL_FN static u32 slide(State& s, i32 action) {
    State lines{};  // the lines along which the tiles slide
    u32 sum = 0;
    for (i32 line = 0; line < kSide; ++line) {
      u32 tiles = action % 2 == 0 ? line_of<false>(s, line) : line_of<true>(s, line);
      tiles = slid(action < 2 ? tiles : reversed(tiles), sum);
      tiles = action < 2 ? tiles : reversed(tiles);
      lines.powers[line >> 1] |= u64{tiles} << 32 * (line & 1);
    }
    if (action % 2 != 0) {  // they are columns
      const State columns = lines;
      for (i32 half = 0; half < 2; ++half) {
        lines.powers[half] = line_of<true>(columns, 2 * half) | u64{line_of<true>(columns, 2 * half + 1)} << 32;
      }
    }
    s.powers[0] = lines.powers[0];
    s.powers[1] = lines.powers[1];
    return sum;
  }

#else
  ENVPOOL_ALWAYS_INLINE static Bytes16 board_of(const State& s) {
    return Bytes16(
        Words2{s.powers[0], s.powers[1]});  // as they are written: a CPU cannot forward stores to wider loads
  }
  ENVPOOL_ALWAYS_INLINE static bool any(Bytes16 bytes) { return (Words2(bytes)[0] | Words2(bytes)[1]) != 0; }
  // Returns the rows with these numbers.
  template <i32... kRows>
  ENVPOOL_ALWAYS_INLINE static Bytes16 rows_at(Bytes16 board) {
    return Bytes16(shuffled<kRows...>(FourNumbers(board), FourNumbers(board)));
  }
  // Exchanges rows and columns.
  ENVPOOL_ALWAYS_INLINE static Bytes16 transposed(Bytes16 board) {
    for (i32 i = 0; i < 2; ++i) board = lower_of(board, rows_at<2, 3, 2, 3>(board));
    return board;
  }
  // Returns whether tiles of some row slide towards the first cells (bit 0) and towards the last ones (bit 1).
  ENVPOOL_ALWAYS_INLINE static u32 slides(Bytes16 rows) {
    const Words2 kAllButLast = Words2{} + 0x00FFFFFF00FFFFFF;
    const Bytes16 cells = Bytes16(Words2(rows) & kAllButLast), next = Bytes16(Words2(rows) >> 8 & kAllButLast);
    const Bytes16 free = Bytes16(cells == 0), none = Bytes16(next == 0), same = Bytes16(cells == next);
    return u32(any(~none & (free | same))) | u32(any(~free & (none | same))) << 1;
  }
  ENVPOOL_ALWAYS_INLINE static u8 legal_actions(const State& s) {
    const Bytes16 board = board_of(s);
    const u32 rows = slides(board), columns = slides(transposed(board));
    return u8((rows & 1) | (columns & 1) << 1 | (rows & 2) << 1 | (columns & 2) << 2);
  }

  // Moves the tiles of `next` into the empty cells of `cells`.
  ENVPOOL_ALWAYS_INLINE static void close_up(Bytes16& cells, Bytes16& next) {
    const Bytes16 free = Bytes16(cells == 0);
    cells |= next & free;
    next &= ~free;
  }
  // Merges tiles of `next` into equal ones of `cells`. Returns the sums of the tiles that are made, by line.
  ENVPOOL_ALWAYS_INLINE static FourWords merge(Bytes16& cells, Bytes16& next) {
    const Bytes16 merges = Bytes16(cells == next) & ~Bytes16(cells == 0);
    const Bytes16 made = cells - merges, most = Bytes16{} + u8(kPowers - 1);
    const Bytes16 capped = Bytes16(made < most);
    cells = (made & capped) | (most & ~capped);
    next &= ~merges;
    // A float with this exponent is the tile.
    typedef f32 FourTiles __attribute__((vector_size(16)));
    const Bytes16 none{};
    const Bytes16 powers = lower_pairs_of(lower_of(cells & merges, none), none);
    const FourNumbers exponents = (FourNumbers(powers) + 127) << 23;
    return FourWords(__builtin_convertvector(FourTiles(exponents), FourNumbers) & (FourNumbers(powers) != 0));
  }
  // Slides all tiles. Returns the sum of the tiles that are made.
  ENVPOOL_ALWAYS_INLINE static u32 slide(State& s, i32 action) {
    const Bytes16 board = board_of(s);
    const u8 is_column = u8(0 - action % 2), is_backward = u8(0 - i32(action >= 2));
    const Bytes16 columns = Bytes16{} + is_column, backward = Bytes16{} + is_backward;
    // The first cells of all lines along which tiles slide are in the first four bytes, and so on.
    const Bytes16 lines = (board & columns) | (transposed(board) & ~columns);
    const Bytes16 ordered = (rows_at<3, 2, 1, 0>(lines) & backward) | (lines & ~backward);
    Bytes16 cells[kSide] = {ordered, rows_at<1, 1, 1, 1>(ordered), rows_at<2, 2, 2, 2>(ordered),
                            rows_at<3, 3, 3, 3>(ordered)};
    for (i32 i = kSide - 1; i > 0; --i) {
      for (i32 k = 0; k < i; ++k) close_up(cells[k], cells[k + 1]);
    }
    FourWords sums{};
    for (i32 k = 0; k + 1 < kSide; ++k) sums += merge(cells[k], cells[k + 1]);
    for (i32 i = kSide - 1; i > 1; --i) {
      for (i32 k = 1; k < i; ++k) close_up(cells[k], cells[k + 1]);
    }
    const Bytes16 slid = Bytes16(FourNumbers{FourNumbers(cells[0])[0], FourNumbers(cells[1])[0],
                                             FourNumbers(cells[2])[0], FourNumbers(cells[3])[0]});
    const Bytes16 there = (rows_at<3, 2, 1, 0>(slid) & backward) | (slid & ~backward);
    const Bytes16 result = (there & columns) | (transposed(there) & ~columns);
    __builtin_memcpy(s.powers, &result, sizeof(result));
    return sums[0] + sums[1] + sums[2] + sums[3];
  }
#endif

  ENVPOOL_FN static void add_tile(State& s, Rng& rng) {
    BlockRng draws(rng);
    constexpr u64 kOnes = 0x0101010101010101, kHighest = 0x8080808080808080;
    // For each cell, the number of empty cells up to it, in its half of the board.
    const u64 lower = empty(s.powers[0]) * kOnes, upper = empty(s.powers[1]) * kOnes;
    const u32 in_lower = u32(lower >> 56), count = in_lower + u32(upper >> 56);
    u32 chosen = count > 0 ? draws.below(count) : 0;
    const bool is_upper = count > 0 && chosen >= in_lower;
    chosen -= is_upper ? in_lower : 0;
    const u64 reached = (((is_upper ? upper : lower) | kHighest) - kOnes * (chosen + 1)) & kHighest;
    const i32 shift = count > 0 ? lowest(reached) - 7 : 0;
    u64& half = s.powers[is_upper];
    half = (half & ~(u64{0xFF} << shift)) | u64{is_two(draws, rng) ? 1u : 2u} << shift;
  }
  // Returns a byte of 1 for each cell that is empty.
  ENVPOOL_FN static u64 empty(u64 cells) { return (~(cells + 0x7F7F7F7F7F7F7F7F) & 0x8080808080808080) >> 7; }
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
