// SPDX-License-Identifier: Apache-2.0
//
// How mobs appear around the player of Craftax.
#pragma once

#include "envpool/craftax/full/mobs.h"

namespace envpool::craftax::full {

// Where mobs can appear: on these blocks, if the square of the distance from the player is within these limits.
struct Ring {
  u64 blocks;
  i32 least, most;
};

// Calls visit(cell) for the cells of a ring, row by row, until visit returns false.
template <class Visit>
ENVPOOL_FN void for_ring(const State& s, Ring ring, Visit&& visit) {
  i32 reach = 0;
  while (reach < kSide && (reach + 1) * (reach + 1) <= ring.most) ++reach;
  const u8* const cells = s.cell[s.level];
  for (i32 y = max(s.y - reach, 0); y <= min(s.y + reach, kSide - 1); ++y) {
    const i32 down = (y - s.y) * (y - s.y);
    for (i32 x = max(s.x - reach, 0); x <= min(s.x + reach, kSide - 1); ++x) {
      const i32 square = down + (x - s.x) * (x - s.x);
      if (square < ring.least || square > ring.most) continue;
      const i32 cell = y * kSide + x;
      if (is_in(ring.blocks, block_of(cells[cell])) && !visit(cell)) return;
    }
  }
}

// Returns the cell of a ring where a mob appears, or -1 if there is none.
template <class Draws>
ENVPOOL_DEVICE_CALL i32 find_cell(State& s, i32 kind, Ring ring, Draws& draws) {
  Mobs& mobs = s.mobs[s.level];
  constexpr u8 kTaken = 63;  // instead of the block of an occupied cell, which is in no set
  u8 taken[kMobs];
  for (i32 i = 0; i < kMobs; ++i) {
    u8& cell = s.cell[s.level][mobs.cell[i]];
    taken[i] = cell;
    if ((mobs.occupying >> i & 1) != 0) cell = kTaken;
  }
  i32 count = 0, chosen = -1;
  for_ring(s, ring, [&](i32) {
    ++count;
    return true;
  });
  if (count > 0) {
    chosen = draws.pick(kind, count, [&](i32 n) {
      i32 at = 0;
      for_ring(s, ring, [&](i32 cell) {
        at = cell;
        return n-- > 0;
      });
      return at;
    });
  }
  for (i32 i = kMobs - 1; i >= 0; --i) {  // In this order, because mobs may share a cell.
    if ((mobs.occupying >> i & 1) != 0) s.cell[s.level][mobs.cell[i]] = taken[i];
  }
  return chosen;
}

// Lets a mob of a kind appear with a probability.
template <class Draws>
ENVPOOL_FN void spawn(State& s, i32 kind, i32 type, f32 chance, Ring ring, Draws& draws) {
  Mobs& mobs = s.mobs[s.level];
  const u32 dead = all_of(kind) & ~u32{mobs.alive};
  i32 mob = first_mob(kind);
  if (dead == 0) {  // The reference then changes the type of the kind's first mob, and marks its cell.
    mobs.type[mob] = u8(type);
    mobs.occupying |= u8(1u << mob);
    return;
  }
  while ((dead >> mob & 1) == 0) ++mob;
  mobs.type[mob] = u8(type);
  if (chance <= 0 || !draws.spawns(kind, chance)) return;
  const i32 cell = find_cell(s, kind, ring, draws);
  if (cell < 0) return;
  mobs.cell[mob] = u16(cell);
  mobs.health[mob] = health_of(kind, type);
  mobs.alive |= u8(1u << mob);
  mobs.occupying |= u8(1u << mob);
}

template <class Draws>
ENVPOOL_FN void spawn_mobs(State& s, const Params& p, Draws& draws) {
  const i32 floor = s.level, far = p.despawn_distance * p.despawn_distance - 1;
  const bool boss = at_boss(s);
  const f32 passive_chance = floor == kIceRealm || boss ? 0 : 0.1f;
  spawn(s, kPassive, type_on(floor, kPassive), passive_chance, {kGround, 10, far}, draws);

  // Mobs that fight are three times as frequent until eight have been defeated. In the necromancer's fight, all that
  // is possible appear during a wave, and none after it.
  f32 factor = s.defeated[floor] < kToClear ? 3 : 1;
  if (boss) factor *= s.boss_wave > 0 ? 1000 : 0;
  const f32 dark = 1 - s.light;
  const f32 melee_chance = floor == kOverworld ? 0.02f + 0.1f * (dark * dark) : 0.06f;
  const Ring ring = boss ? Ring{kGraves, 0, min(36, far)} : Ring{kGround, 82, far};
  const i32 source = boss ? s.boss_progress : floor;
  spawn(s, kMelee, type_on(source, kMelee), melee_chance * factor, ring, draws);
  const i32 type = type_on(source, kRanged);
  Ring ranged_ring = ring;
  if (!boss && type == 5) ranged_ring.blocks = kSea;
  spawn(s, kRanged, type, 0.05f * factor, ranged_ring, draws);
}

}  // namespace envpool::craftax::full
