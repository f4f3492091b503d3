// SPDX-License-Identifier: Apache-2.0
//
// Craftax in full: the state of a world. A player gathers, builds, fights, eats, drinks and sleeps on nine floors of 48
// by 48 blocks, which ladders join. Each floor has mobs of its own, and on the last one is a necromancer.
//
// M. Matthews et al., "Craftax: A Lightning-Fast Benchmark for Open-Ended Reinforcement Learning" (ICML 2024).
// Reference: craftax 1.6.1. Its state has 273 kB; this one has about 24 kB.
#pragma once

#include "envpool/craftax/full/blocks.h"

namespace envpool::craftax::full {

inline constexpr i32 kSide = 48, kCells = kSide * kSide;

enum Floor : u8 {
  kOverworld,
  kDungeon,
  kGnomishMines,
  kSewers,
  kVault,
  kTrollMines,
  kFireRealm,
  kIceRealm,
  kGraveyard,  // where the necromancer is
  kFloors
};
// Floors that are dark, except near torches, ladders and lava, are numbered from 0. The others have no number.
inline constexpr i32 kDarkFloors = 4;
ENVPOOL_FN constexpr i32 dark_number(i32 floor) {
  return floor == kGnomishMines ? 0 : floor == kTrollMines ? 1 : floor == kIceRealm ? 2 : floor == kGraveyard ? 3 : -1;
}

// A floor's mobs are numbered: three that fight at close range, three harmless ones, two that shoot. What they are is
// their type, for example zombie, cow and skeleton (0) or ice troll, none and ice elemental (7).
enum Kind : u8 { kMelee, kPassive, kRanged };
inline constexpr i32 kMobs = 8, kTypes = 8, kShots = 3, kPlants = 10;
inline constexpr i32 kAchievementBytes = (kAchievements + 7) / 8;
ENVPOOL_FN constexpr i32 first_mob(i32 kind) { return kind * 3; }
ENVPOOL_FN constexpr i32 mobs_of(i32 kind) { return kind == kRanged ? 2 : 3; }
ENVPOOL_FN constexpr u32 all_of(i32 kind) { return ((1u << mobs_of(kind)) - 1) << first_mob(kind); }

struct Params {
  i32 day_length, despawn_distance, max_attribute;
  bool always_diamond;
};

// Mobs that are not alive keep their number and walk about unseen.
struct Mobs {
  f32 health[kMobs];
  u16 cell[kMobs];  // 48 row + column
  u8 type[kMobs];
  u8 cooldown[kMobs];  // steps until a mob may attack again
  u8 alive;            // a bit for each mob
  // A bit for each mob whose cell is occupied. The cells of all other living mobs are free for others, because another
  // mob has left the same cell.
  u8 occupying;
};

// The arrows and other things that fly. Those that have ended fly on, unseen.
struct Shots {
  i8 y[kShots], x[kShots], dy[kShots], dx[kShots];
  u8 type[kShots];
  u8 flying;  // a bit for each
};
enum ShotType : u8 { kArrow, kDagger, kFireballShot, kIceballShot, kHeavyArrow, kSlimeball, kFireball2, kIceball2 };

struct State {
  u8 cell[kFloors][kCells];     // row by row: the block, and 64 times the thing on it
  u64 lit[kDarkFloors][kSide];  // a bit for each block of each row
  Mobs mobs[kFloors];
  Shots mob_shots[kFloors], player_shots[kFloors];
  u16 ladder_down[kFloors], ladder_up[kFloors];  // their cells
  u8 defeated[kFloors];                          // how many that fight or shoot, at most kToClear
  bool chest_opened[kFloors];
  u16 made;  // a bit for each floor: the player has been there, so it has been made

  i32 level;     // the floor
  i32 y, x;      // row and column of the player
  u8 direction;  // the Action kLeft to kDown that turned the player last
  bool asleep, resting;
  f32 health;
  i32 food, drink, energy, mana;
  // The next food, drink, energy or mana is lost or gained, or the next health changes, when one of them is beyond a
  // limit.
  f32 hunger, thirst, fatigue, recover, recover_mana;
  u8 experience, dexterity, strength, intelligence;

  u8 item[kItems];
  u8 potion[kPotions];         // by color
  u8 potion_effect[kPotions];  // of each color, in this episode
  u8 armour[kArmours];         // 0 none, 1 iron, 2 diamond
  u8 armour_enchantment[kArmours], sword_enchantment, bow_enchantment;
  bool learned[kSpells];

  u8 boss_progress;  // how often the necromancer has been hit, at most kBossLives
  u8 boss_wave;      // steps in which more mobs rise from the graves

  u8 plants;  // how many are growing or ripe, all in the overworld
  u16 plant_cell[kPlants];
  u16 plant_age[kPlants];  // at most kRipeAge

