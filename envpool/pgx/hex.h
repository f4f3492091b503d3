// SPDX-License-Identifier: Apache-2.0
//
// Hex: two players put stones on a board of 11 by 11 hexagons. The player who moves first connects the top and the
// bottom row, the other one the left and the right column. The second move may instead take over the first stone.
//
//   Action       i32, the cell row * 11 + column for the stone of the player to move; 121 swaps, in the second move
//   Observation  bool[11][11][4] of each player: its own stones, those of the other player, whether the player moves
//                second, whether the next move may swap
//   Reward       at the end, 1 for the winner and -1 for the other player
//   Terminated   when two sides are connected; an illegal move loses
//   Info         current_player; action_mask, the empty cells and the swap; board, i32[11][11]: 1 the stones of the
//                player to move, -1 the other ones, 0 empty; players.id
//   Reset        the board is empty; each player moves first with probability 1/2
//   Image        the first player's stones and sides are red, the other one's are blue
//
// Each row of hexagons begins half a hexagon to the right of the row above: a cell touches those to its left and right,
// the two cells in its column, the one above to the right and the one below to the left. A swap mirrors the stone at
// the diagonal of the board.
//
// Reference: pgx 2.6.0, hex.
#pragma once

#include "envpool/pgx/turns.h"

namespace envpool::pgx {

// A set of cells: bit row * 11 + column, in two words.
struct HexCells {
  static constexpr i32 kSide = 11, kCells = kSide * kSide;
  u64 low, high;

  ENVPOOL_FN static constexpr HexCells of(i32 cell) {
    // There is no branch, because it would be mispredicted.
    const u64 bit = u64{1} << (cell & 63), if_high = u64{0} - u64(cell >> 6);
    return {bit & ~if_high, bit & if_high};
  }
  ENVPOOL_FN static constexpr HexCells all() { return {~u64{0}, (u64{1} << (kCells - 64)) - 1}; }
  ENVPOOL_FN static constexpr HexCells row(i32 row) {
    HexCells cells{};
    for (i32 column = 0; column < kSide; ++column) cells = cells | of(row * kSide + column);
    return cells;
  }
  ENVPOOL_FN static constexpr HexCells column(i32 column) {
    HexCells cells{};
    for (i32 row = 0; row < kSide; ++row) cells = cells | of(row * kSide + column);
    return cells;
  }

  ENVPOOL_FN bool has(i32 cell) const { return pgx::has(cell < 64 ? low : high, cell & 63); }
  ENVPOOL_FN constexpr bool any() const { return (low | high) != 0; }
  ENVPOOL_FN constexpr HexCells operator|(HexCells other) const { return {low | other.low, high | other.high}; }
  ENVPOOL_FN constexpr HexCells operator&(HexCells other) const { return {low & other.low, high & other.high}; }
  ENVPOOL_FN constexpr HexCells operator-(HexCells other) const { return {low & ~other.low, high & ~other.high}; }
  // Returns the cells that touch one of these; some bits after the last cell may also be set.
  ENVPOOL_FN constexpr HexCells beside() const {
    constexpr HexCells kNotFirst = all() - column(0), kNotLast = all() - column(kSide - 1);
    const HexCells next = (up(1) | down(kSide - 1)) & kNotFirst, before = (down(1) | up(kSide - 1)) & kNotLast;
    return next | before | up(kSide) | down(kSide);
  }

 private:
  ENVPOOL_FN constexpr HexCells up(i32 by) const { return {low << by, high << by | low >> (64 - by)}; }
  ENVPOOL_FN constexpr HexCells down(i32 by) const { return {low >> by | high << (64 - by), high >> by}; }
};

struct HexRules {
  static constexpr const char* kName = "Hex";
  static constexpr f32 kMostReward = 1;
  static constexpr i32 kSide = HexCells::kSide, kCells = HexCells::kCells, kSwap = kCells, kActions = kCells + 1;

