// SPDX-License-Identifier: Apache-2.0
//
// Draws a board of backgammon on the host.
#pragma once

#include "envpool/core/board.h"

namespace envpool::pgx {

// Places are numbered as black sees them: 24 points from black's farthest one, black's and white's bar, and what black
// and white have borne off.
class BackgammonPicture {
 public:
  static void set_size(Spec& s) { drawing::Board::set_size(s, kRows, kColumns); }
  explicit BackgammonPicture(u8* rgb) : board_(rgb, kRows, kColumns, kTable) {
    fill(0, kColumns, kTable);
    const f64 far = kStack - 0.4;
    for (i32 i = 0; i < kPoints / 2; ++i) {
      const drawing::Color colors[] = {{196, 150, 108}, {232, 208, 172}};
      const f64 column = column_of(i), edges[] = {0, kRows}, tips[] = {far, kRows - far};
      for (i32 side = 0; side < 2; ++side) {
        board_.canvas().polygon({board_.at(edges[side], column + 0.04), board_.at(edges[side], column + 0.96),
                                 board_.at(tips[side], column + 0.5)},
                                colors[(i + side) % 2]);
      }
    }
    fill(kBarColumn, kBarColumn + 1, drawing::kWall);
    fill(kOffColumn, kOffColumn + 1, drawing::kWall);
  }

  // Draws the checkers of a place; those of white are negative.
  void checkers(i32 place, i32 count) {
    const bool white = count < 0, upper = place < kPoints / 2 || (place >= kPoints && place % 2 != 0);
    const i32 column = place < kPoints ? column_of(place) : place < kPoints + 2 ? kBarColumn : kOffColumn;
    const i32 number = white ? -count : count;
    for (i32 i = 0; i < min(number, kStack); ++i) {
      board_.disc(upper ? i : kRows - 1 - i, column, 0.44, white ? kBlackChecker : kWhiteChecker);
      board_.disc(upper ? i : kRows - 1 - i, column, 0.4, white ? kWhiteChecker : kBlackChecker);
    }
    if (number > kStack) {
      const drawing::Point at = board_.at((upper ? kStack : kRows - kStack + 1) - 0.3, column + 0.5);
      board_.canvas().number(at.x, at.y, 0.4 * board_.side(), number, white ? kBlackChecker : kWhiteChecker);
    }
  }

  // Draws die `i` of the player in a seat.
  void die(i32 seat, i32 i, i32 number, bool playable) {
    constexpr f64 kRow = 0.5 * (kRows - 1);
    const i32 column = (seat == 0 ? kBarColumn + 2 : 1) + i;
    const drawing::Point low = board_.at(kRow + 0.88, column + 0.12), high = board_.at(kRow + 0.12, column + 0.88);
    board_.canvas().box(low.x, low.y, high.x, high.y, playable ? kWhiteChecker : drawing::Color{150, 156, 148});
    for (i32 y = -1; y <= 1; ++y) {
      for (i32 x = -1; x <= 1; ++x) {
        const bool middle = x == 0 && y == 0, diagonal = x == y, other_diagonal = x == -y;
        const bool dot = middle           ? number % 2 != 0
                         : diagonal       ? number > 1
                         : other_diagonal ? number > 3
                                          : x != 0 && number == 6;
        if (!dot) continue;
        const drawing::Point at = board_.at(kRow + 0.5 + 0.22 * y, column + 0.5 + 0.22 * x);
        board_.canvas().disc(at.x, at.y, 0.08 * board_.side(), kBlackChecker);
      }
    }
  }

 private:
  static constexpr i32 kPoints = 24, kRows = 11, kStack = 5, kBarColumn = 6, kOffColumn = 13, kColumns = 14;
  static constexpr drawing::Color kTable{92, 158, 106}, kBlackChecker{40, 40, 44}, kWhiteChecker{248, 248, 244};

  static i32 column_of(i32 point) {
    const i32 column = point < kPoints / 2 ? kPoints / 2 - 1 - point : point - kPoints / 2;
    return column + i32(column >= kBarColumn);
  }

  void fill(i32 from, i32 to, drawing::Color color) {  // columns
    const drawing::Point low = board_.at(kRows, from), high = board_.at(0, to);
    board_.canvas().box(low.x, low.y, high.x, high.y, color);
  }

  drawing::Board board_;
};

}  // namespace envpool::pgx
