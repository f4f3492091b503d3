// SPDX-License-Identifier: Apache-2.0
//
// The mobs of Craftax and what flies: some chase and hit the player, some shoot, others wander. Mobs far away
// disappear.
#pragma once

#include "envpool/craftax/full/act.h"

namespace envpool::craftax::full {

// What a mob sees of the player.
struct Sight {
  i32 distance;
  Place toward;  // a step to the player, along the longer of the two ways
};
ENVPOOL_FN Sight look(const State& s, i32 mob, const Moves& moves) {
  const Place way = player_of(s) - place_of(s.mobs[s.level].cell[mob]);
  const i32 down = size_of(way.y), across = size_of(way.x);
  const bool row = across > down || (across == down && (moves.across >> mob & 1) != 0);
  Sight sight;  // A conditional operator between two places makes NVRTC 12.9 crash.
  sight.distance = down + across;
  sight.toward.y = row ? 0 : sign_of(way.y);
  sight.toward.x = row ? sign_of(way.x) : 0;
  return sight;
}

// Moves a mob if it can, and removes it unless it stays.
ENVPOOL_DEVICE_CALL void move_mob(State& s, i32 mob, Place to, bool free, bool stays) {
  Mobs& mobs = s.mobs[s.level];
  const bool alive = (mobs.alive >> mob & 1) != 0;
  if (alive) mobs.occupying &= u8(~mobs_at(mobs, mobs.cell[mob]));
  if (free) mobs.cell[mob] = u16(to.cell());
  if (!alive) return;
  if (stays) {
    mobs.occupying |= u8(1u << mob);
  } else {
    mobs.alive &= u8(~(1u << mob));
  }
}

ENVPOOL_FN void move_melee(State& s, i32 mob, const Moves& moves, const Params& p) {
  Mobs& mobs = s.mobs[s.level];
  const Place at = place_of(mobs.cell[mob]);
  const Sight sight = look(s, mob, moves);
  const bool stays = sight.distance < p.despawn_distance || at_boss(s);
  if (sight.distance == 1 && mobs.cooldown[mob] == 0 && (mobs.alive >> mob & 1) != 0) {
    achieve(s, kWakeUp, s.asleep);
    hurt(s, damage_of_mob(mobs.type[mob]) * (s.asleep ? 3.5f : 1.0f));
    mobs.cooldown[mob] = 5;
    return move_mob(s, mob, at, false, stays);
  }
  mobs.cooldown[mob] = u8(max(mobs.cooldown[mob] - 1, 0));
  const bool chases = (sight.distance < 10 || at_boss(s)) && (moves.bold >> mob & 1) != 0;
  Place to = at + step_of(moves.direction[mob]);
  if (chases) to = at + sight.toward;
  move_mob(s, mob, to, is_free(s, to, ways_of(kMelee, mobs.type[mob])), stays);
}

ENVPOOL_FN void move_ranged(State& s, i32 mob, const Moves& moves, const Params& p) {
  Mobs& mobs = s.mobs[s.level];
  const Place at = place_of(mobs.cell[mob]);
  const Sight sight = look(s, mob, moves);
  const bool stays = sight.distance < p.despawn_distance || at_boss(s);
  const bool bold = (moves.bold >> mob & 1) != 0, close = sight.distance <= 3;
  Place to = at + step_of(moves.direction[mob]);
  if (bold && close) to = at - sight.toward;
  if (bold && sight.distance >= 6) to = at + sight.toward;
  const bool free = is_free(s, to, ways_of(kRanged, mobs.type[mob]));
  // It shoots from 4 or 5 steps away, or if it cannot leave a player who is close.
  const bool aims = (sight.distance & ~1) == 4 || (close && !free);
  if (aims && mobs.cooldown[mob] == 0 && (mobs.alive >> mob & 1) != 0) {
    shoot(s.mob_shots[s.level], at, sight.toward, shot_of_mob(mobs.type[mob]));
    mobs.cooldown[mob] = 4;
    return move_mob(s, mob, at, false, stays);
  }
  mobs.cooldown[mob] = u8(max(mobs.cooldown[mob] - 1, 0));
  move_mob(s, mob, to, free, stays);
}

// Returns whether something that flies goes on from a place, unless it hits someone.
ENVPOOL_FN bool flies_over(const State& s, Place p) { return p.inside() && !is_in(kSolid, block_at(s, p)); }

ENVPOOL_FN Place next_place(const Shots& shots, i32 i) { return {shots.y[i] + shots.dy[i], shots.x[i] + shots.dx[i]}; }
// Nothing sees what is so far outside.
ENVPOOL_FN void put_shot(Shots& shots, i32 i, Place to) {
  shots.y[i] = i8(clamp(to.y, -kSide, 2 * kSide - 1));
  shots.x[i] = i8(clamp(to.x, -kSide, 2 * kSide - 1));
}

ENVPOOL_FN void move_mob_shot(State& s, i32 i) {
  Shots& shots = s.mob_shots[s.level];
  const Place to = next_place(shots, i);
  if ((shots.flying >> i & 1) != 0) {
    const bool hits = Place{shots.y[i], shots.x[i]} == player_of(s) || to == player_of(s);
    const u8 block = block_at(s, to);
    if (hits || !flies_over(s, to) || is_occupied(s, to)) shots.flying &= u8(~(1u << i));
    if (hits) hurt(s, damage_of_shot(shots.type[i]));
    const i32 written = cell_written(to);
    if ((block == kTable || block == kFurnace) && written >= 0) {
      u8& cell = s.cell[s.level][written];
      cell = with_block(cell, kPath);
    }
  }
  put_shot(shots, i, to);
}

ENVPOOL_FN Damage damage_of_player_shot(const State& s, i32 type) {
  Damage damage = damage_of_shot(type);
  if (type == kArrow || type == kHeavyArrow) {
    const f32 half = damage.physical / 2;
    if (s.bow_enchantment == kOfFire) damage.fire += half;
    if (s.bow_enchantment == kOfIce) damage.ice += half;
    return damage * (1 + 0.2f * f32(s.dexterity - 1));
  }
  if (type == kFireballShot || type == kIceballShot) return damage * (1 + 0.5f * f32(s.intelligence - 1));
  return damage;
}

ENVPOOL_FN void move_player_shot(State& s, i32 i) {
  Shots& shots = s.player_shots[s.level];
  const Place at{shots.y[i], shots.x[i]}, to = next_place(shots, i);
  if ((shots.flying >> i & 1) != 0) {
    const Damage damage = damage_of_player_shot(s, shots.type[i]);
    const bool flies = flies_over(s, to);
    if (attack(s, at, damage, false) || attack(s, to, damage, false) || !flies) shots.flying &= u8(~(1u << i));
  }
  put_shot(shots, i, to);
}

template <class Draws>
ENVPOOL_FN void move_mobs(State& s, const Params& p, Draws& draws) {
  const Moves moves = draws.moves();
  Mobs& mobs = s.mobs[s.level];
  for (i32 i = first_mob(kMelee); i < first_mob(kPassive); ++i) move_melee(s, i, moves, p);
  for (i32 i = first_mob(kPassive); i < first_mob(kRanged); ++i) {
    const Place at = place_of(mobs.cell[i]), to = at + step_of(moves.direction[i]);
    const bool free = is_free(s, to, ways_of(kPassive, mobs.type[i]));
    move_mob(s, i, to, free, distance(at, player_of(s)) < p.despawn_distance);
  }
  for (i32 i = first_mob(kRanged); i < kMobs; ++i) move_ranged(s, i, moves, p);
  for (i32 i = 0; i < kShots; ++i) move_mob_shot(s, i);
  for (i32 i = 0; i < kShots; ++i) move_player_shot(s, i);
}

}  // namespace envpool::craftax::full
