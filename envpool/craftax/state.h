// SPDX-License-Identifier: Apache-2.0
//
// Craftax-Classic: the blocks, items, achievements and actions, and the state of a world. An agent gathers, builds,
// fights, eats, drinks and sleeps in a world of 64 by 64 blocks, in which zombies, cows and skeletons live.
//
// M. Matthews et al., "Craftax: A Lightning-Fast Benchmark for Open-Ended Reinforcement Learning" (ICML 2024), after D.
// Hafner, "Benchmarking the Spectrum of Agent Capabilities" (ICLR 2022). Reference: craftax 1.6.1.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::craftax {

inline constexpr i32 kSide = 64, kCells = kSide * kSide;

enum Block : u8 {
  kInvalid,  // in no world
  kOutOfBounds,
  kGrass,
  kWater,
  kStone,
  kTree,
  kWood,  // in no world
  kPath,
  kCoal,
  kIron,
  kDiamond,
  kTable,
  kFurnace,
  kSand,
  kLava,
  kPlant,
  kRipePlant,
  kBlocks
};

enum Item : u8 {
  kWoodItem,
  kStoneItem,
  kCoalItem,
  kIronItem,
  kDiamondItem,
  kSapling,
  kWoodPickaxe,
  kStonePickaxe,
  kIronPickaxe,
  kWoodSword,
  kStoneSword,
  kIronSword,
  kItems
};
inline constexpr i32 kMost = 9;  // of each item, and of health, food, drink and energy

enum Achievement : u8 {
  kCollectWood,
  kPlaceTable,
  kEatCow,
  kCollectSapling,
  kCollectDrink,
  kMakeWoodPickaxe,
  kMakeWoodSword,
  kPlacePlant,
  kDefeatZombie,
  kCollectStone,
  kPlaceStone,
  kEatPlant,
  kDefeatSkeleton,
  kMakeStonePickaxe,
  kMakeStoneSword,
  kWakeUp,
  kPlaceFurnace,
  kCollectCoal,
  kCollectIron,
  kCollectDiamond,
  kMakeIronPickaxe,
  kMakeIronSword,
  kAchievements
};

enum Action : i32 {
  kNoop,
  kLeft,
  kRight,
  kUp,
  kDown,
  kDo,
  kSleep,
  kPlaceStoneBlock,
  kPlaceTableBlock,
  kPlaceFurnaceBlock,
  kPlaceSapling,
  kMakeFirst,  // the six tools in the order of the items
  kMakeLast = kMakeFirst + 5,
  kActions
};

// Mobs are numbered: three zombies, three cows, two skeletons.
enum Kind : u8 { kZombie, kCow, kSkeleton };
inline constexpr i32 kMobs = 8, kArrows = 3, kPlants = 10;
ENVPOOL_FN constexpr i32 first_mob(i32 kind) { return kind * 3; }
ENVPOOL_FN constexpr i32 mobs_of(i32 kind) { return kind == kSkeleton ? 2 : 3; }
ENVPOOL_FN constexpr u32 all_of(i32 kind) { return ((1u << mobs_of(kind)) - 1) << first_mob(kind); }

struct Params {
  i32 day_length, despawn_distance, zombie_health, cow_health, skeleton_health;
  f64 cow_chance, zombie_chance, zombie_night_chance, skeleton_chance;
  bool always_diamond;
};

struct State {
  u8 block[kCells];  // row by row
  u8 item[kItems];
  u8 food, drink, energy;
  u8 direction;  // the Action kLeft to kDown that turned the player last
  bool asleep;
  // In halves, because they change by halves while the player sleeps. The next food, drink or energy is lost, or the
  // next health changes, when one of them is beyond a limit.
  i8 hunger, thirst, fatigue, recover;
  i32 health;
  i32 y, x;  // row and column of the player; -1 is possible, see walk()

  // Mobs that are not alive keep their number, walk about unseen, and may come alive again: see Rules::act.
  u16 mob_cell[kMobs];  // 64 row + column
  i8 mob_health[kMobs];
  u8 mob_cooldown[kMobs];  // steps until a mob may attack again
  u8 alive;                // a bit for each mob
  // A bit for each mob whose cell is occupied. The cells of all other living mobs are free for others, because another
  // mob has left the same cell.
  u8 occupying;

