// SPDX-License-Identifier: Apache-2.0
//
// Boards of shogi as sets of squares. The number of a square is 9 * column + row: column 0 is at the right and row 0 is
// the last row, as the player sees the board who moves up. Promotion adds 8 to the number of a piece, so that a bishop
// becomes a horse, and a rook a dragon.
//
// Directions have pgx's order: up, up left, up right, left, right, down, down left, down right, and the jumps of
// knights to the left and right.
#pragma once

#include "envpool/core/api.h"
#include "envpool/pgx/bits.h"
#include "envpool/pgx/constants.h"

namespace envpool::pgx {

enum ShogiPiece : i32 {
  kNoShogiPiece,
  kShogiPawn,
  kLance,
  kShogiKnight,
  kSilver,
  kShogiBishop,
  kShogiRook,
  kGold,
  kShogiKing,
  kHorse = kShogiBishop + 8,
  kDragon = kShogiRook + 8
};

// A set of squares, with a bit for each.
struct ShogiSet {
  static constexpr i32 kSide = 9, kSquares = kSide * kSide;

  u64 low, high;

  ENVPOOL_FN static constexpr ShogiSet none() { return {0, 0}; }
  ENVPOOL_FN static constexpr ShogiSet all() { return {~u64{0}, (u64{1} << (kSquares - 64)) - 1}; }
  ENVPOOL_FN static constexpr ShogiSet one(i32 at) {
    return at < 64 ? ShogiSet{u64{1} << at, 0} : ShogiSet{0, u64{1} << (at - 64)};
  }
  ENVPOOL_FN static constexpr ShogiSet rows(i32 first, i32 end) {
    ShogiSet set{0, 0};
    for (i32 at = 0; at < kSquares; ++at) {
      if (at % kSide >= first && at % kSide < end) set.low |= one(at).low, set.high |= one(at).high;
    }
    return set;
  }
  ENVPOOL_FN static ShogiSet column_of(i32 at) {
    constexpr u64 kColumn = (u64{1} << kSide) - 1;
    const i32 first = at / kSide * kSide;
    if (first >= 64) return {0, kColumn << (first - 64)};
    return {kColumn << first, first > 64 - kSide ? kColumn >> (64 - first) : 0};
  }

  ENVPOOL_ALWAYS_INLINE friend ShogiSet operator&(ShogiSet a, ShogiSet b) { return {a.low & b.low, a.high & b.high}; }
  ENVPOOL_ALWAYS_INLINE friend ShogiSet operator|(ShogiSet a, ShogiSet b) { return {a.low | b.low, a.high | b.high}; }
  ENVPOOL_ALWAYS_INLINE friend ShogiSet operator-(ShogiSet a, ShogiSet b) {  // the squares of a that b lacks
    return {a.low & ~b.low, a.high & ~b.high};
  }
  ENVPOOL_ALWAYS_INLINE ShogiSet& operator|=(ShogiSet set) { return *this = *this | set; }
  ENVPOOL_ALWAYS_INLINE bool any() const { return (low | high) != 0; }
  ENVPOOL_ALWAYS_INLINE bool has(i32 at) const { return ((at < 64 ? low >> at : high >> (at - 64)) & 1) != 0; }
  ENVPOOL_ALWAYS_INLINE ShogiSet if_true(bool condition) const { return condition ? *this : none(); }
  ENVPOOL_ALWAYS_INLINE ShogiSet first() const {
    return low != 0 ? ShogiSet{low & (0 - low), 0} : ShogiSet{0, high & (0 - high)};
  }
  ENVPOOL_ALWAYS_INLINE bool several() const { return (*this - first()).any(); }
  // Returns the lowest square of a set that is not empty.
  ENVPOOL_ALWAYS_INLINE i32 lowest() const { return low != 0 ? pgx::lowest(low) : 64 + pgx::lowest(high); }
  // Calls f(at) for each square.
  template <class F>
  ENVPOOL_ALWAYS_INLINE void for_each(const F& f) const {
    for (u64 rest = low; rest != 0; rest &= rest - 1) f(pgx::lowest(rest));
    for (u64 rest = high; rest != 0; rest &= rest - 1) f(64 + pgx::lowest(rest));
  }

