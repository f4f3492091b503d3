// SPDX-License-Identifier: Apache-2.0
//
// The part of a floor of Craftax that the player sees: 9 rows and 11 columns, with the player in the middle.
#pragma once

#include "envpool/craftax/full/state.h"

namespace envpool::craftax::full {

inline constexpr i32 kRows = 9, kColumns = 11;

// Returns the place in the upper left corner of the view.
ENVPOOL_FN Place corner_of(const State& s) { return player_of(s) - Place{kRows / 2, kColumns / 2}; }

// Calls visit(row, column, cell) for each block in the view that is inside the floor and lit.
template <class Visit>
ENVPOOL_FN void for_view(const State& s, Visit&& visit) {
  const Place corner = corner_of(s);
  const i32 dark = dark_number(s.level);
  const u8* const cells = s.cell[s.level];
  const i32 left = max(0, -corner.x), right = min(kColumns, kSide - corner.x);
  for (i32 row = max(0, -corner.y); row < min(kRows, kSide - corner.y); ++row) {
    const i32 y = corner.y + row;
    const u64 lit = dark < 0 ? ~u64{0} : s.lit[dark][y];
    for (i32 column = left; column < right; ++column) {
      const i32 x = corner.x + column;
      if ((lit >> x & 1) != 0) visit(row, column, cells[y * kSide + x]);
    }
  }
}

// Calls visit(row, column, shown) for something in the view. As in the reference, the map of the view is indexed as
// NumPy's arrays are: what is up to 9 rows above or 11 columns left of the view counts from the other end. What is not
// shown is written, too, and hides what has been written before it.
template <class Visit>
ENVPOOL_FN void write_thing(const State& s, Place thing, bool alive, Visit&& visit) {
  const Place corner = corner_of(s), at = thing - corner;
  const bool in_view = u32(at.y) < u32(kRows) && u32(at.x) < u32(kColumns);
  const Place to{at.y < 0 ? at.y + kRows : at.y, at.x < 0 ? at.x + kColumns : at.x};
  if (u32(to.y) >= u32(kRows) || u32(to.x) >= u32(kColumns)) return;
  visit(to.y, to.x, alive && in_view && thing.inside() && is_lit(s, thing.y, thing.x));
}

// Calls visit(kind, type, row, column, shown) for all mobs, for what they have shot (kind 3), and for what the player
// has shot (kind 4).
template <class Visit>
ENVPOOL_FN void for_things(const State& s, Visit&& visit) {
  const Mobs& mobs = s.mobs[s.level];
  for (i32 kind = kMelee; kind <= kRanged; ++kind) {
    for (i32 i = first_mob(kind); i < first_mob(kind) + mobs_of(kind); ++i) {
      write_thing(s, place_of(mobs.cell[i]), (mobs.alive >> i & 1) != 0,
                  [&](i32 row, i32 column, bool shown) { visit(kind, i32(mobs.type[i]), row, column, shown); });
    }
  }
  for (i32 kind = 3; kind <= 4; ++kind) {
    const Shots& shots = kind == 3 ? s.mob_shots[s.level] : s.player_shots[s.level];
    for (i32 i = 0; i < kShots; ++i) {
      write_thing(s, {shots.y[i], shots.x[i]}, (shots.flying >> i & 1) != 0,
                  [&](i32 row, i32 column, bool shown) { visit(kind, i32(shots.type[i]), row, column, shown); });
    }
  }
}

}  // namespace envpool::craftax::full
