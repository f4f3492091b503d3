// SPDX-License-Identifier: Apache-2.0
//
// The part of a world of Craftax-Classic that the player sees: 7 rows and 9 columns, with the player in the middle.
#pragma once

#include "envpool/craftax/state.h"

namespace envpool::craftax {

inline constexpr i32 kRows = 7, kColumns = 9;

// Returns the place in the upper left corner of the view.
ENVPOOL_FN Place corner_of(const State& s) { return player_of(s) - Place{kRows / 2, kColumns / 2}; }

// Calls visit(row, column, block) for each block in the view.
template <class Visit>
ENVPOOL_FN void for_view(const State& s, Visit&& visit) {
  const Place corner = corner_of(s);
  if (u32(corner.y) <= u32(kSide - kRows) && u32(corner.x) <= u32(kSide - kColumns)) {  // as usual, nothing is outside
    const u8* const first = s.block + corner.cell();
    for (i32 row = 0; row < kRows; ++row) {
      for (i32 column = 0; column < kColumns; ++column) visit(row, column, first[row * kSide + column]);
    }
    return;
  }
  for (i32 row = 0; row < kRows; ++row) {
    for (i32 column = 0; column < kColumns; ++column) {
      const Place p = corner + Place{row, column};
      visit(row, column, p.inside() ? s.block[p.cell()] : u8(kOutOfBounds));
    }
  }
}

// Calls visit(row, column, shown) for all mobs of a kind or all arrows, which are written one after another into a map
// of the view. As in the reference, the map is indexed as NumPy's arrays are: what is up to 7 rows above or 9 columns
// left of the view counts from the other end. A mob that is not shown is written, too, and hides those before it.
template <class Visit>
ENVPOOL_FN void write_thing(const State& s, Place thing, bool alive, Visit&& visit) {
  const Place at = thing - corner_of(s);
  const bool in_view = u32(at.y) < u32(kRows) && u32(at.x) < u32(kColumns);
  const Place to{at.y < 0 ? at.y + kRows : at.y, at.x < 0 ? at.x + kColumns : at.x};
  if (u32(to.y) < u32(kRows) && u32(to.x) < u32(kColumns)) visit(to.y, to.x, alive && in_view);
}

// Calls visit(kind, row, column, shown) for all mobs, and for arrows as kind 3.
template <class Visit>
ENVPOOL_FN void for_things(const State& s, Visit&& visit) {
  for (i32 kind = kZombie; kind <= kSkeleton; ++kind) {
    for (i32 i = first_mob(kind); i < first_mob(kind) + mobs_of(kind); ++i) {
      write_thing(s, place_of(s.mob_cell[i]), (s.alive >> i & 1) != 0,
                  [&](i32 row, i32 column, bool shown) { visit(kind, row, column, shown); });
    }
  }
  for (i32 i = 0; i < kArrows; ++i) {
    write_thing(s, {s.arrow_y[i], s.arrow_x[i]}, (s.arrows >> i & 1) != 0,
                [&](i32 row, i32 column, bool shown) { visit(3, row, column, shown); });
  }
}

}  // namespace envpool::craftax
