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

struct HexRules {
  static constexpr const char* kName = "Hex";
  static constexpr f32 kMostReward = 1;
  static constexpr i32 kSide = 11, kCells = kSide * kSide, kSwap = kCells, kActions = kCells + 1;

  struct Position {
    // 0 empty. Stones of the player to move are positive, the other ones negative; those of a connected group have the
    // same number.
    i8 board[kCells];
    i32 moves;  // so far
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
    const i32 sign = p.moves % 2 == 0 ? 1 : -1;
    for (i32 cell = 0; cell < kCells; ++cell) {
      const i32 row = cell / kSide, column = cell % kSide, stone = sign * p.board[cell];
      const f64 x = kWidth * (0.75 + column + 0.5 * row), y = height - kWidth * (0.75 + kHigh * row);
      const f64 half = 0.48 * kWidth, edge = half / 1.7320508075688772;
      canvas.polygon({{x, y + 2 * edge},
                      {x + half, y + edge},
                      {x + half, y - edge},
                      {x, y - 2 * edge},
                      {x - half, y - edge},
                      {x - half, y + edge}},
                     drawing::kEmpty);
      if (stone != 0) canvas.disc(x, y, 0.36 * kWidth, stone > 0 ? drawing::kAgent : drawing::kBlue);
    }
    const f64 left = kWidth / 4, right = kWidth * (0.25 + kSide), bottom = kWidth / 8;
    const f64 slant = kWidth * (0.5 * kSide - 0.5), top = height - 1 - bottom;
    canvas.line({left, top}, {right, top}, drawing::kAgent, 3);
    canvas.line({left + slant, bottom}, {right + slant, bottom}, drawing::kAgent, 3);
    canvas.line({left, top}, {left + slant, bottom}, drawing::kBlue, 3);
    canvas.line({right, top}, {right + slant, bottom}, drawing::kBlue, 3);
  }
#endif

  ENVPOOL_FN static void begin(Position& p, Rng&) {
    for (i8& cell : p.board) cell = 0;
    p.moves = 0;
  }
  ENVPOOL_FN static i32 seat(const Position& p) { return p.moves & 1; }
  ENVPOOL_FN static bool is_legal(const Position& p, i32 action) {
    return action == kSwap ? p.moves == 1 : p.board[action] == 0;
  }
  ENVPOOL_FN static void write_legal(const Position& p, bool all, bool* mask) {
    for (i32 cell = 0; cell < kCells; ++cell) mask[cell] = all | (p.board[cell] == 0);
    mask[kSwap] = all | (p.moves == 1);
  }

  ENVPOOL_FN static MoveResult play(Position& p, i32 action) {
    const i32 mover = seat(p);
    if (action == kSwap) {
      swap(p);
    } else {
      put(p, action);
    }
    count_up(p.moves);
    const bool wins = action != kSwap && connects(p, p.board[action], mover);
    for (i8& cell : p.board) cell = i8(-cell);
    return {wins, !wins ? 0.0f : mover == 0 ? 1.0f : -1.0f};
  }

  ENVPOOL_FN static void observe(const Position& p, i32 seat, Row row) {
    bool* const obs = row.at<bool, kCells * 4>(kObs);
    const bool second = seat == 1, may_swap = p.moves == 1, waits = seat != HexRules::seat(p);
#ifdef __CUDACC__
    for (i32 cell = 0; cell < kCells; ++cell) {
      const i32 stone = waits ? -p.board[cell] : p.board[cell];
      obs[4 * cell] = stone > 0;
      obs[4 * cell + 1] = stone < 0;
      obs[4 * cell + 2] = second;
      obs[4 * cell + 3] = may_swap;
    }
#else
    // The four channels of a cell are a word, so that a compiler can compute several words at a time.
    const u32 rest = u32(second) << 16 | u32(may_swap) << 24, own = waits ? 0x100 : 1, other = waits ? 1 : 0x100;
    u32 words[kCells];
    for (i32 cell = 0; cell < kCells; ++cell) {
      const i32 stone = p.board[cell];
      words[cell] = rest | (stone > 0 ? own : 0) | (stone < 0 ? other : 0);
    }
    __builtin_memcpy(obs, words, sizeof(words));
#endif
  }
  ENVPOOL_FN static void describe(const Position& p, i32, Row row) {
    i32* const board = row.at<i32, kCells>(kOwn);
    for (i32 cell = 0; cell < kCells; ++cell) board[cell] = i32(p.board[cell] > 0) - i32(p.board[cell] < 0);
  }
  ENVPOOL_FN static void repair(Position& p) {
    for (i8& cell : p.board) keep_within(cell, i8(-kCells), i8(kCells));
    keep_within(p.moves, 0, 1 << 30);
  }

 private:
  static constexpr f64 kWidth = 28, kHigh = 0.8660254037844386;  // pixels of a hexagon; distance of rows in hexagons

  // Puts a stone of the player to move into a cell, and gives the groups that it connects its number.
  ENVPOOL_FN static void put(Position& p, i32 at) {
    constexpr i32 kRows[] = {0, 1, -1, 1, -1, 0}, kColumns[] = {-1, -1, 0, 0, 1, 1};
    const i8 group = i8(at + 1);
    p.board[at] = group;
    for (i32 k = 0; k < 6; ++k) {
      const i32 row = at / kSide + kRows[k], column = at % kSide + kColumns[k];
      if (u32(row) >= u32(kSide) || u32(column) >= u32(kSide)) continue;
      const i8 joined = p.board[row * kSide + column];
      if (joined <= 0 || joined == group) continue;
      for (i8& cell : p.board) cell = cell == joined ? group : cell;
    }
  }
  // Replaces the first stone on the board by one of the player to move in the mirrored cell.
  ENVPOOL_FN static void swap(Position& p) {
    i32 first = 0;
    while (first < kCells && p.board[first] == 0) ++first;
    first = first < kCells ? first : 0;  // an illegal swap on an empty board
    const i32 mirrored = first % kSide * kSide + first / kSide;
    p.board[first] = 0;
    p.board[mirrored] = i8(mirrored + 1);
  }
  ENVPOOL_FN static bool connects(const Position& p, i8 group, i32 mover) {
    const i32 step = mover == 0 ? 1 : kSide, across = mover == 0 ? kCells - kSide : kSide - 1;
    bool here = false, there = false;
    for (i32 i = 0; i < kSide; ++i) {
      here |= p.board[i * step] == group;
      there |= p.board[i * step + across] == group;
    }
    return here && there;
  }
};

struct Hex : Turns<Hex, HexRules> {};

}  // namespace envpool::pgx
