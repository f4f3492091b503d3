// SPDX-License-Identifier: Apache-2.0
//
// The legal moves of chess, found for all pieces together: the moves with a direction and a distance, or with a jump of
// a knight, are the set of the squares on which pieces land. Each comes from a square a constant away.
//
// Actions are pgx's: (column * kSide + row) * kPlanes + plane, with the square that the piece leaves, seen from the
// side of the player to move. The planes are
//   0 to 8         promotions to a rook (0 to 2), bishop (3 to 5) and knight (6 to 8): up, up right, up left
//   9 to kJump     kSide - 1 distances for each direction: first the longest if its number is even, else the shortest
//   the last eight jumps of knights
// A pawn that reaches the last row with one of the other planes becomes a queen.
#pragma once

#include "envpool/pgx/chess_board.h"

namespace envpool::pgx {

// The move of an action.
struct ChessMove {
  i32 from, to;   // squares; `to` is -1 if there is none
  i32 plane;      // with which a pawn would make the same move and become a queen
  i32 promotion;  // a rook, bishop or knight, or kNoPiece
};

template <i32 kSide>
struct ChessActions {
  using Set = Squares<kSide>;
  static constexpr i32 kPromotions = 9, kDistances = kSide - 1;
  static constexpr i32 kJump = kPromotions + Set::kDirections * kDistances, kPlanes = kJump + Set::kJumps;
  static constexpr i32 kActions = kSide * kSide * kPlanes;

  ENVPOOL_FN static constexpr i32 plane_of(i32 direction, i32 distance) {
    return kPromotions + direction * kDistances + (direction % 2 != 0 ? distance - 1 : kDistances - distance);
  }
  ENVPOOL_FN static i32 first_action(i32 from) { return ((from & 7) * kSide + (from >> 3)) * kPlanes; }

  ENVPOOL_FN static ChessMove move_of(i32 action) {
    constexpr i32 kPawns[] = {Set::kUp, Set::kUpRight, Set::kUpLeft};
    const i32 column = action / kPlanes / kSide, row = action / kPlanes % kSide, plane = action % kPlanes;
    ChessMove move{.from = 8 * row + column, .to = -1, .plane = plane, .promotion = kNoPiece};
    if (plane < kPromotions) {
      move.promotion = kRook - plane / 3;
      move.plane = plane_of(kPawns[plane % 3], 1);
      if (row != kSide - 2) return move;
    }
    i32 rows, columns;
    if (move.plane < kJump) {
      const i32 direction = (move.plane - kPromotions) / kDistances, place = (move.plane - kPromotions) % kDistances;
      const i32 distance = direction % 2 != 0 ? place + 1 : kDistances - place;
      rows = distance * Set::rows_of(direction), columns = distance * Set::columns_of(direction);
    } else {
      rows = Set::jump_rows_of(move.plane - kJump), columns = Set::jump_columns_of(move.plane - kJump);
    }
    const i32 to_row = row + rows, to_column = column + columns;
    if (u32(to_row) < u32{kSide} && u32(to_column) < u32{kSide}) move.to = 8 * to_row + to_column;
    return move;
  }
};

// The legal moves of the player from whose side the board is seen.
template <i32 kSide>
class ChessMoves {
  using Set = Squares<kSide>;
  using Actions = ChessActions<kSide>;

 public:
  // The sides to which the king and its rook have not moved, and the square that a pawn has just skipped, or the empty
  // set.
  struct Rights {
    bool castles_left, castles_right;
    u64 en_passant;
  };

  ENVPOOL_FN ChessMoves(const ChessBoard<kSide>& board, const Rights& rights)
      : board_(board),
        rights_(rights),
        occupied_(board.occupied()),
        other_(occupied_ & ~board.own),
        king_(board.template of<kKing>() & board.own) {
    king_ &= 0 - king_;
    find_checks();
  }

  ENVPOOL_FN bool in_check() const { return checkers_ != 0; }

