// SPDX-License-Identifier: Apache-2.0
//
// Draws boards of shogi on the host. A piece shows how it moves: discs are steps, lines are moves of any length, and
// the marks are red if it is promoted. Its tip points away from its player. The hands are beside the board.
#pragma once

#include "envpool/core/board.h"

namespace envpool::pgx {

class ShogiPicture {
 public:
  // What a piece shows. Bits of sets are those of `step`.
  struct Look {
    u32 steps, slides;
    bool jumps, king, promoted;
  };
  // Returns the bit of a step of a piece whose tip points up, by -1, 0 or 1 rows down and columns to the right.
  static constexpr u32 step(i32 rows, i32 columns) { return 1u << (3 * (rows + 1) + columns + 1); }

  static void set_size(Spec& s, i32 rows, i32 columns) { drawing::Board::set_size(s, rows, columns + 2); }
  ShogiPicture(u8* rgb, i32 rows, i32 columns) : board_(rgb, rows, columns + 2, {226, 186, 120}) {
    for (i32 row = 0; row < rows; ++row) {
      board_.fill(row, 0, drawing::kEmpty);
      board_.fill(row, columns + 1, drawing::kEmpty);
    }
  }

  // Draws a piece. Columns 0 and columns + 1 of the image are the hands.
  void piece(i32 row, i32 column, bool up, const Look& look) {
    const auto at = [&](f64 x, f64 y) {  // from the middle of the cell, seen by the player of the piece
      return board_.at(row + 0.5 + (up ? -y : y), column + 0.5 + (up ? x : -x));
    };
    board_.canvas().polygon({at(-0.4, -0.44), at(0.4, -0.44), at(0.32, 0.3), at(0, 0.46), at(-0.32, 0.3)}, kEdge);
    board_.canvas().polygon({at(-0.36, -0.4), at(0.36, -0.4), at(0.29, 0.27), at(0, 0.41), at(-0.29, 0.27)}, kWood);
    const drawing::Color color = look.promoted ? drawing::kAgent : kInk;
    const f64 side = board_.side(), dot = 0.055 * side;
    for (i32 rows = -1; rows <= 1; ++rows) {
      for (i32 columns = -1; columns <= 1; ++columns) {
        const drawing::Point end = at(0.2 * columns, -0.05 - 0.2 * rows);
        if ((look.steps & step(rows, columns)) != 0) board_.canvas().disc(end.x, end.y, dot, color);
        if ((look.slides & step(rows, columns)) == 0) continue;
        board_.canvas().line(at(0.06 * columns, -0.05 - 0.06 * rows), end, color, 0.07 * side);
      }
    }
    for (i32 columns = -1; look.jumps && columns <= 1; columns += 2) {
      const drawing::Point end = at(0.12 * columns, 0.2);
      board_.canvas().disc(end.x, end.y, dot, color);
    }
    const drawing::Point middle = at(0, -0.05);
    if (look.king) board_.canvas().disc(middle.x, middle.y, 0.1 * side, color);
  }
  // Writes how many pieces a hand has, if there are several.
  void count(i32 row, i32 column, i32 count) {
    const drawing::Point at = board_.at(row + 0.96, column + 0.84);
    if (count > 1) board_.canvas().number(at.x, at.y, 0.2 * board_.side(), count, drawing::kBlue);
  }

 private:
  static constexpr drawing::Color kEdge{120, 84, 40}, kWood{248, 226, 176}, kInk{38, 38, 44};

  drawing::Board board_;
};

}  // namespace envpool::pgx