  // The step of a direction.
  static constexpr i32 kDirections = 8, kUp = 0, kWays = 10;  // with the jumps of knights
  ENVPOOL_FN static constexpr i32 columns_of(i32 way) {
    constexpr i32 kColumns[] = {0, 1, -1, 1, -1, 0, 1, -1, 1, -1};
    return kColumns[way];
  }
  ENVPOOL_FN static constexpr i32 rows_of(i32 way) {
    constexpr i32 kRows[] = {-1, -1, -1, 0, 0, 1, 1, 1, -2, -2};
    return kRows[way];
  }
  ENVPOOL_FN static constexpr bool is_straight(i32 way) { return columns_of(way) == 0 || rows_of(way) == 0; }

  // Moves every square by the step of a direction, or back; those that would leave the board disappear.
  template <i32 kWay, bool kBack = false>
  ENVPOOL_ALWAYS_INLINE ShogiSet stepped() const {
    constexpr i32 kSign = kBack ? -1 : 1, kRows = kSign * rows_of(kWay), kBy = kSide * kSign * columns_of(kWay) + kRows;
    constexpr ShogiSet kInto = rows(kRows > 0 ? kRows : 0, kSide + (kRows < 0 ? kRows : 0));
    if constexpr (kBy > 0) {
      return ShogiSet{low << kBy, high << kBy | low >> (64 - kBy)} & kInto;
    } else {
      return ShogiSet{low >> -kBy | high << (64 + kBy), high >> -kBy} & kInto;
    }
  }
  // Returns the squares that pieces reach which slide in a direction, up to the first occupied ones.
  template <i32 kWay, bool kBack = false>
  ENVPOOL_ALWAYS_INLINE ShogiSet slid(ShogiSet occupied) const {
    ShogiSet reached = none(), at = *this;
#ifdef __CUDACC__
#pragma unroll 1
#endif
    for (i32 distance = 1; distance < kSide && at.any(); ++distance) {
      at = at.stepped<kWay, kBack>();
      reached |= at;
      at = at - occupied;
    }
    return reached;
  }

  // Returns the set as it is seen from the other side.
  ENVPOOL_ALWAYS_INLINE ShogiSet turned() const {
    constexpr i32 kUnused = 128 - kSquares;
    const u64 last = reversed(low), first = reversed(high);
    return {first >> kUnused | last << (64 - kUnused), last >> kUnused};
  }

  // Writes whether each square is in the set.
  ENVPOOL_ALWAYS_INLINE void write(bool* to) const {
#ifdef __CUDACC__
    for (i32 at = 0; at < kSquares; ++at) to[at] = has(at);
#else
    write_set<64>(to, low);
    write_set<kSquares - 64>(to + 64, high);
#endif
  }

 private:
  ENVPOOL_ALWAYS_INLINE static u64 reversed(u64 bits) {
#ifdef __CUDA_ARCH__
    return __brevll(bits);
#else
    bits = (bits >> 1 & 0x5555555555555555) | (bits & 0x5555555555555555) << 1;
    bits = (bits >> 2 & 0x3333333333333333) | (bits & 0x3333333333333333) << 2;
    bits = (bits >> 4 & 0x0F0F0F0F0F0F0F0F) | (bits & 0x0F0F0F0F0F0F0F0F) << 4;
    return __builtin_bswap64(bits);
#endif
  }
};

// The pieces of a board, seen from the side of one player. The number of a piece has a bit in each of four sets.
struct ShogiBoard {
  static constexpr i32 kKinds = 14, kTop = kDragon;

  ShogiSet own;
  ShogiSet bits[4];