  u8 arrows;  // a bit for each arrow that flies
  i8 arrow_y[kArrows], arrow_x[kArrows];
  i8 arrow_dy[kArrows], arrow_dx[kArrows];

  u8 plants;  // how many are growing or ripe
  u16 plant_cell[kPlants];
  i32 plant_age[kPlants];

  i32 achievements;  // a bit for each
  f32 light;         // from 0 at night to 1
  i32 time;          // steps since the episode began
};

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
ENVPOOL_FN constexpr i32 size_of(i32 x) { return x < 0 ? -x : x; }
ENVPOOL_FN constexpr i32 sign_of(i32 x) { return (x > 0) - (x < 0); }
ENVPOOL_FN constexpr i32 distance(Place a, Place b) { return size_of(a.y - b.y) + size_of(a.x - b.x); }

// Returns the cell that the reference reads for a place, which may be outside the world: row -1 is the last row, as in
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

// Returns whether a block is in a set of blocks, which has a bit for each.
ENVPOOL_FN constexpr bool is_in(u32 set, u8 block) { return (set >> (block & 31) & 1) != 0; }
template <class... Blocks>
ENVPOOL_FN constexpr u32 set_of(Blocks... blocks) {
  return ((1u << blocks) | ...);
}
inline constexpr u32 kSolid =
    set_of(kWater, kStone, kTree, kCoal, kIron, kDiamond, kTable, kFurnace, kPlant, kRipePlant);

// Returns the mobs, as bits, whose cell is the given one.
ENVPOOL_FN u32 mobs_at(const State& s, i32 cell) {
  u32 bits = 0;
  for (i32 i = 0; i < kMobs; ++i) bits |= u32(s.mob_cell[i] == cell) << i;
  return bits;
}
// Returns whether a mob or the player occupies a place of the world.
ENVPOOL_FN bool is_occupied(const State& s, Place p) {
  return (mobs_at(s, p.cell()) & s.occupying) != 0 || p == player_of(s);
}
// Returns whether a mob can go to a place.
ENVPOOL_FN bool is_free(const State& s, Place p) {
  return p.inside() && !is_in(kSolid | set_of(kLava), s.block[p.cell()]) && !is_occupied(s, p);
}

// Returns how light it is at a time.
ENVPOOL_FN f32 light_at(i32 time, const Params& p) {
  const f32 progress = fmod(f32(time) / f32(p.day_length), 1.0f) + 0.3f;
  const f32 dark = fabs(cos(3.14159265f * progress));
  return 1 - dark * (dark * dark);
}

ENVPOOL_FN void repair_state(State& s) {
  for (u8& count : s.item) keep_within<u8>(count, 0, kMost);
  keep_within<u8>(s.food, 0, kMost);
  keep_within<u8>(s.drink, 0, kMost);
  keep_within<u8>(s.energy, 0, kMost);
  keep_within(s.health, 0, kMost);
  keep_within<i8>(s.hunger, 0, 50);
  keep_within<i8>(s.thirst, 0, 40);
  keep_within<i8>(s.fatigue, -20, 60);
  keep_within<i8>(s.recover, -30, 50);
  keep_within(s.y, -1, kSide - 1);
  keep_within(s.x, -1, kSide - 1);
  keep_within<u8>(s.direction, kLeft, kDown);
  keep_bool(s.asleep);
  for (u16& cell : s.mob_cell) keep_within<u16>(cell, 0, kCells - 1);
  s.occupying &= s.alive;
  s.arrows &= (1u << kArrows) - 1;
  for (i32 i = 0; i < kArrows; ++i) {
    keep_within<i8>(s.arrow_dy[i], -1, 1);
    keep_within<i8>(s.arrow_dx[i], -1, 1);
  }
  keep_within<u8>(s.plants, 0, kPlants);
  for (u16& cell : s.plant_cell) keep_within<u16>(cell, 0, kCells - 1);
  s.achievements &= (1 << kAchievements) - 1;
}

}  // namespace envpool::craftax
