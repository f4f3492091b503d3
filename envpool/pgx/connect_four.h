// SPDX-License-Identifier: Apache-2.0
//
// Connect Four: two players drop discs into the seven columns of a board of six rows, until four of a player are in
// line.
//
//   Action       i32, the column for the disc of the player to move
//   Observation  bool[6][7][2] of each player: its own discs, those of the other player; row 0 is at the top
//   Reward       at the end, 1 for the winner and -1 for the other player; 0 for both if no cell is left
//   Terminated   after four discs in line, or a full board; an illegal move loses
//   Info         current_player; action_mask, the columns that are not full; board, i32[6][7]: -1 empty, 0 the discs of
//                the player who moves first, 1 the other ones; players.id
//   Reset        the board is empty; each player moves first with probability 1/2
//   Image        the first player's discs are red, the other one's yellow
//
// Reference: pgx 2.6.0, connect_four. A disc that is dropped into a full column replaces the lowest one, as in pgx.
#pragma once

#include "envpool/pgx/turns.h"

namespace envpool::pgx {

struct ConnectFourRules {
  static constexpr const char* kName = "ConnectFour";
  static constexpr bool kShortSteps = true;
  static constexpr f32 kMostReward = 1;
  static constexpr i32 kRows = 6, kColumns = 7, kCells = kRows * kColumns, kActions = kColumns;

  struct Position {
    u64 discs[2];  // of each seat: bit row * 8 + column, so that the bit after each row is zero
    i32 seat;
  };

#if ENVPOOL_HOST
  static void spec(Spec& s) {
    s.obs<bool>("obs", {kRows, kColumns, 2}).per_player().doc("own discs, discs of the other player");
    s.info<i32>("board", {kRows, kColumns})
        .bounds(-1, 1)
        .doc("-1 empty, 0 discs of the first player, 1 of the other one");
    s.action<i32>().categories(kActions).doc("column of the disc of the player to move");
    s.render_fps = 2;
    drawing::Board::set_size(s, kRows, kColumns);
  }
  static void render(const Position& p, i32, u8* rgb) {
    drawing::Board board(rgb, kRows, kColumns, drawing::kBlue);
    for (i32 row = 0; row < kRows; ++row) {
      for (i32 column = 0; column < kColumns; ++column) {
        const u64 cell = bit(row, column);
        board.disc(row, column, 0.38,
                   (p.discs[0] & cell) != 0   ? drawing::kAgent
                   : (p.discs[1] & cell) != 0 ? drawing::kGoal
                                              : drawing::kEmpty);
      }
    }
  }
#endif

  ENVPOOL_FN static void begin(Position& p, Rng&) { p = {{0, 0}, 0}; }
  ENVPOOL_FN static i32 seat(const Position& p) { return p.seat; }
  ENVPOOL_FN static bool is_legal(const Position& p, i32 action) {
    return ((p.discs[0] | p.discs[1]) & bit(0, action)) == 0;
  }

  ENVPOOL_FN static void write_legal(const Position& p, bool all, bool* mask) {
    write_set<kActions>(mask, all ? kBoard : ~(p.discs[0] | p.discs[1]));
  }

  ENVPOOL_FN static MoveResult play(Position& p, i32 action) {
    const u64 column = kColumn << action, free = column & ~(p.discs[0] | p.discs[1]);
    // The lowest free cell, or the lowest cell if the column is full.
    const u64 disc = free != 0 ? free & ~(free >> 8) : bit(kRows - 1, action);
    u64& own = p.discs[p.seat];
    u64& other = p.discs[1 - p.seat];
    own |= disc;
    other &= ~disc;
    bool wins = false;
    constexpr i32 kSteps[] = {1, 7, 8, 9};  // to the right; down and to the left, down, down and to the right
    for (const i32 step : kSteps) {
      const u64 pairs = own & own >> step;
      wins |= (pairs & pairs >> 2 * step) != 0;
    }
    const i32 reward = i32(wins) * (1 - 2 * p.seat);  // a branch would be mispredicted
    p.seat = 1 - p.seat;
    const bool full = (own | other) == kBoard;
    return {wins || full, f32(reward)};
  }

  ENVPOOL_FN static void observe(const Position& p, i32 seat, Row row) {
    write_channels_by_rows<kRows, kColumns>(row.at<bool, kCells * 2>(kObs), p.discs[seat], p.discs[seat ^ 1]);
  }
  ENVPOOL_FN static void observe_both(const Position& p, i32 first, Row zero, Row one) {
    const Exchanged discs(p.discs[0], p.discs[1], first != 0);
    write_both_channels_by_rows<kRows, kColumns>(zero.at<bool, kCells * 2>(kObs), one.at<bool, kCells * 2>(kObs),
                                                 discs.one, discs.two);
  }
  ENVPOOL_FN static void describe(const Position& p, i32, Row row) {
    write_board_by_rows<kRows, kColumns, 1, 2, -1>(row.at<i32, kCells>(kOwn), p.discs[0], p.discs[1]);
  }
  // Removes what no game can contain: discs outside of the board, two in a cell, and discs above an empty cell.
  ENVPOOL_FN static void repair(Position& p) {
    p.seat &= 1;
    u64 filled = kBoard & (p.discs[0] | p.discs[1]);
    for (i32 height = 1; height < kRows; ++height) filled &= filled >> 8 | kLowest;
    p.discs[0] &= filled;
    p.discs[1] &= filled & ~p.discs[0];
  }

 private:
  static constexpr u64 kRow = 0x7F, kBoard = 0x7F7F7F7F7F7F, kLowest = kRow << 8 * (kRows - 1),
                       kColumn = 0x010101010101;

  ENVPOOL_FN static constexpr u64 bit(i32 row, i32 column) { return u64{1} << (row * 8 + column); }
};

struct ConnectFour : Turns<ConnectFour, ConnectFourRules> {};

}  // namespace envpool::pgx
