// SPDX-License-Identifier: Apache-2.0
//
// The legal moves of shogi, found for all pieces together: a move is the square where it ends and its direction,
// because only the nearest piece of the player can have come from there.
#pragma once

#include "envpool/pgx/shogi_board.h"

namespace envpool::pgx {

// The squares where legal moves end, seen by the player to move.
struct ShogiLegal {
  ShogiSet moves[ShogiSet::kWays], promotions[ShogiSet::kWays];  // by direction
  ShogiSet drops, pawn_drops;                                    // of any piece but a pawn, and of a pawn

  // Returns the squares where a piece with a number may be dropped.
  ENVPOOL_ALWAYS_INLINE ShogiSet drops_of(i32 piece) const {
    if (piece == kShogiPawn) return pawn_drops;
    const i32 first = piece == kLance ? 1 : piece == kShogiKnight ? 2 : 0;  // from the others, it could not move again
    return first == 0 ? drops : drops - (first == 1 ? ShogiSet::rows(0, 1) : ShogiSet::rows(0, 2));
  }
};

// The moves of the pieces of the player from whose side the board is seen.
class ShogiMoves {
  using Set = ShogiSet;

 public:
  ENVPOOL_FN explicit ShogiMoves(const ShogiBoard& board)
      : pieces_(board), own_(board.own), occupied_(board.occupied()), other_(occupied_ - board.own) {
    king_ = (pieces_.kings & own_).first();
    find_checks();
  }

  ENVPOOL_FN bool in_check() const { return checkers_.any(); }

  // Calls sink(way, moves, promotions) for each direction, as constants, with the squares where moves end.
  template <class Sink>
  ENVPOOL_FN void for_ways(const Sink& sink) const {
    constexpr Set kZone = Set::rows(0, 3);
    const Set free = Set::all() - own_, targets = !in_check() ? free : stops_ & free;
    const Set movers = (own_ - king_).if_true(!checkers_.several());
    const Set unpinned = movers - (pinned_[0] | pinned_[1] | pinned_[2] | pinned_[3]),
              promotable = pieces_.promotable();
    const Set safe = safe_steps();
    for_constants<0, Set::kDirections>([&](auto constant) {
      constexpr i32 kWay = decltype(constant)::value;
      constexpr bool kDown = Set::rows_of(kWay) > 0;  // other pieces that begin in the zone remain there
      const Set may_move = unpinned | (movers & pinned_[line_of(kWay)]);
      const Set candidates = kDown ? promotable & kZone : promotable;
      const Set steppers = pieces_.steppers<kWay>() & may_move, sliders = pieces_.sliders<kWay>() & may_move;
      Set promotions = reached<kWay>(steppers & candidates, sliders & candidates) & targets;
      Set moves = (reached<kWay>(steppers - candidates, sliders - candidates) & targets) | promotions;
      if constexpr (!kDown) promotions = promotions & kZone;
      if constexpr (kWay == Set::kUp) {
        constexpr Set kLastRow = Set::rows(0, 1);
        moves = moves - (reached<kWay>(pieces_.pawns & may_move, pieces_.lances & may_move) & kLastRow);
      }
      sink(constant, moves | (king_.stepped<kWay>() & safe), promotions);
    });
    for_constants<Set::kDirections, Set::kWays>([&](auto constant) {
      const Set landings = (pieces_.knights & unpinned).stepped<decltype(constant)::value>() & targets;
      sink(constant, landings - Set::rows(0, 2), landings & kZone);
    });
  }

  // Returns the squares where a dropped piece does not leave the king in check.
  ENVPOOL_FN Set drops() const {
    const Set empty = Set::all() - occupied_;
    return !in_check() ? empty : (empty & stops_).if_true(!checkers_.several());
  }

 private:
  ENVPOOL_FN static constexpr i32 line_of(i32 way) {  // two opposite directions have one line
    constexpr i32 kLines[] = {0, 1, 2, 3, 3, 0, 2, 1};
    return kLines[way];
  }
  template <i32 kWay>
  ENVPOOL_ALWAYS_INLINE Set reached(Set steppers, Set sliders) const {
    return steppers.stepped<kWay>() | sliders.slid<kWay>(occupied_);
  }