  u8 achievements[kAchievementBytes];  // a bit for each
  f32 light;                           // from 0 at night to 1
  i32 time;                            // steps since the episode began
};
inline constexpr i32 kToClear = 8, kBossLives = 8, kBossWave = 7, kRipeAge = 600, kMostAttribute = 100;

struct Place {
  i32 y, x;

  ENVPOOL_FN constexpr bool inside() const { return u32(y) < u32(kSide) && u32(x) < u32(kSide); }
  ENVPOOL_FN constexpr i32 cell() const { return y * kSide + x; }
  ENVPOOL_FN constexpr bool operator==(const Place& other) const { return y == other.y && x == other.x; }
};
ENVPOOL_FN constexpr Place operator+(Place a, Place b) { return {a.y + b.y, a.x + b.x}; }
ENVPOOL_FN constexpr Place operator-(Place a, Place b) { return {a.y - b.y, a.x - b.x}; }
ENVPOOL_FN constexpr Place place_of(i32 cell) { return {cell / kSide, cell % kSide}; }
ENVPOOL_FN constexpr Place player_of(const State& s) { return {s.y, s.x}; }

// Returns the step of one of the actions kLeft to kDown; nothing for others.
ENVPOOL_FN constexpr Place step_of(i32 action) {
  return {(action == kDown) - (action == kUp), (action == kRight) - (action == kLeft)};
}
ENVPOOL_FN constexpr Place front_of(const State& s) { return player_of(s) + step_of(s.direction); }
ENVPOOL_FN constexpr i32 size_of(i32 x) { return x < 0 ? -x : x; }
ENVPOOL_FN constexpr i32 sign_of(i32 x) { return (x > 0) - (x < 0); }
ENVPOOL_FN constexpr i32 distance(Place a, Place b) { return size_of(a.y - b.y) + size_of(a.x - b.x); }

// Returns the cell that the reference reads for a place, which may be outside the floor: row -1 is the last row, as in
// NumPy, and rows beyond the last are the last one. JAX's arrays behave so.
ENVPOOL_FN i32 cell_read(Place p) {
  const Place at{p.y < 0 ? p.y + kSide : p.y, p.x < 0 ? p.x + kSide : p.x};
  return Place{clamp(at.y, 0, kSide - 1), clamp(at.x, 0, kSide - 1)}.cell();
}
// Returns the cell that the reference writes for a place, or -1 if it writes none.
ENVPOOL_FN constexpr i32 cell_written(Place p) {
  const Place at{p.y < 0 ? p.y + kSide : p.y, p.x < 0 ? p.x + kSide : p.x};
  return at.inside() ? at.cell() : -1;
}

ENVPOOL_FN constexpr u8 block_of(u8 cell) { return cell & 63; }
ENVPOOL_FN constexpr u8 thing_of(u8 cell) { return cell >> 6; }
ENVPOOL_FN constexpr u8 with_block(u8 cell, u8 block) { return u8((cell & 192) | block); }
ENVPOOL_FN constexpr u8 with_thing(u8 cell, u8 thing) { return u8((cell & 63) | thing << 6); }
// Returns the block of a place on the player's floor, as the reference reads it.
ENVPOOL_FN u8 block_at(const State& s, Place p) { return block_of(s.cell[s.level][cell_read(p)]); }

ENVPOOL_FN bool is_lit(const State& s, i32 y, i32 x) {
  const i32 dark = dark_number(s.level);
  return dark < 0 || (s.lit[dark][y] >> x & 1) != 0;
}

// Lights what is less than five blocks from a place, as a torch does. What would be outside the floor is left out.
ENVPOOL_FN void light_around(State& s, i32 floor, Place p) {
  constexpr u8 kReach[] = {4, 4, 4, 3,
                           2};  // columns to each side, by rows from the torch; kReach[4] is sqrt(16 + 4) < 5
  const i32 dark = dark_number(floor);
  if (dark < 0) return;
  for (i32 dy = -4; dy <= 4; ++dy) {
    const i32 reach = kReach[size_of(dy)];
    const i32 left = max(p.x - reach, 0), right = min(p.x + reach, kSide - 1);
    if (u32(p.y + dy) >= u32(kSide) || left > right) continue;
    s.lit[dark][p.y + dy] |= ((u64{1} << (right - left + 1)) - 1) << left;
  }
}

// Returns the mobs, as bits, whose cell is the given one.
ENVPOOL_FN u32 mobs_at(const Mobs& mobs, i32 cell) {
  u32 bits = 0;
  for (i32 i = 0; i < kMobs; ++i) bits |= u32(mobs.cell[i] == cell) << i;
  return bits;
}
// Returns whether a mob or the player occupies a place of the floor.
ENVPOOL_FN bool is_occupied(const State& s, Place p) {
  const Mobs& mobs = s.mobs[s.level];
  return (mobs_at(mobs, p.cell()) & mobs.occupying) != 0 || p == player_of(s);
}
// Returns whether someone who can go to a set of blocks can go to a place.
ENVPOOL_FN bool is_free(const State& s, Place p, u64 blocks) {
  return p.inside() && is_in(blocks, block_of(s.cell[s.level][p.cell()])) && !is_occupied(s, p);
}

ENVPOOL_FN bool at_boss(const State& s) { return s.level == kGraveyard; }
ENVPOOL_FN bool is_boss_vulnerable(const State& s) {
  return (s.mobs[s.level].alive & (all_of(kMelee) | all_of(kRanged))) == 0 && s.boss_wave == 0;
}

ENVPOOL_FN bool has_achieved(const State& s, i32 achievement) {
  return (s.achievements[achievement >> 3] >> (achievement & 7) & 1) != 0;
}
ENVPOOL_FN void achieve(State& s, i32 achievement, bool done = true) {
  s.achievements[achievement >> 3] |= u8(u32(done) << (achievement & 7));
}

// Returns how light it is at a time.
ENVPOOL_FN f32 light_at(i32 time, const Params& p) {
  const f32 progress = fmod(f32(time) / f32(p.day_length), 1.0f) + 0.3f;
  const f32 dark = fabs(cos(3.14159265f * progress));
  return 1 - dark * (dark * dark);
}

ENVPOOL_FN void repair_mobs(Mobs& mobs) {
  for (u16& cell : mobs.cell) keep_within<u16>(cell, 0, kCells - 1);
  for (u8& type : mobs.type) keep_within<u8>(type, 0, kTypes - 1);
  mobs.occupying &= mobs.alive;
}
ENVPOOL_FN void repair_shots(Shots& shots) {
  for (i32 i = 0; i < kShots; ++i) {
    keep_within<i8>(shots.dy[i], -1, 1);
    keep_within<i8>(shots.dx[i], -1, 1);
    keep_within<u8>(shots.type[i], 0, kTypes - 1);
  }
  shots.flying &= (1u << kShots) - 1;
}

ENVPOOL_FN void repair_state(State& s) {
  for (i32 floor = 0; floor < kFloors; ++floor) {
    repair_mobs(s.mobs[floor]);
    repair_shots(s.mob_shots[floor]);
    repair_shots(s.player_shots[floor]);
    keep_within<u16>(s.ladder_down[floor], 0, kCells - 1);
    keep_within<u16>(s.ladder_up[floor], 0, kCells - 1);
    keep_within<u8>(s.defeated[floor], 0, kToClear);
    keep_bool(s.chest_opened[floor]);
  }
  keep_within(s.level, 0, kFloors - 1);
  keep_within(s.y, 0, kSide - 1);
  keep_within(s.x, 0, kSide - 1);
  keep_within<u8>(s.direction, kLeft, kDown);
  keep_bool(s.asleep);
  keep_bool(s.resting);
  keep_within(s.health, 0.0f, 1000.0f);
  keep_within(s.food, 0, 1000);
  keep_within(s.drink, 0, 1000);
  keep_within(s.energy, 0, 1000);
  keep_within(s.mana, 0, 1000);
  keep_within<u8>(s.dexterity, 1, kMostAttribute);
  keep_within<u8>(s.strength, 1, kMostAttribute);
  keep_within<u8>(s.intelligence, 1, kMostAttribute);
  for (u8& count : s.item) keep_within<u8>(count, 0, kMost);
  keep_within<u8>(s.item[kPickaxe], 0, 4);
  keep_within<u8>(s.item[kSword], 0, 4);
  for (u8& count : s.potion) keep_within<u8>(count, 0, kMost);
  for (u8& effect : s.potion_effect) keep_within<u8>(effect, 0, kPotions - 1);
  for (u8& armour : s.armour) keep_within<u8>(armour, 0, 2);
  for (u8& enchantment : s.armour_enchantment) keep_within<u8>(enchantment, kPlain, kOfIce);
  keep_within<u8>(s.sword_enchantment, kPlain, kOfIce);
  keep_within<u8>(s.bow_enchantment, kPlain, kOfIce);
  for (bool& learned : s.learned) keep_bool(learned);
  keep_within<u8>(s.boss_progress, 0, kBossLives);
  keep_within<u8>(s.boss_wave, 0, kBossWave);
  keep_within<u8>(s.plants, 0, kPlants);
  for (u16& cell : s.plant_cell) keep_within<u16>(cell, 0, kCells - 1);
  for (u16& age : s.plant_age) keep_within<u16>(age, 0, kRipeAge);
  s.achievements[kAchievementBytes - 1] &= (1u << kAchievements % 8) - 1;
}

}  // namespace envpool::craftax::full
