// SPDX-License-Identifier: Apache-2.0
//
// Boards of animal shogi as numbers, with four bits for each of the 12 cells, and the legal moves. The number of a cell
// is 4 * column + row: column 0 is at the right and row 0 is the last row, as the player to move sees the board. A set
// of cells has the lowest bit of each.
//
// A piece has a number from 1 to 5, and 8 more if it is the other player's; an empty cell has 0.
#pragma once

#include "envpool/core/api.h"
#include "envpool/pgx/bits.h"
#include "envpool/pgx/constants.h"

namespace envpool::pgx {

enum AnimalPiece : i32 { kNoAnimal, kChick, kElephant, kGiraffe, kLion, kHen };

struct AnimalBoard {
  static constexpr i32 kRows = 4, kColumns = 3, kCells = kRows * kColumns, kBits = 4 * kCells, kDirections = 8;
  static constexpr u64 kAll = 0x111111111111, kLastRow = 0x000100010001;

  // The steps of a direction, in pgx's order.
  ENVPOOL_FN static constexpr i32 columns_of(i32 direction) { return direction < 3 ? -1 : direction < 5 ? 0 : 1; }
  ENVPOOL_FN static constexpr i32 rows_of(i32 direction) {
    constexpr i32 kSteps[] = {-1, 0, 1, -1, 1, -1, 0, 1};
    return kSteps[direction];
  }

  u64 cells;

  ENVPOOL_ALWAYS_INLINE i32 piece(i32 cell) const { return i32(cells >> 4 * cell & 15); }
  ENVPOOL_ALWAYS_INLINE void put(i32 cell, i32 piece) {
    cells = (cells & ~(u64{15} << 4 * cell)) | u64(piece) << 4 * cell;
  }
  ENVPOOL_ALWAYS_INLINE u64 occupied() const { return bit(0) | bit(1) | bit(2); }
  ENVPOOL_ALWAYS_INLINE u64 other() const { return bit(3); }
  ENVPOOL_ALWAYS_INLINE u64 own() const { return occupied() & ~other(); }
  ENVPOOL_ALWAYS_INLINE u64 lions() const { return bit(2) & ~bit(0); }

  // Returns the pieces of both players that their player can move in a direction.
  template <i32 kDirection>
  ENVPOOL_ALWAYS_INLINE u64 movers() const {
    constexpr bool kStraight = columns_of(kDirection) == 0 || rows_of(kDirection) == 0;
    constexpr bool kForward = rows_of(kDirection) < 0;
    const u64 giraffes_or_elephants = bit(1) & (kStraight ? bit(0) : ~bit(0));
    const u64 hens = kStraight || kForward ? bit(2) & bit(0) : 0;
    const u64 chicks = kStraight && kForward ? bit(0) & ~bit(1) & ~bit(2) : 0;
    return giraffes_or_elephants | hens | chicks | lions();
  }

  // Moves every cell of a set by the steps of a direction, or back; those that would leave the board disappear.
  template <i32 kDirection, bool kBack = false>
  ENVPOOL_ALWAYS_INLINE static u64 stepped(u64 set) {
    constexpr i32 kSign = kBack ? -1 : 1;
    constexpr i32 kRowsBy = kSign * rows_of(kDirection), kBy = 4 * (kRows * kSign * columns_of(kDirection) + kRowsBy);
    constexpr u64 kInto = kAll & ~(kRowsBy > 0 ? kLastRow : kRowsBy < 0 ? kLastRow << 4 * (kRows - 1) : 0);
    if constexpr (kBy > 0) {
      return set << kBy & kInto;
    } else {
      return set >> -kBy & kInto;
    }
  }

  // Returns the board as the other player sees it.
  ENVPOOL_ALWAYS_INLINE AnimalBoard from_other_side() const {
    u64 turned = cells;
    turned = (turned >> 4 & 0x0F0F0F0F0F0F0F0F) | (turned & 0x0F0F0F0F0F0F0F0F) << 4;
    turned = (turned >> 8 & 0x00FF00FF00FF00FF) | (turned & 0x00FF00FF00FF00FF) << 8;
    turned = (turned >> 16 & 0x0000FFFF0000FFFF) | (turned & 0x0000FFFF0000FFFF) << 16;
    turned = (turned >> 32 | turned << 32) >> (64 - kBits);
    return {turned ^ AnimalBoard{turned}.occupied() << 3};
  }
  // Removes what is no piece.
  ENVPOOL_FN void repair() {
    cells &= 0xFFFFFFFFFFFF;
    cells &= ~(15 * (bit(2) & bit(1)));  // 6 and 7
    cells &= ~(8 * (kAll & ~occupied()));
  }

 private:
  ENVPOOL_ALWAYS_INLINE u64 bit(i32 i) const { return cells >> i & kAll; }
};

// The legal moves of the player to move: the cells of the pieces that may move in each direction, and the cells where a
// piece may be dropped. No piece moves farther than one step, so that none can be pinned.
struct AnimalMoves {
  u64 from[AnimalBoard::kDirections];
  u64 drops;

  ENVPOOL_FN explicit AnimalMoves(const AnimalBoard& board) {
    using Board = AnimalBoard;
    const u64 own = board.own(), other = board.other(), lion = board.lions() & own;
    u64 attacked = 0, checkers = 0;
    for_constants<0, Board::kDirections>([&](auto constant) {
      constexpr i32 kDirection = decltype(constant)::value;
      const u64 attackers = board.movers<kDirection>() & other;
      attacked |= Board::stepped<kDirection, true>(attackers);
      checkers |= Board::stepped<kDirection>(lion) & attackers;
    });
    const bool several = (checkers & (checkers - 1)) != 0;
    const u64 targets = checkers == 0 ? ~own : several ? 0 : checkers;
    for_constants<0, Board::kDirections>([&](auto constant) {
      constexpr i32 kDirection = decltype(constant)::value;
      const u64 movers = board.movers<kDirection>() & own;
      const u64 landings = (Board::stepped<kDirection>(movers & ~lion) & targets) |
                           (Board::stepped<kDirection>(lion) & ~own & ~attacked);
      from[kDirection] = Board::stepped<kDirection, true>(landings);
    });
    drops = checkers == 0 ? Board::kAll & ~board.occupied() : 0;
  }

  ENVPOOL_ALWAYS_INLINE bool any() const {
    u64 some = 0;
    for (u64 set : from) some |= set;
    return some != 0;
  }
};

}  // namespace envpool::pgx
