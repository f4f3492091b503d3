// SPDX-License-Identifier: Apache-2.0
//
// Draws boards of chess on the host, seen from the side of the player who moves first, whose pieces are white.
#pragma once

#include "envpool/core/board.h"
#include "envpool/pgx/chess_board.h"

namespace envpool::pgx {

// Draws the piece of a cell of the board. Coordinates are fractions of the cell, from its lower left corner.
class ChessPicture {
 public:
  ChessPicture(drawing::Board& board, i32 row, i32 column, drawing::Color color)
      : board_(board), row_(row), column_(column), color_(color) {}

  void draw(i32 kind) const {
    box(0.24, 0.12, 0.76, 0.2);
    if (kind == kPawn) {
      polygon({{0.3, 0.2}, {0.7, 0.2}, {0.54, 0.55}, {0.46, 0.55}});
      disc(0.5, 0.58, 0.13);
    } else if (kind == kKnight) {
      polygon({{0.3, 0.2}, {0.72, 0.2}, {0.68, 0.66}, {0.5, 0.8}, {0.42, 0.6}});
      polygon({{0.22, 0.46}, {0.3, 0.4}, {0.6, 0.54}, {0.58, 0.8}, {0.46, 0.76}});
      polygon({{0.48, 0.74}, {0.62, 0.74}, {0.56, 0.9}});
    } else if (kind == kBishop) {
      polygon({{0.34, 0.2}, {0.66, 0.2}, {0.56, 0.5}, {0.44, 0.5}});
      polygon({{0.36, 0.52}, {0.5, 0.44}, {0.64, 0.52}, {0.62, 0.66}, {0.5, 0.82}, {0.38, 0.66}});
      disc(0.5, 0.85, 0.05);
    } else if (kind == kRook) {
      polygon({{0.32, 0.2}, {0.68, 0.2}, {0.64, 0.62}, {0.36, 0.62}});
      box(0.29, 0.6, 0.71, 0.7);
      for (i32 i = 0; i < 3; ++i) box(0.29 + 0.16 * i, 0.7, 0.39 + 0.16 * i, 0.8);
    } else if (kind == kQueen) {
      polygon({{0.32, 0.2}, {0.68, 0.2}, {0.72, 0.5}, {0.28, 0.5}});
      for (i32 i = 0; i < 5; ++i) {
        const f64 x = 0.2 + 0.15 * i, y = i % 2 == 0 ? 0.74 : 0.8;
        polygon({{0.32 + 0.06 * i, 0.42}, {0.44 + 0.06 * i, 0.42}, {x, y}});
        disc(x, y, 0.05);
      }
    } else {
      polygon({{0.34, 0.2}, {0.66, 0.2}, {0.74, 0.56}, {0.5, 0.66}, {0.26, 0.56}});
      box(0.46, 0.6, 0.54, 0.9);
      box(0.38, 0.74, 0.62, 0.82);
    }
  }

 private:
  drawing::Point at(f64 x, f64 y) const { return board_.at(row_ + 1 - y, column_ + x); }
  void disc(f64 x, f64 y, f64 radius) const {
    const drawing::Point middle = at(x, y);
    board_.canvas().disc(middle.x, middle.y, radius * board_.side(), color_);
  }
  void box(f64 left, f64 bottom, f64 right, f64 top) const {
    polygon({{left, bottom}, {left, top}, {right, top}, {right, bottom}});
  }
  void polygon(std::initializer_list<drawing::Point> corners) const {
    drawing::Point points[6];
    i32 count = 0;
    for (const drawing::Point& corner : corners) points[count++] = at(corner.x, corner.y);
    const auto& p = points;
    if (count == 3) board_.canvas().polygon({p[0], p[1], p[2]}, color_);
    if (count == 4) board_.canvas().polygon({p[0], p[1], p[2], p[3]}, color_);
    if (count == 5) board_.canvas().polygon({p[0], p[1], p[2], p[3], p[4]}, color_);
    if (count == 6) board_.canvas().polygon({p[0], p[1], p[2], p[3], p[4], p[5]}, color_);
  }

  drawing::Board& board_;
  const i32 row_, column_;
  const drawing::Color color_;
};

// `piece_at(row, column)` returns a piece, negative if it is black; row 0 is white's.
template <i32 kSide, class PieceAt>
void draw_chess_board(u8* rgb, const PieceAt& piece_at) {
  constexpr drawing::Color kLight{222, 200, 164}, kDark{158, 122, 88}, kWhite{252, 250, 244}, kBlackPiece{38, 38, 44};
  drawing::Board board(rgb, kSide, kSide, kLight);
  for (i32 row = 0; row < kSide; ++row) {
    for (i32 column = 0; column < kSide; ++column) {
      const i32 from_top = kSide - 1 - row, piece = piece_at(row, column);
      if ((row + column) % 2 == 0) board.fill(from_top, column, kDark);
      if (piece == 0) continue;
      ChessPicture(board, from_top, column, piece > 0 ? kWhite : kBlackPiece).draw(piece > 0 ? piece : -piece);
    }
  }
}

}  // namespace envpool::pgx