  ENVPOOL_ALWAYS_INLINE ShogiSet occupied() const { return (bits[0] | bits[1]) | (bits[2] | bits[3]); }
  // Returns the pieces of both players with a number.
  ENVPOOL_ALWAYS_INLINE ShogiSet of(i32 piece) const {
    const auto bit = [&](i32 i) {
      const u64 flip = (piece >> i & 1) != 0 ? 0 : ~u64{0};
      return ShogiSet{bits[i].low ^ flip, bits[i].high ^ flip};
    };
    return (bit(0) & bit(1)) & (bit(2) & bit(3)) & ShogiSet::all();
  }
  ENVPOOL_ALWAYS_INLINE i32 kind(i32 at) const {
    return i32(bits[0].has(at)) | i32(bits[1].has(at)) << 1 | i32(bits[2].has(at)) << 2 | i32(bits[3].has(at)) << 3;
  }

  ENVPOOL_ALWAYS_INLINE void clear(ShogiSet set) {
    own = own - set;
    for (ShogiSet& bit : bits) bit = bit - set;
  }
  ENVPOOL_ALWAYS_INLINE void put(i32 at, i32 kind, bool is_own) {
    const ShogiSet set = ShogiSet::one(at);
    clear(set);
    own |= set.if_true(is_own);
    for (i32 i = 0; i < 4; ++i) bits[i] |= set.if_true((kind >> i & 1) != 0);
  }
  ENVPOOL_ALWAYS_INLINE ShogiBoard from_other_side() const {
    return {(occupied() - own).turned(), {bits[0].turned(), bits[1].turned(), bits[2].turned(), bits[3].turned()}};
  }
  // Removes what is no piece.
  ENVPOOL_FN void repair() {
    for (ShogiSet& bit : bits) bit = bit & ShogiSet::all();
    clear((bits[0] & bits[1]) & (bits[2] & bits[3]));
    own = own & occupied();
  }
};

// The pieces of both players, by how they move. A promoted bishop or rook slides as before, and also steps.
struct ShogiPieces {
  ShogiSet pawns, lances, knights, silvers, golds, kings, diagonal, straight, promoted;

  ENVPOOL_ALWAYS_INLINE explicit ShogiPieces(const ShogiBoard& board) {
    const ShogiSet b0 = board.bits[0], b1 = board.bits[1], b2 = board.bits[2], b3 = board.bits[3];
    const ShogiSet small = (b0 | b1) - b2;  // 1, 2 and 3, or these promoted
    promoted = b3;
    pawns = (small - b1) - b3;
    lances = (small - b0) - b3;
    knights = (small & b0 & b1) - b3;
    const ShogiSet fours = b2 - (b0 | b1);
    silvers = fours - b3;
    golds = ((b0 & b1 & b2) - b3) | ((small | fours) & b3);
    kings = b3 - (b0 | b1 | b2);
    diagonal = (b0 & b2) - b1;
    straight = (b1 & b2) - b0;
  }
  // Those that step or jump in a direction.
  template <i32 kWay>
  ENVPOOL_ALWAYS_INLINE ShogiSet steppers() const {
    if constexpr (kWay >= ShogiSet::kDirections) {
      return knights;
    } else {
      ShogiSet set = kings | ((ShogiSet::is_straight(kWay) ? diagonal : straight) & promoted);
      if constexpr (kWay <= 5) set |= golds;
      if constexpr (!ShogiSet::is_straight(kWay) || kWay == ShogiSet::kUp) set |= silvers;
      if constexpr (kWay == ShogiSet::kUp) set |= pawns;
      return set;
    }
  }
  // Those that slide in a direction.
  template <i32 kWay>
  ENVPOOL_ALWAYS_INLINE ShogiSet sliders() const {
    if constexpr (kWay == ShogiSet::kUp) return straight | lances;
    return ShogiSet::is_straight(kWay) ? straight : diagonal;
  }
  ENVPOOL_ALWAYS_INLINE ShogiSet promotable() const {
    return (pawns | lances | knights) | (silvers | ((diagonal | straight) - promoted));
  }
};

}  // namespace envpool::pgx
