// SPDX-License-Identifier: Apache-2.0
//
// The mobs of Craftax-Classic: zombies chase and hit the player, skeletons shoot arrows, cows wander, and others appear
// around the player. Mobs far away disappear.
#pragma once

#include "envpool/craftax/player.h"

namespace envpool::craftax {

// What a mob sees of the player.
struct Sight {
  i32 distance;
  Place toward;  // a step to the player, along the longer of the two ways
};
ENVPOOL_FN Sight look(const State& s, i32 mob, const Moves& moves) {
  const Place way = player_of(s) - place_of(s.mob_cell[mob]);
  const i32 down = size_of(way.y), across = size_of(way.x);
  const bool row = across > down || (across == down && (moves.across >> mob & 1) != 0);
  Sight sight;  // A conditional operator between two places makes NVRTC 12.9 crash.
  sight.distance = down + across;
  sight.toward.y = row ? 0 : sign_of(way.y);
  sight.toward.x = row ? sign_of(way.x) : 0;
  return sight;
}

// Moves a mob if it can, and removes it if it was as far from the player as `distance` says.
ENVPOOL_DEVICE_CALL void move_mob(State& s, i32 mob, Place to, i32 distance, const Params& p) {
  const bool free = is_free(s, to), alive = (s.alive >> mob & 1) != 0;
  if (alive) s.occupying &= u8(~mobs_at(s, s.mob_cell[mob]));
  if (free) s.mob_cell[mob] = u16(to.cell());
  if (!alive) return;
  if (distance < p.despawn_distance) {
    s.occupying |= u8(1u << mob);
  } else {
    s.alive &= u8(~(1u << mob));
  }
}

ENVPOOL_FN void rest(u8& cooldown) { cooldown = u8(max(cooldown - 1, 0)); }

ENVPOOL_FN void move_zombie(State& s, i32 mob, const Moves& moves, const Params& p) {
  const Place at = place_of(s.mob_cell[mob]);
  const Sight sight = look(s, mob, moves);
  if (sight.distance == 1 && s.mob_cooldown[mob] == 0 && (s.alive >> mob & 1) != 0) {
    s.health -= s.asleep ? 7 : 2;
    achieve(s, kWakeUp, s.asleep);
    s.asleep = false;
    s.mob_cooldown[mob] = 5;
    return move_mob(s, mob, at, sight.distance, p);
  }
  rest(s.mob_cooldown[mob]);
  const bool chases = sight.distance < 10 && (moves.bold >> mob & 1) != 0;
  Place to = at + step_of(moves.direction[mob]);
  if (chases) to = at + sight.toward;
  move_mob(s, mob, to, sight.distance, p);
}

ENVPOOL_FN void shoot(State& s, Place from, Place direction) {
  for (i32 i = 0; i < kArrows; ++i) {
    if ((s.arrows >> i & 1) != 0) continue;
    s.arrows |= u8(1u << i);
    s.arrow_y[i] = i8(from.y);
    s.arrow_x[i] = i8(from.x);
    s.arrow_dy[i] = i8(direction.y);
    s.arrow_dx[i] = i8(direction.x);
    return;
  }
}

ENVPOOL_FN void move_skeleton(State& s, i32 mob, const Moves& moves, const Params& p) {
  const Place at = place_of(s.mob_cell[mob]);
  const Sight sight = look(s, mob, moves);
  const bool bold = (moves.bold >> mob & 1) != 0, close = sight.distance <= 3;
  Place to = at + step_of(moves.direction[mob]);
  if (bold && close) to = at - sight.toward;
  if (bold && sight.distance >= 10) to = at + sight.toward;
  // It shoots from 4 or 5 steps away, or if it cannot leave a player who is close.
  const bool aims = (sight.distance & ~1) == 4 || (close && !is_free(s, to));
  if (aims && s.mob_cooldown[mob] == 0 && (s.alive >> mob & 1) != 0) {
    shoot(s, at, sight.toward);
    s.mob_cooldown[mob] = 4;
    return move_mob(s, mob, at, sight.distance, p);
  }
  rest(s.mob_cooldown[mob]);
  move_mob(s, mob, to, sight.distance, p);
}

// Arrows that have ended fly on, unseen. This is visible all the same: see observe in classic_symbolic.h.
ENVPOOL_FN void move_arrow(State& s, i32 i) {
  const Place to{s.arrow_y[i] + s.arrow_dy[i], s.arrow_x[i] + s.arrow_dx[i]};
  if ((s.arrows >> i & 1) != 0) {
    const u8 block = s.block[cell_read(to)];
    const bool flies = to.inside() && !is_in(kSolid & ~set_of(kWater), block) && !is_occupied(s, to);
    if (!flies) s.arrows &= u8(~(1u << i));
    if (to == player_of(s)) {
      s.health -= 2;
      s.asleep = false;
    }
    const i32 cell = cell_written(to);
    if ((block == kTable || block == kFurnace) && cell >= 0) s.block[cell] = kPath;
  }
  // Nothing sees an arrow that is so far outside.
  s.arrow_y[i] = i8(clamp(to.y, -kSide, 2 * kSide - 1));
  s.arrow_x[i] = i8(clamp(to.x, -kSide, 2 * kSide - 1));
}

template <class Draws>
ENVPOOL_FN void move_mobs(State& s, const Params& p, Draws& draws) {
  const Moves moves = draws.moves();
  for (i32 i = first_mob(kZombie); i < first_mob(kCow); ++i) move_zombie(s, i, moves, p);
  for (i32 i = first_mob(kCow); i < first_mob(kSkeleton); ++i) {
    const Place at = place_of(s.mob_cell[i]);
    move_mob(s, i, at + step_of(moves.direction[i]), distance(at, player_of(s)), p);
  }
  for (i32 i = first_mob(kSkeleton); i < kMobs; ++i) move_skeleton(s, i, moves, p);
  for (i32 i = 0; i < kArrows; ++i) move_arrow(s, i);
}

// Calls visit(cell) for the cells, row by row, that are at least `near` and less than `far` steps from the player and
// whose block is in a set, until visit returns false.
template <class Visit>
ENVPOOL_FN void for_cells_around(const State& s, i32 near, i32 far, u32 blocks, Visit&& visit) {
  const Place player = player_of(s);
  for (i32 y = max(player.y - far + 1, 0); y <= min(player.y + far - 1, kSide - 1); ++y) {
    const i32 down = size_of(y - player.y), most = far - 1 - down, least = max(near - down, 0);
    for (i32 x = max(player.x - most, 0); x <= min(player.x + most, kSide - 1); ++x) {
      if (size_of(x - player.x) < least) x = player.x + least;  // skips what is too near
      if (x > kSide - 1) break;
      const i32 cell = y * kSide + x;
      if (is_in(blocks, s.block[cell]) && !visit(cell)) return;
    }
  }
}

// Lets a mob appear with a probability, at least `near` steps from the player.
template <class Draws>
ENVPOOL_DEVICE_CALL void spawn(State& s, i32 kind, f32 chance, i32 near, u32 blocks, i32 health, const Params& p,
                               Draws& draws) {
  const u32 dead = all_of(kind) & ~u32{s.alive};
  if (dead == 0) {  // The reference then marks the cell of the kind's first mob.
    s.occupying |= u8(1u << first_mob(kind));
    return;
  }
  if (!draws.spawns(kind, chance)) return;
  constexpr u8 kTaken = 31;  // instead of the block of an occupied cell, which is in no set
  u8 taken[kMobs];
  for (i32 i = 0; i < kMobs; ++i) {
    taken[i] = s.block[s.mob_cell[i]];
    if ((s.occupying >> i & 1) != 0) s.block[s.mob_cell[i]] = kTaken;
  }
  i32 count = 0, chosen = -1;
  for_cells_around(s, near, p.despawn_distance, blocks, [&](i32) {
    ++count;
    return true;
  });
  if (count > 0) {
    chosen = draws.pick(kind, count, [&](i32 n) {
      i32 at = 0;
      for_cells_around(s, near, p.despawn_distance, blocks, [&](i32 cell) {
        at = cell;
        return n-- > 0;
      });
      return at;
    });
  }
  for (i32 i = kMobs - 1; i >= 0; --i) {  // In this order, because mobs may share a cell.
    if ((s.occupying >> i & 1) != 0) s.block[s.mob_cell[i]] = taken[i];
  }
  if (chosen < 0) return;
  i32 mob = first_mob(kind);
  while ((dead >> mob & 1) == 0) ++mob;
  s.mob_cell[mob] = u16(chosen);
  s.mob_health[mob] = i8(health);
  s.alive |= u8(1u << mob);
  s.occupying |= u8(1u << mob);
}

template <class Draws>
ENVPOOL_FN void spawn_mobs(State& s, const Params& p, Draws& draws) {
  const f32 dark = 1 - s.light;
  const f32 zombie_chance = f32(p.zombie_chance) + f32(p.zombie_night_chance) * (dark * dark);
  spawn(s, kCow, f32(p.cow_chance), 4, set_of(kGrass), p.cow_health, p, draws);
  spawn(s, kZombie, zombie_chance, 10, set_of(kGrass, kPath), p.zombie_health, p, draws);
  spawn(s, kSkeleton, f32(p.skeleton_chance), 10, set_of(kPath), p.skeleton_health, p, draws);
}

}  // namespace envpool::craftax