  // Calls sink(plane, by, landings, promotions, promotion_plane) for the moves of each plane: they end on the squares
  // `landings`, and begin `by` before them. `promotions` are those of pawns to the last row, which may also be made
  // with `promotion_plane` and the planes three and six above it.
  template <class Sink>
  ENVPOOL_FN void for_planes(const Sink& sink) const {
    const u64 free = ~board_.own, movers = board_.own & ~(several(checkers_) ? ~u64{0} : 0);
    const u64 targets = checkers_ == 0 ? free : free & stops_;
    const u64 straight = movers & board_.straight(), diagonal = movers & board_.diagonal();
    const u64 pawns = movers & board_.template of<kPawn>(),
              knights = movers & board_.template of<kKnight>() & unpinned();
    const u64 steps = Set::neighbors_of(king_) & free, castles = castling_squares();
    const u64 safe = (steps | castles) != 0 ? ~attacked() : 0;

    for_constants<0, Set::kDirections>([&](auto constant) {
      constexpr i32 kDirection = decltype(constant)::value;
      constexpr i32 kBy = 8 * Set::rows_of(kDirection) + Set::columns_of(kDirection);
      const u64 may_move = unpinned() | pinned_[kDirection / 2];
      const u64 pieces = (kDirection < 4 ? straight : diagonal) & may_move;
      u64 reached = Set::template stepped<kDirection>(pieces) & free;
      u64 pushed = 0, landings = (reached & targets) | (Set::template stepped<kDirection>(king_) & free & safe);
      i32 promotion = 0;
      if constexpr (kDirection == Set::kUp) {
        pushed = Set::template stepped<kDirection>(pawns & may_move) & ~occupied_;
        landings |= pushed & targets;
      } else if constexpr (kDirection == Set::kUpRight || kDirection == Set::kUpLeft) {
        promotion = kDirection == Set::kUpRight ? 1 : 2;
        pushed = Set::template stepped<kDirection>(pawns & may_move) & other_;
        landings |= (pushed & targets) | en_passant<kDirection>(pawns);
      }
      sink(Actions::plane_of(kDirection, 1), kBy, landings, pushed & targets & Set::row(kSide - 1), promotion);
#ifdef __CUDACC__
#pragma unroll 1
#endif
      for (i32 distance = 2; distance < kSide; ++distance) {
        reached = Set::template stepped<kDirection>(reached & ~other_) & free;
        landings = reached & targets;
        if constexpr (kSide == 8 && kDirection <= Set::kRight && kDirection != 0) {
          if (distance == 2) {
            if (kDirection == Set::kUp) {
              landings |= Set::template stepped<kDirection>(pushed & Set::row(2)) & ~occupied_ & targets;
            }
            if (kDirection == Set::kLeft) landings |= castles & safe & (safe >> 1) & square(2);
            if (kDirection == Set::kRight) landings |= castles & safe & (safe << 1) & square(6);
          }
        }
        if (landings != 0) sink(Actions::plane_of(kDirection, distance), distance * kBy, landings, u64{0}, 0);
        if (reached == 0) break;
      }
    });
    for_constants<0, Set::kJumps>([&](auto constant) {
      constexpr i32 kJump = decltype(constant)::value;
      constexpr i32 kRows = Set::jump_rows_of(kJump), kColumns = Set::jump_columns_of(kJump);
      const u64 landings = Set::template shifted<kRows, kColumns>(knights) & targets;
      sink(Actions::kJump + kJump, 8 * kRows + kColumns, landings, u64{0}, 0);
    });
  }

 private:
  ENVPOOL_FN static bool several(u64 set) { return (set & (set - 1)) != 0; }
  ENVPOOL_FN u64 unpinned() const { return ~(pinned_[0] | pinned_[1] | pinned_[2] | pinned_[3]); }

  // Finds the other player's pieces that give check, the squares where a check can be ended, and the pieces that may
  // only move along a line.
  ENVPOOL_FN void find_checks() {
    const u64 pawns = other_ & board_.template of<kPawn>(), knights = other_ & board_.template of<kKnight>();
    checkers_ = (Set::jumps_from(king_) & knights) | (pawn_attacks_from(king_) & pawns);
    stops_ = checkers_;
    for_constants<0, Set::kDirections>([&](auto constant) {
      constexpr i32 kDirection = decltype(constant)::value;
      const u64 attackers = other_ & (kDirection < 4 ? board_.straight() : board_.diagonal());
      if (attackers == 0) return;
      u64 at = king_, line = 0, guard = 0;
#ifdef __CUDACC__
#pragma unroll 1
#endif
      for (i32 distance = 1; distance < kSide; ++distance) {
        at = Set::template stepped<kDirection>(at);
        line |= at;
        if ((at & attackers) != 0) {
          pinned_[kDirection / 2] |= guard;
          checkers_ |= guard == 0 ? at : 0;
          stops_ |= guard == 0 ? line : 0;
          return;
        }
        if ((at & occupied_) == 0) continue;
        if (guard != 0 || (at & other_) != 0) return;
        guard = at;
      }
    });
  }
  // Returns the squares from which the other player's pawns attack a square.
  ENVPOOL_FN static u64 pawn_attacks_from(u64 set) {
    return Set::template shifted<1, 1>(set) | Set::template shifted<1, -1>(set);
  }

