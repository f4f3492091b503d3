// SPDX-License-Identifier: Apache-2.0
//
// Draws the cards and chips of pgx's games of poker on the host.
#pragma once

#include "envpool/core/board.h"

namespace envpool::pgx {

// A table with a row for each player and, between them, one for the public card if there is one.
class CardTable {
 public:
  static void set_size(Spec& s, i32 rows) { drawing::Board::set_size(s, rows, kColumns); }
  CardTable(u8* rgb, i32 rows) : board_(rgb, rows, kColumns, {92, 158, 106}) {}

  // Draws a card with one disc for a jack, two for a queen and three for a king.
  void card(i32 row, i32 rank) {
    board_.fill(row, 0, drawing::kEmpty);
    for (i32 i = 0; i <= rank; ++i) pip(row, 0.5 + 0.26 * (i - 0.5 * rank), 0.5, 0.11, drawing::kAgent);
  }
  void chips(i32 row, i32 count) {
    constexpr i32 kEach = 5;
    for (i32 i = 0; i < count; ++i) pip(row, 1.15 + 0.17 * (i % kEach), 0.2 + 0.2 * (i / kEach), 0.08, drawing::kGoal);
  }

 private:
  static constexpr i32 kColumns = 2;

  void pip(i32 row, f64 x, f64 y, f64 radius, drawing::Color color) {
    const drawing::Point at = board_.at(row + y, x);
    board_.canvas().disc(at.x, at.y, radius * board_.side(), color);
  }

  drawing::Board board_;
};

}  // namespace envpool::pgx
