// SPDX-License-Identifier: Apache-2.0
//
// Draws the tiles of sparrow mahjong on the host.
#pragma once

#include "envpool/core/board.h"

namespace envpool::pgx {

// A row with the dora, and for each player one with the hand and one with the discards.
class SparrowPicture {
 public:
  static void set_size(Spec& s) { drawing::Board::set_size(s, kRows, kColumns); }
  explicit SparrowPicture(u8* rgb) : board_(rgb, kRows, kColumns, kTable) {
    const drawing::Point low = board_.at(kRows, 0), high = board_.at(0, kColumns);
    board_.canvas().box(low.x, low.y, high.x, high.y, kTable);
  }

  void dora(i32 type) { tile(0, 1, type, kBlue, drawing::kEmpty); }
  void hand(i32 player, i32 place, i32 type, bool red) {
    tile(1 + 2 * player, 1 + place, type, red ? kRed : kGreen, drawing::kEmpty);
  }
  void river(i32 player, i32 place, i32 type, bool red) {
    tile(2 + 2 * player, 1 + place, type, red ? kRed : kGreen, kDiscarded);
  }
  void mark(i32 player) { board_.disc(1 + 2 * player, 0, 0.25, drawing::kGoal); }

 private:
  static constexpr i32 kRows = 7, kColumns = 11, kBamboos = 9;
  static constexpr drawing::Color kTable{70, 120, 92}, kRed{200, 40, 40}, kGreen{30, 120, 60}, kBlue{52, 104, 178},
      kDiscarded{196, 202, 196};

  // Bamboos have their number, the green dragon a square and the red one a disc.
  void tile(i32 row, i32 column, i32 type, drawing::Color color, drawing::Color ground) {
    const drawing::Point low = board_.at(row + 0.94, column + 0.14), high = board_.at(row + 0.06, column + 0.86);
    board_.canvas().box(low.x, low.y, high.x, high.y, ground);
    const drawing::Point middle = board_.at(row + 0.5, column + 0.5);
    const f64 side = board_.side();
    if (type < kBamboos) {
      board_.canvas().number(middle.x, middle.y - 0.27 * side, 0.54 * side, type + 1, color);
    } else if (type == kBamboos) {
      board_.canvas().box(middle.x - 0.2 * side, middle.y - 0.2 * side, middle.x + 0.2 * side, middle.y + 0.2 * side,
                          color);
    } else {
      board_.canvas().disc(middle.x, middle.y, 0.24 * side, kRed);
    }
  }

  drawing::Board board_;
};

}  // namespace envpool::pgx