  // Returns the squares that the other player attacks. The king does not cover those behind it, where it would still be
  // in check.
  ENVPOOL_FN u64 attacked() const {
    const u64 pawns = other_ & board_.template of<kPawn>(), empty = ~(occupied_ & ~king_);
    u64 reached = Set::template shifted<-1, 1>(pawns) | Set::template shifted<-1, -1>(pawns);
    reached |= Set::jumps_from(other_ & board_.template of<kKnight>());
    reached |= Set::neighbors_of(other_ & board_.template of<kKing>());
    for_constants<0, Set::kDirections>([&](auto constant) {
      constexpr i32 kDirection = decltype(constant)::value;
      u64 at = other_ & (kDirection < 4 ? board_.straight() : board_.diagonal());
#ifdef __CUDACC__
#pragma unroll 1
#endif
      for (i32 distance = 1; distance < kSide; ++distance) {
        at = Set::template stepped<kDirection>(at);
        reached |= at;
        at &= empty;
        if (at == 0) break;
      }
    });
    return reached;
  }

  // Returns the squares to which the king may castle, unless it passes attacked squares.
  ENVPOOL_FN u64 castling_squares() const {
    if constexpr (kSide != 8) return 0;
    constexpr u64 kLeftEmpty = square(1) | square(2) | square(3), kRightEmpty = square(5) | square(6);
    if (king_ != square(4) || checkers_ != 0) return 0;
    const u64 rooks = board_.own & board_.template of<kRook>();
    const bool left = rights_.castles_left && has(rooks, 0) && (occupied_ & kLeftEmpty) == 0;
    const bool right = rights_.castles_right && has(rooks, 7) && (occupied_ & kRightEmpty) == 0;
    return (left ? square(2) : 0) | (right ? square(6) : 0);
  }

  // Returns the square to which a pawn may move in a direction to capture another one that has just skipped it.
  template <i32 kDirection>
  ENVPOOL_FN u64 en_passant(u64 pawns) const {
    const u64 captured = Set::template stepped<0>(rights_.en_passant) & other_ & board_.template of<kPawn>();
    const u64 from = Set::template stepped<kDirection ^ 1>(rights_.en_passant) & pawns;
    if (kSide != 8 || captured == 0 || from == 0) return 0;
    // Both pawns disappear from where they are, so that any line to the king may open.
    const u64 occupied = (occupied_ & ~from & ~captured) | rights_.en_passant, other = other_ & ~captured;
    u64 attackers = Set::jumps_from(king_) & board_.template of<kKnight>();
    attackers |= pawn_attacks_from(king_) & board_.template of<kPawn>();
    for_constants<0, Set::kDirections>([&](auto constant) {
      constexpr i32 kLine = decltype(constant)::value;
      u64 at = king_;
#ifdef __CUDACC__
#pragma unroll 1
#endif
      for (i32 distance = 1; distance < kSide; ++distance) {
        at = Set::template stepped<kLine>(at);
        if ((at & occupied) != 0) break;
      }
      attackers |= at & (kLine < 4 ? board_.straight() : board_.diagonal());
    });
    return (attackers & other) == 0 ? rights_.en_passant : 0;
  }

  const ChessBoard<kSide>& board_;
  const Rights& rights_;
  const u64 occupied_, other_;
  u64 king_;  // the player's; the empty set if an illegal move has removed it
  u64 checkers_, stops_;
  u64 pinned_[4] = {};  // for two opposite directions each
};

}  // namespace envpool::pgx
