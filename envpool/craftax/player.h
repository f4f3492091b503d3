// SPDX-License-Identifier: Apache-2.0
//
// What the player of Craftax-Classic does in a step: crafts, gathers, fights, eats, drinks, builds, walks and sleeps.
#pragma once

#include "envpool/craftax/draws.h"

namespace envpool::craftax {

ENVPOOL_FN void achieve(State& s, i32 achievement, bool done = true) { s.achievements |= i32(done) << achievement; }

// Returns whether one of the eight blocks around the player is the given one.
ENVPOOL_FN bool is_near(const State& s, u8 block) {
  bool near = false;
  for (i32 dy = -1; dy <= 1; ++dy) {
    for (i32 dx = -1; dx <= 1; ++dx) {
      const Place p = player_of(s) + Place{dy, dx};
      near = near || ((dy != 0 || dx != 0) && p.inside() && s.block[p.cell()] == block);
    }
  }
  return near;
}

// Makes a tool, which is numbered from 0 in the order of items: pickaxes of wood, stone and iron, then swords. Each
// costs one wood, one stone if it is of stone or iron, and one coal and one iron if it is of iron.
ENVPOOL_FN void craft(State& s, i32 tool) {
  const i32 material = tool % 3;  // 0 wood, 1 stone, 2 iron
  constexpr u8 kAchieved[] = {kMakeWoodPickaxe, kMakeStonePickaxe, kMakeIronPickaxe,
                              kMakeWoodSword,   kMakeStoneSword,   kMakeIronSword};
  const u8 stone = material > 0, iron = material > 1;
  const bool has_all =
      s.item[kWoodItem] > 0 && s.item[kStoneItem] >= stone && s.item[kCoalItem] >= iron && s.item[kIronItem] >= iron;
  if (!has_all || !is_near(s, kTable) || (iron > 0 && !is_near(s, kFurnace))) return;
  s.item[kWoodItem] -= 1;
  s.item[kStoneItem] -= stone;
  s.item[kCoalItem] -= iron;
  s.item[kIronItem] -= iron;
  s.item[kWoodPickaxe + tool] += 1;
  achieve(s, kAchieved[tool]);
}

ENVPOOL_FN i32 attack_damage(const State& s) {
  return max(max(1, 2 * s.item[kWoodSword]), max(3 * s.item[kStoneSword], 5 * s.item[kIronSword]));
}

// Attacks the mobs in a cell, at most one of each kind. Returns whether there are any.
ENVPOOL_FN bool attack(State& s, Place target) {
  const u32 here = target.inside() ? mobs_at(s, target.cell()) & s.alive : 0;
  bool killed = false;
  u32 alive = 0;
  for (i32 kind = kZombie; kind <= kSkeleton; ++kind) {
    const u32 hit = here & all_of(kind);
    const u32 first = hit & (0u - hit);  // the lowest bit
    for (i32 i = first_mob(kind); i < first_mob(kind) + mobs_of(kind); ++i) {
      if (first >> i == 1) s.mob_health[i] = i8(s.mob_health[i] - attack_damage(s));
      // Every mob with health is alive from now on. In the reference too, an action kDo brings mobs back that were too
      // far away, and the mobs that a world has at first in its corner.
      alive |= u32(s.mob_health[i] > 0) << i;
    }
    if ((first & ~alive) == 0) continue;
    killed = true;
    constexpr u8 kAchieved[] = {kDefeatZombie, kEatCow, kDefeatSkeleton};
    achieve(s, kAchieved[kind]);
    if (kind == kCow) {
      s.food = u8(min(s.food + 6, kMost));
      s.hunger = 0;
    }
  }
  s.alive = u8(alive);
  if (killed) s.occupying &= u8(~mobs_at(s, target.cell()));
  return here != 0;
}

// Attacks what is in front of the player, or gathers, eats or drinks it.
template <class Draws>
ENVPOOL_FN void act(State& s, Draws& draws) {
  const Place target = player_of(s) + step_of(s.direction);
  if (attack(s, target) || !target.inside()) return;
  u8& block = s.block[target.cell()];
  const auto gather = [&](Item item, Achievement achievement, Block left) {
    s.item[item] += 1;
    achieve(s, achievement);
    block = left;
  };
  switch (block) {
    case kTree: return gather(kWoodItem, kCollectWood, kGrass);
    case kStone:
      if (s.item[kWoodPickaxe] > 0) gather(kStoneItem, kCollectStone, kPath);
      return;
    case kCoal:
      if (s.item[kWoodPickaxe] > 0) gather(kCoalItem, kCollectCoal, kPath);
      return;
    case kIron:
      if (s.item[kStonePickaxe] > 0) gather(kIronItem, kCollectIron, kPath);
      return;
    case kDiamond:
      if (s.item[kIronPickaxe] > 0) gather(kDiamondItem, kCollectDiamond, kPath);
      return;
    case kGrass:
      if (draws.finds_sapling()) gather(kSapling, kCollectSapling, kGrass);
      return;
    case kWater:
      s.drink = u8(min(s.drink + 1, kMost));
      s.thirst = 0;
      return achieve(s, kCollectDrink);
    case kRipePlant: {
      block = kPlant;
      s.food = u8(min(s.food + 4, kMost));
      s.hunger = 0;
      achieve(s, kEatPlant);
      i32 plant = 0;
      for (i32 i = kPlants - 1; i >= 0; --i) plant = s.plant_cell[i] == target.cell() ? i : plant;
      s.plant_age[plant] = 0;
      return;
    }
    default: return;
  }
}

// Puts something on the block in front of the player, if nobody is there.
ENVPOOL_FN void build(State& s, i32 action) {
  const Place target = player_of(s) + step_of(s.direction);
  if (!target.inside() || is_occupied(s, target)) return;
  u8& block = s.block[target.cell()];
  const bool solid = is_in(kSolid, block);
  const auto put = [&](Item item, i32 count, Block left, Achievement achievement) {
    s.item[item] = u8(s.item[item] - count);
    block = left;
    achieve(s, achievement);
  };
  if (action == kPlaceTableBlock && !solid && s.item[kWoodItem] >= 2) put(kWoodItem, 2, kTable, kPlaceTable);
  if (action == kPlaceFurnaceBlock && !solid && s.item[kStoneItem] > 0) put(kStoneItem, 1, kFurnace, kPlaceFurnace);
  if (action == kPlaceStoneBlock && (!solid || block == kWater) && s.item[kStoneItem] > 0) {
    put(kStoneItem, 1, kStone, kPlaceStone);
  }
  if (action == kPlaceSapling && block == kGrass && s.item[kSapling] > 0) {
    put(kSapling, 1, kPlant, kPlacePlant);
    if (s.plants < kPlants) {  // Further plants never ripen.
      s.plant_cell[s.plants] = u16(target.cell());
      s.plant_age[s.plants++] = 0;
    }
  }
}

// The player may walk into lava. In the reference, an array's row -1 is its last one, so if there is lava at the other
// edge of the world, the player can leave the world there, and dies.
ENVPOOL_FN void walk(State& s, i32 action) {
  const Place to = player_of(s) + step_of(action);
  if (is_free(s, to) || s.block[cell_read(to)] == kLava) {
    s.y = to.y;
    s.x = to.x;
  }
  s.direction = u8(action);
}

// Lets a need grow by some halves. Beyond the limit, it is satisfied by one of `stock`.
ENVPOOL_FN void need(i8& halves, u8& stock, i32 by, i32 limit) {
  halves = i8(halves + by);
  if (halves > 2 * limit) {
    halves = 0;
    stock = u8(max(stock - 1, 0));
  }
}

ENVPOOL_FN void live(State& s, i32 action) {
  if (action == kSleep && s.energy < kMost) s.asleep = true;
  if (s.asleep && s.energy >= kMost) {
    s.asleep = false;
    achieve(s, kWakeUp);
  }
  need(s.hunger, s.food, s.asleep ? 1 : 2, 25);
  need(s.thirst, s.drink, s.asleep ? 1 : 2, 20);

  if (s.asleep) {
    s.fatigue = i8(min(s.fatigue - 2, 0));
    if (s.fatigue < -20) {
      s.fatigue = 0;
      s.energy = u8(min(s.energy + 1, kMost));
    }
  } else {
    need(s.fatigue, s.energy, 2, 30);
  }

  const bool well = s.food > 0 && s.drink > 0 && (s.energy > 0 || s.asleep);
  s.recover = i8(s.recover + (well ? (s.asleep ? 4 : 2) : (s.asleep ? -1 : -2)));
  if (s.recover > 50) {
    s.recover = 0;
    s.health = min(s.health + 1, kMost);
  } else if (s.recover < -30) {
    s.recover = 0;
    --s.health;
  }
}

ENVPOOL_FN void grow(State& s) {
  for (i32 i = 0; i < s.plants; ++i) {
    count_up(s.plant_age[i]);
    if (s.plant_age[i] >= 600) s.block[s.plant_cell[i]] = kRipePlant;
  }
}

}  // namespace envpool::craftax