  // Finds the other player's pieces that give check, the squares where a check can be ended, and the pieces that may
  // only move along a line.
  ENVPOOL_FN void find_checks() {
    checkers_ = stops_ = Set::none();
    for (Set& set : pinned_) set = Set::none();
    for_constants<0, Set::kWays>([&](auto constant) {
      constexpr i32 kWay = decltype(constant)::value;
      checkers_ |= king_.stepped<kWay>() & pieces_.steppers<kWay>() & other_;
    });
    stops_ = checkers_;
    for_constants<0, Set::kDirections>([&](auto constant) {
      constexpr i32 kWay = decltype(constant)::value;
      const Set attackers = pieces_.sliders<kWay>() & other_;
      if (!attackers.any()) return;
      Set at = king_, line = Set::none(), guard = Set::none();
#ifdef __CUDACC__
#pragma unroll 1
#endif
      for (i32 distance = 1; distance < Set::kSide; ++distance) {
        at = at.stepped<kWay>();
        line |= at;
        if ((at & attackers).any()) {
          pinned_[line_of(kWay)] |= guard;
          checkers_ |= at.if_true(!guard.any());
          stops_ |= line.if_true(!guard.any());
          return;
        }
        if (!(at & occupied_).any()) continue;
        if (guard.any() || (at & other_).any()) return;
        guard = at;
      }
    });
  }

  // Returns the squares next to the king that the other player does not attack. The king does not cover those behind
  // it, where it would still be in check.
  ENVPOOL_FN Set safe_steps() const {
    Set steps = Set::none();
    for_constants<0, Set::kDirections>([&](auto constant) { steps |= king_.stepped<decltype(constant)::value>(); });
    steps = steps - own_;
    if (!steps.any()) return steps;
    Set attacked = Set::none();
    for_constants<0, Set::kWays>([&](auto constant) {
      constexpr i32 kWay = decltype(constant)::value;
      attacked |= (pieces_.steppers<kWay>() & other_).template stepped<kWay, true>();
      if constexpr (kWay < Set::kDirections) {
        attacked |= (pieces_.sliders<kWay>() & other_).template slid<kWay, true>(occupied_ - king_);
      }
    });
    return steps - attacked;
  }

  const ShogiPieces pieces_;
  const Set own_, occupied_, other_;
  Set king_;  // the player's; the empty set if an illegal move has removed it
  Set checkers_, stops_;
  Set pinned_[4];  // by line
};

// Finds the legal moves of the player from whose side the board is seen, who has pawns in the hand or not. Returns
// whether the player is in check.
class ShogiLegalMoves {
  using Set = ShogiSet;

 public:
  ENVPOOL_FN static bool find(const ShogiBoard& board, bool has_pawn, ShogiLegal& legal) {
    const ShogiMoves moves(board);
    moves.for_ways([&](auto way, Set ends, Set promotions) {
      legal.moves[decltype(way)::value] = ends;
      legal.promotions[decltype(way)::value] = promotions;
    });
    legal.drops = moves.drops();
    legal.pawn_drops = has_pawn ? pawn_drops(board, legal.drops) : Set::none();
    return moves.in_check();
  }

 private:
  // Returns the squares where a pawn may be dropped: in a column without an own pawn, and not to give mate.
  ENVPOOL_FN static Set pawn_drops(const ShogiBoard& board, Set drops) {
    Set set = drops - Set::rows(0, 1);
    (board.of(kShogiPawn) & board.own).for_each([&](i32 at) { set = set - Set::column_of(at); });
    const Set king = (board.of(kShogiKing) - board.own).first();
    const Set below = king.stepped<Set::kUp, true>();
    if ((set & below).any() && is_mate(board, king, below)) set = set - below;
    return set;
  }
  // Returns whether a pawn on a square gives mate to the other king.
  ENVPOOL_NOINLINE static bool is_mate(const ShogiBoard& board, Set king, Set pawn) {
    ShogiBoard next = board;
    next.put(pawn.lowest(), kShogiPawn, true);
    if (seems_to_escape(next, king.lowest())) return false;
    Set ends = Set::none();
    ShogiMoves(next.from_other_side()).for_ways([&](auto, Set moves, Set promotions) { ends |= moves | promotions; });
    return !ends.any();
  }
  // pgx takes a step that leaves the board for one to the last corner, which is square 0 for the other player, and then
  // looks for attackers of the opposite corner. A king next to the corner can so seem to escape from mate.
  ENVPOOL_FN static bool seems_to_escape(const ShogiBoard& board, i32 king) {
    constexpr i32 kCorner = 0, kOpposite = Set::kSquares - 1;
    const Set other = board.occupied() - board.own;
    if ((king != kCorner + 1 && king != kCorner + Set::kSide) || other.has(kCorner)) return false;
    if (board.own.has(kOpposite)) return true;
    const ShogiPieces pieces(board);
    const Set own = board.own - Set::one(kCorner);
    Set attacked = Set::none();
    for_constants<0, Set::kWays>([&](auto constant) {
      constexpr i32 kWay = decltype(constant)::value;
      attacked |= (pieces.steppers<kWay>() & own).template stepped<kWay>();
      if constexpr (kWay < Set::kDirections)
        attacked |= (pieces.sliders<kWay>() & own).template slid<kWay>(board.occupied());
    });
    return !attacked.has(kOpposite);
  }
};

}  // namespace envpool::pgx