  struct Position {
    HexCells stones[2];     // of each seat
    HexCells linked[2][2];  // those of each seat that are connected with its first and with its second side
    i32 moves;              // so far
  };

#if ENVPOOL_HOST
  static void spec(Spec& s) {
    s.obs<bool>("obs", {kSide, kSide, 4})
        .per_player()
        .doc(
            "own stones, stones of the other player, whether this player moves second, whether the next move may swap");
    s.info<i32>("board", {kSide, kSide})
        .bounds(-1, 1)
        .doc("1 stones of the player to move, -1 the other ones, 0 empty");
    s.action<i32>().categories(kActions).doc("row * 11 + column of the stone of the player to move; 121 swaps");
    s.render_fps = 2;
    s.render_width = i32(kWidth * (1.5 * kSide + 0.5));
    s.render_height = i32(kWidth * (kHigh * kSide + 0.5));
  }
  static void render(const Position& p, i32, u8* rgb) {
    const i32 width = i32(kWidth * (1.5 * kSide + 0.5)), height = i32(kWidth * (kHigh * kSide + 0.5));
    drawing::Canvas canvas(rgb, width, height);
    for (i32 cell = 0; cell < kCells; ++cell) {
      const i32 row = cell / kSide, column = cell % kSide;
      const f64 x = kWidth * (0.75 + column + 0.5 * row), y = height - kWidth * (0.75 + kHigh * row);
      const f64 half = 0.48 * kWidth, edge = half / 1.7320508075688772;
      canvas.polygon({{x, y + 2 * edge},
                      {x + half, y + edge},
                      {x + half, y - edge},
                      {x, y - 2 * edge},
                      {x - half, y - edge},
                      {x - half, y + edge}},
                     drawing::kEmpty);
      if (p.stones[0].has(cell)) canvas.disc(x, y, 0.36 * kWidth, drawing::kAgent);
      if (p.stones[1].has(cell)) canvas.disc(x, y, 0.36 * kWidth, drawing::kBlue);
    }
    const f64 left = kWidth / 4, right = kWidth * (0.25 + kSide), bottom = kWidth / 8;
    const f64 slant = kWidth * (0.5 * kSide - 0.5), top = height - 1 - bottom;
    canvas.line({left, top}, {right, top}, drawing::kAgent, 3);
    canvas.line({left + slant, bottom}, {right + slant, bottom}, drawing::kAgent, 3);
    canvas.line({left, top}, {left + slant, bottom}, drawing::kBlue, 3);
    canvas.line({right, top}, {right + slant, bottom}, drawing::kBlue, 3);
  }
#endif

  ENVPOOL_FN static void begin(Position& p, Rng&) { p = {}; }
  ENVPOOL_FN static i32 seat(const Position& p) { return p.moves & 1; }
  ENVPOOL_FN static bool is_legal(const Position& p, i32 action) {
    return action == kSwap ? p.moves == 1 : !(p.stones[0] | p.stones[1]).has(action);
  }
  ENVPOOL_FN static void write_legal(const Position& p, bool all, bool* mask) {
    const HexCells empty = HexCells::all() - (p.stones[0] | p.stones[1]), legal = all ? HexCells::all() : empty;
    write_set<64>(mask, legal.low);
    write_set<kCells - 64>(mask + 64, legal.high);
    mask[kSwap] = all | (p.moves == 1);
  }

  ENVPOOL_FN static MoveResult play(Position& p, i32 action, bool legal) {
    const i32 mover = seat(p);
    if (action == kSwap) action = swap(p);
    if (!legal) remove(p, mover ^ 1, HexCells::of(action));  // the stone that is replaced
    const bool wins = put(p, mover, action);
    count_up(p.moves);
    return {wins, !wins ? 0.0f : mover == 0 ? 1.0f : -1.0f};
  }

