// SPDX-License-Identifier: Apache-2.0
//
// Boards of chess as sets of squares, and the squares that pieces reach. A set has a bit for each square. Its number is
// 8 * row + column on smaller boards, too, which use the lowest rows and columns. Row 0 is the first row of the player
// from whose side a board is seen.
//
// Directions have pgx's order: down, up, left, right, down left, up right, up left, down right. The first four are
// those of rooks, and two consecutive ones are opposite.
#pragma once

#include "envpool/core/api.h"
#include "envpool/pgx/bits.h"
#include "envpool/pgx/constants.h"

namespace envpool::pgx {

enum ChessPiece : i32 { kNoPiece, kPawn, kKnight, kBishop, kRook, kQueen, kKing };

ENVPOOL_ALWAYS_INLINE constexpr u64 square(i32 at) { return u64{1} << at; }

template <i32 kSide>
struct Squares {
  static constexpr i32 kDirections = 8, kUp = 1, kLeft = 2, kRight = 3, kUpRight = 5, kUpLeft = 6, kJumps = 8;
  static constexpr u64 kRow = (u64{1} << kSide) - 1, kColumn = 0x0101010101010101 >> 8 * (8 - kSide);
  static constexpr u64 kAll = kRow * kColumn;

  ENVPOOL_FN static constexpr u64 row(i32 number) { return kRow << 8 * number; }
  ENVPOOL_FN static constexpr u64 column(i32 number) { return kColumn << number; }

  // The step of a direction, and the jumps of a knight.
  ENVPOOL_FN static constexpr i32 rows_of(i32 direction) {
    constexpr i32 kRows[] = {-1, 1, 0, 0, -1, 1, 1, -1};
    return kRows[direction];
  }
  ENVPOOL_FN static constexpr i32 columns_of(i32 direction) {
    constexpr i32 kColumns[] = {0, 0, -1, 1, -1, 1, -1, 1};
    return kColumns[direction];
  }
  ENVPOOL_FN static constexpr i32 jump_rows_of(i32 jump) { return (jump & 1 ? 1 : -1) * (jump & 2 ? 2 : 1); }
  ENVPOOL_FN static constexpr i32 jump_columns_of(i32 jump) { return (jump & 4 ? 1 : -1) * (jump & 2 ? 1 : 2); }

  // Moves every square of a set; those that would leave the board disappear.
  template <i32 kRows, i32 kColumns>
  ENVPOOL_ALWAYS_INLINE static u64 shifted(u64 set) {
    constexpr i32 kBy = 8 * kRows + kColumns;
    constexpr u64 kInto = into(kRows, kColumns);
    if constexpr (kBy > 0) {
      return set << kBy & kInto;
    } else {
      return set >> -kBy & kInto;
    }
  }
  template <i32 kDirection>
  ENVPOOL_ALWAYS_INLINE static u64 stepped(u64 set) {
    return shifted<rows_of(kDirection), columns_of(kDirection)>(set);
  }

  ENVPOOL_ALWAYS_INLINE static u64 jumps_from(u64 knights) {
    u64 reached = 0;
    for_constants<0, kJumps>([&](auto jump) {
      reached |= shifted<jump_rows_of(decltype(jump)::value), jump_columns_of(decltype(jump)::value)>(knights);
    });
    return reached;
  }
  ENVPOOL_ALWAYS_INLINE static u64 neighbors_of(u64 set) {
    const u64 three = set | shifted<0, 1>(set) | shifted<0, -1>(set);
    return (three | shifted<1, 0>(three) | shifted<-1, 0>(three)) & ~set;
  }

  // Mirrors the rows, so that the board is seen from the other side.
  ENVPOOL_ALWAYS_INLINE static u64 mirrored(u64 set) {
    set = (set >> 8 & 0x00FF00FF00FF00FF) | (set & 0x00FF00FF00FF00FF) << 8;
    set = (set >> 16 & 0x0000FFFF0000FFFF) | (set & 0x0000FFFF0000FFFF) << 16;
    return (set >> 32 | set << 32) >> 8 * (8 - kSide);
  }
  ENVPOOL_FN static i32 mirrored_square(i32 at) { return at + 8 * (kSide - 1 - 2 * (at >> 3)); }

 private:
  // The squares that a step can end on.
  ENVPOOL_FN static constexpr u64 into(i32 rows, i32 columns) {
    u64 set = kAll;
    for (i32 i = 0; i < rows; ++i) set &= ~row(i);
    for (i32 i = 0; i < -rows; ++i) set &= ~row(kSide - 1 - i);
    for (i32 i = 0; i < columns; ++i) set &= ~column(i);
    for (i32 i = 0; i < -columns; ++i) set &= ~column(kSide - 1 - i);
    return set;
  }
};

// The pieces of a board, seen from the side of one player. The number of a piece has a bit in each of three sets.
template <i32 kSide>
struct ChessBoard {
  using Set = Squares<kSide>;

  u64 own;
  u64 bits[3];

  ENVPOOL_ALWAYS_INLINE u64 occupied() const { return bits[0] | bits[1] | bits[2]; }
  template <i32 kPiece>
  ENVPOOL_ALWAYS_INLINE u64 of() const {
    return (kPiece & 1 ? bits[0] : ~bits[0]) & (kPiece & 2 ? bits[1] : ~bits[1]) & (kPiece & 4 ? bits[2] : ~bits[2]);
  }
  ENVPOOL_ALWAYS_INLINE u64 straight() const { return bits[2] & ~bits[1]; }             // rooks and queens
  ENVPOOL_ALWAYS_INLINE u64 diagonal() const { return bits[0] & (bits[1] ^ bits[2]); }  // bishops and queens

  ENVPOOL_ALWAYS_INLINE i32 kind(i32 at) const {
    return i32(bits[0] >> at & 1) | i32(bits[1] >> at & 1) << 1 | i32(bits[2] >> at & 1) << 2;
  }
  // Returns the number of the piece on a square, negative if it is the other player's.
  ENVPOOL_ALWAYS_INLINE i32 piece(i32 at) const { return has(own, at) ? kind(at) : -kind(at); }
  ENVPOOL_ALWAYS_INLINE void clear(u64 set) {
    own &= ~set;
    for (u64& bit : bits) bit &= ~set;
  }
  ENVPOOL_ALWAYS_INLINE void put(i32 at, i32 piece) {
    const u64 set = square(at);
    const i32 kind = piece < 0 ? -piece : piece;
    clear(set);
    own |= piece > 0 ? set : 0;
    for (i32 i = 0; i < 3; ++i) bits[i] |= (kind >> i & 1) != 0 ? set : 0;
  }
  ENVPOOL_ALWAYS_INLINE ChessBoard from_other_side() const {
    return {Set::mirrored(occupied() & ~own), {Set::mirrored(bits[0]), Set::mirrored(bits[1]), Set::mirrored(bits[2])}};
  }
  // Removes what is no piece.
  ENVPOOL_FN void repair() {
    clear(~Set::kAll | (bits[0] & bits[1] & bits[2]));
    own &= occupied();
  }
};

}  // namespace envpool::pgx
