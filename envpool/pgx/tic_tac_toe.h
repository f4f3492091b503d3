// SPDX-License-Identifier: Apache-2.0
//
// Tic-tac-toe: two players put marks into the cells of a board of 3 by 3 cells, until three of a player are in line.
//
//   Action       i32, the cell row * 3 + column for the mark of the player to move
//   Observation  bool[3][3][2] of each player: its own marks, those of the other player
//   Reward       at the end, 1 for the winner and -1 for the other player; 0 for both if no cell is left
//   Terminated   after three marks in line, or a full board; an illegal move loses
//   Info         current_player; action_mask, the empty cells; board, i32[3][3]: -1 empty, 0 the marks of the player
//                who moves first, 1 the other ones; players.id
//   Reset        the board is empty; each player moves first with probability 1/2
//   Image        the first player's marks are crosses, the other one's rings
//
// Reference: pgx 2.6.0, tic_tac_toe.
#pragma once

#include "envpool/pgx/turns.h"

namespace envpool::pgx {

struct TicTacToeRules {
  static constexpr const char* kName = "TicTacToe";
  static constexpr bool kShortSteps = true;
  static constexpr f32 kMostReward = 1;
  static constexpr i32 kSide = 3, kCells = 9, kActions = kCells;

  struct Position {
    u32 marks[2];  // of each seat, a bit for each cell
    i32 seat;
  };

#if ENVPOOL_HOST
  static void spec(Spec& s) {
    s.obs<bool>("obs", {kSide, kSide, 2}).per_player().doc("own marks, marks of the other player");
    s.info<i32>("board", {kSide, kSide}).bounds(-1, 1).doc("-1 empty, 0 marks of the first player, 1 of the other one");
    s.action<i32>().categories(kActions).doc("row * 3 + column of the mark of the player to move");
    s.render_fps = 2;
    drawing::Board::set_size(s, kSide, kSide);
  }
  static void render(const Position& p, i32, u8* rgb) {
    drawing::Board board(rgb, kSide, kSide, drawing::kEmpty);
    for (i32 cell = 0; cell < kCells; ++cell) {
      const i32 row = cell / kSide, column = cell % kSide;
      const f64 width = board.side() / 8;
      if (has(p.marks[1], cell)) {
        board.disc(row, column, 0.36, drawing::kBlue);
        board.disc(row, column, 0.24, drawing::kEmpty);
      } else if (has(p.marks[0], cell)) {
        const f64 low = 0.2, high = 0.8;
        board.canvas().line(board.at(row + low, column + low), board.at(row + high, column + high), drawing::kAgent,
                            width);
        board.canvas().line(board.at(row + low, column + high), board.at(row + high, column + low), drawing::kAgent,
                            width);
      }
    }
  }
#endif

  ENVPOOL_FN static void begin(Position& p, Rng&) { p = {{0, 0}, 0}; }
  ENVPOOL_FN static i32 seat(const Position& p) { return p.seat; }
  ENVPOOL_FN static bool is_legal(const Position& p, i32 action) { return !has(p.marks[0] | p.marks[1], action); }

  ENVPOOL_FN static void write_legal(const Position& p, bool all, bool* mask) {
    write_set<kActions>(mask, all ? kFull : ~(p.marks[0] | p.marks[1]));
  }

  ENVPOOL_FN static MoveResult play(Position& p, i32 action) {
    const u32 mark = 1u << action;
    u32& own = p.marks[p.seat];
    u32& other = p.marks[1 - p.seat];
    own |= mark;
    other &= ~mark;  // the mark that an illegal move replaces
    const bool wins = has_line(own);
    const i32 reward = i32(wins) * (1 - 2 * p.seat);  // a branch would be mispredicted
    p.seat = 1 - p.seat;
    const bool full = (own | other) == kFull;
    return {wins || full, f32(reward)};
  }

  ENVPOOL_FN static void observe(const Position& p, i32 seat, Row row) {
    write_channels<kCells>(row.at<bool, kCells * 2>(kObs), p.marks[seat], p.marks[seat ^ 1]);
  }
  ENVPOOL_FN static void observe_both(const Position& p, i32 first, Row zero, Row one) {
    const Exchanged marks(p.marks[0], p.marks[1], first != 0);
    write_both_channels<kCells>(zero.at<bool, kCells * 2>(kObs), one.at<bool, kCells * 2>(kObs), marks.one, marks.two);
  }
  ENVPOOL_FN static void describe(const Position& p, i32, Row row) {
    write_board<kCells, 1, 2, -1>(row.at<i32, kCells>(kOwn), p.marks[0], p.marks[1]);
  }
  ENVPOOL_FN static void repair(Position& p) {
    p.seat &= 1;
    p.marks[0] &= kFull;
    p.marks[1] &= kFull & ~p.marks[0];
  }

 private:
  static constexpr u32 kFull = (1u << kCells) - 1;

  ENVPOOL_FN static bool has_line(u32 marks) {
    const u32 rows = marks & marks >> 1 & marks >> 2 & 0111, columns = marks & marks >> 3 & marks >> 6 & 0007;
    const u32 falling = marks & marks >> 4 & marks >> 8 & 0001, rising = marks & marks >> 2 & marks >> 4 & 0004;
    return (rows | columns | falling | rising) != 0;
  }
};

struct TicTacToe : Turns<TicTacToe, TicTacToeRules> {};

}  // namespace envpool::pgx