  ENVPOOL_FN static void observe(const Position& p, i32 seat, Row row) {
    bool* const obs = row.at<bool, kCells * 4>(kObs);
    const HexCells own = p.stones[seat], other = p.stones[seat ^ 1];
    const bool second = seat == 1, may_swap = p.moves == 1;
    for (i32 cell = 0; cell < kCells; ++cell) {
      obs[4 * cell] = own.has(cell);
      obs[4 * cell + 1] = other.has(cell);
      obs[4 * cell + 2] = second;
      obs[4 * cell + 3] = may_swap;
    }
  }
  ENVPOOL_FN static void observe_both(const Position& p, i32 first, Row zero, Row one) {
    bool *const obs = zero.at<bool, kCells * 4>(kObs), *const other_obs = one.at<bool, kCells * 4>(kObs);
    const HexCells own = p.stones[first], other = p.stones[first ^ 1];
    const u32 may_swap = u32(p.moves == 1) << 8, rest = u32(first == 1) | may_swap, others_rest = rest ^ 1;
    write_both_four_channels<64>(obs, other_obs, own.low, other.low, rest, others_rest);
    write_both_four_channels<kCells - 64>(obs + 256, other_obs + 256, own.high, other.high, rest, others_rest);
  }
  ENVPOOL_FN static void describe(const Position& p, i32, Row row) {
    i32* const board = row.at<i32, kCells>(kOwn);
    const HexCells own = p.stones[seat(p)], other = p.stones[seat(p) ^ 1];
    write_board<64, 1, -1, 0>(board, own.low, other.low);
    write_board<kCells - 64, 1, -1, 0>(board + 64, own.high, other.high);
  }
  ENVPOOL_FN static void repair(Position& p) {
    for (HexCells& cells : p.stones) cells = cells & HexCells::all();
    p.stones[1] = p.stones[1] - p.stones[0];
    for (auto& sides : p.linked) {
      for (HexCells& cells : sides) cells = cells & HexCells::all();
    }
    keep_within(p.moves, 0, 1 << 30);
  }

 private:
  static constexpr f64 kWidth = 28, kHigh = 0.8660254037844386;  // pixels of a hexagon; distance of rows in hexagons

  // The cells beside each cell, and a bit for each side that it touches: top, bottom, left and right.
  struct Surroundings {
    HexCells beside[kCells];
    u8 sides[kCells];
  };
  static constexpr Surroundings kSurroundings = [] {
    constexpr i32 kLast = kSide - 1;
    Surroundings all{};
    for (i32 at = 0; at < kCells; ++at) {
      const i32 row = at / kSide, column = at % kSide;
      all.beside[at] = HexCells::of(at).beside() & HexCells::all();
      all.sides[at] = u8((row == 0) | (row == kLast) << 1 | (column == 0) << 2 | (column == kLast) << 3);
    }
    return all;
  }();

  // Puts a stone of a seat into an empty cell. Returns whether it connects both sides.
  ENVPOOL_FN static bool put(Position& p, i32 mover, i32 at) {
    const HexCells stone = HexCells::of(at), own = p.stones[mover] | stone, beside = kSurroundings.beside[at] & own;
    p.stones[mover] = own;
    bool wins = true;
    for (i32 side = 0; side < 2; ++side) {
      HexCells linked = p.linked[mover][side];
      const bool links = (beside & linked).any() | has(kSurroundings.sides[at], 2 * mover + side);
      // There is no branch but for stones that it links, because it would be mispredicted.
      const u64 if_links = u64{0} - u64{links};
      linked = linked | (stone & HexCells{if_links, if_links});
      const HexCells added = (beside & HexCells{if_links, if_links}) - linked;
      if (added.any()) linked = with_connected(linked, added, own);
      p.linked[mover][side] = linked;
      wins &= links;
    }
    return wins;
  }
  // Returns `linked` with `added` and all stones of `own` that are connected with those.
  ENVPOOL_HOST_CALL static HexCells with_connected(HexCells linked, HexCells added, HexCells own) {
    for (; added.any(); added = (added.beside() & own) - linked) linked = linked | added;
    return linked;
  }
  ENVPOOL_FN static void remove(Position& p, i32 seat, HexCells stone) {
    p.stones[seat] = p.stones[seat] - stone;
    for (HexCells& cells : p.linked[seat]) cells = cells - stone;
  }
  // Removes the first stone on the board. Returns the mirrored cell, where the player to move gets one.
  ENVPOOL_FN static i32 swap(Position& p) {
    const HexCells stones = p.stones[0] | p.stones[1];
    // An illegal swap on an empty board begins with the first cell.
    const i32 first = stones.low != 0 ? lowest(stones.low) : stones.high != 0 ? 64 + lowest(stones.high) : 0;
    for (i32 seat = 0; seat < 2; ++seat) remove(p, seat, HexCells::of(first));
    return first % kSide * kSide + first / kSide;
  }
};

struct Hex : Turns<Hex, HexRules> {};

}  // namespace envpool::pgx
