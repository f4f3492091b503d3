// SPDX-License-Identifier: Apache-2.0
//
// How the player of Craftax fights, gathers, builds and walks.
#pragma once

#include "envpool/craftax/full/player.h"

namespace envpool::craftax::full {

// Attacks the mobs in a cell, at most one of each kind. Returns whether there are any. Only what the player hits with
// a sword is eaten.
ENVPOOL_DEVICE_CALL bool attack(State& s, Place target, Damage damage, bool eats) {
  Mobs& mobs = s.mobs[s.level];
  const u32 here = target.inside() ? mobs_at(mobs, target.cell()) & mobs.alive : 0;
  if (here == 0) return false;
  bool killed = false, defeated = false;
  for (i32 kind = kMelee; kind <= kRanged; ++kind) {
    const u32 hit = here & all_of(kind);
    if (hit == 0) continue;
    i32 i = first_mob(kind);
    while ((hit >> i & 1) == 0) ++i;
    mobs.health[i] -= total(damage, defence_of(kind, mobs.type[i]));
    if (mobs.health[i] > 0) continue;
    mobs.alive &= u8(~(1u << i));
    killed = true;
    defeated = defeated || kind != kPassive;
    if (kind == kPassive && !eats) continue;
    achieve(s, prize_of(kind, mobs.type[i]));
    if (kind == kPassive) eat(s, 6);
  }
  if (killed) mobs.occupying &= u8(~mobs_at(mobs, target.cell()));
  if (defeated) s.defeated[s.level] = u8(min(s.defeated[s.level] + 1, kToClear));
  return true;
}

ENVPOOL_FN Damage damage_of_sword(const State& s) {
  constexpr u8 kDamage[] = {1, 2, 3, 5, 8};
  const f32 hit = kDamage[s.item[kSword]];
  const f32 enchanted = hit * 0.5f * (1 + 0.05f * f32(s.intelligence - 1));
  return {hit * (1 + 0.25f * f32(s.strength - 1)), s.sword_enchantment == kOfFire ? enchanted : 0,
          s.sword_enchantment == kOfIce ? enchanted : 0};
}

template <class Draws>
ENVPOOL_FN void open_chest(State& s, bool first, Draws& draws) {
  const Loot loot = draws.loot();
  s.item[kTorchItem] = u8(s.item[kTorchItem] + loot.torches);
  s.item[kArrowItem] = u8(s.item[kArrowItem] + loot.arrows);
  s.item[loot.ore] = u8(s.item[loot.ore] + loot.ores);
  s.potion[loot.potion] = u8(s.potion[loot.potion] + loot.potions);
  s.item[kPickaxe] = max(s.item[kPickaxe], loot.pickaxe);
  s.item[kSword] = max(s.item[kSword], loot.sword);
  if (first && s.level == kDungeon) s.item[kBow] = 1;
  if (first && (s.level == kSewers || s.level == kVault)) s.item[kBook] += 1;
  achieve(s, kOpenChest);
}

// Attacks what is in front of the player, or gathers, eats, drinks or opens it.
template <class Draws>
ENVPOOL_FN void act(State& s, Draws& draws) {
  const Place target = front_of(s);
  const bool fights = attack(s, target, damage_of_sword(s), true);
  const u8 block = block_at(s, target);
  // As in the reference, the next two work beyond the edge of the floor, too.
  const bool first = !s.chest_opened[s.level];
  if (block == kChest) s.chest_opened[s.level] = true;
  const bool wounds = block == kNecromancer && at_boss(s) && is_boss_vulnerable(s);
  if (wounds) {
    s.boss_progress = u8(min(s.boss_progress + 1, kBossLives));
    s.boss_wave = kBossWave;
  }
  if (fights || !target.inside()) return;
  if (wounds) achieve(s, kDamageNecromancer);
  u8& cell = s.cell[s.level][target.cell()];
  const auto gather = [&](Item item, i32 pickaxe, Block left) {
    if (s.item[kPickaxe] < pickaxe) return;
    s.item[item] += 1;
    cell = with_block(cell, left);
  };
  switch (block) {
    case kTree: return gather(kWoodItem, 0, kGrass);
    case kFireTree: return gather(kWoodItem, 0, kFireGrass);
    case kIceShrub: return gather(kWoodItem, 0, kIceGrass);
    case kStone:
    case kStalagmite: return gather(kStoneItem, 1, kPath);
    case kCoal: return gather(kCoalItem, 1, kPath);
    case kIron: return gather(kIronItem, 2, kPath);
    case kDiamond: return gather(kDiamondItem, 3, kPath);
    case kSapphire: return gather(kSapphireItem, 4, kPath);
    case kRuby: return gather(kRubyItem, 4, kPath);
    case kTable:
    case kFurnace: cell = with_block(cell, kPath); return;
    case kGrass:
      if (draws.finds_sapling()) s.item[kSapling] += 1;
      return;
    case kWater:
    case kFountain:
      s.drink = min(s.drink + 1, most_needed(s));
      s.thirst = 0;
      return achieve(s, kCollectDrink);
    case kRipePlant: {
      cell = with_block(cell, kPlant);
      eat(s, 4);
      achieve(s, kEatPlant);
      i32 plant = 0;
      for (i32 i = kPlants - 1; i >= 0; --i) plant = s.plant_cell[i] == target.cell() ? i : plant;
      s.plant_age[plant] = 0;
      return;
    }
    case kChest: cell = with_block(cell, kPath); return open_chest(s, first, draws);
    default: return;
  }
}

// Puts something on the block in front of the player, if nobody is there.
ENVPOOL_FN void build(State& s, i32 action) {
  const Place target = front_of(s);
  if (!target.inside() || is_occupied(s, target)) return;
  u8& cell = s.cell[s.level][target.cell()];
  const u8 block = block_of(cell);
  const bool bare = thing_of(cell) == kNothing, free = bare && !is_in(kSolid, block);
  const auto put = [&](Item item, i32 count, Block left, Achievement achievement) {
    if (s.item[item] < count) return;
    s.item[item] = u8(s.item[item] - count);
    cell = with_block(cell, left);
    achieve(s, achievement);
  };
  switch (action) {
    case kPlaceTableBlock:
      if (free) put(kWoodItem, 2, kTable, kPlaceTable);
      return;
    case kPlaceFurnaceBlock:
      if (free) put(kStoneItem, 1, kFurnace, kPlaceFurnace);
      return;
    case kPlaceStoneBlock:
      if (free || block == kWater) put(kStoneItem, 1, kStone, kPlaceStone);
      return;
    case kPlaceTorchThing:
      if (!bare || !is_in(kTakesTorches, block) || s.item[kTorchItem] == 0) return;
      s.item[kTorchItem] -= 1;
      cell = with_thing(cell, kTorch);
      light_around(s, s.level, target);
      return achieve(s, kPlaceTorch);
    default:
      if (!bare || block != kGrass || s.item[kSapling] == 0) return;
      put(kSapling, 1, kPlant, kPlacePlant);
      if (s.plants < kPlants) {  // Further plants never ripen.
        s.plant_cell[s.plants] = u16(target.cell());
        s.plant_age[s.plants++] = 0;
      }
  }
}

ENVPOOL_FN void walk(State& s, i32 action) {
  const Place to = player_of(s) + step_of(action);
  if (is_free(s, to, kLand)) {
    s.y = to.y;
    s.x = to.x;
  }
  s.direction = u8(action);
}

}  // namespace envpool::craftax::full
