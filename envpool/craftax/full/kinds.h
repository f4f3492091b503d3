// SPDX-License-Identifier: Apache-2.0
//
// The tables of Craftax: which mobs live on a floor, where they can go, what they can bear, and what they do.
#pragma once

#include "envpool/craftax/full/state.h"

namespace envpool::craftax::full {

// By kind of damage, or the parts of it that someone is defended against.
struct Damage {
  f32 physical, fire, ice;
};
ENVPOOL_FN constexpr Damage operator*(Damage a, f32 factor) {
  return {a.physical * factor, a.fire * factor, a.ice * factor};
}
ENVPOOL_FN constexpr f32 total(Damage damage, Damage defence) {
  return (1 - defence.physical) * damage.physical + (1 - defence.fire) * damage.fire + (1 - defence.ice) * damage.ice;
}

ENVPOOL_FN i32 type_on(i32 floor, i32 kind) {
  constexpr u8 kPassives[kFloors] = {0, 2, 1, 2, 2, 1, 1, 1, 0}, kOthers[kFloors] = {0, 2, 1, 3, 4, 5, 6, 7, 0};
  return kind == kPassive ? kPassives[floor] : kOthers[floor];
}

ENVPOOL_FN f32 health_of(i32 kind, i32 type) {
  constexpr u8 kHealth[3][kTypes] = {
      {5, 7, 9, 11, 12, 20, 20, 24}, {3, 4, 6, 8, 0, 0, 0, 0}, {3, 5, 6, 8, 12, 4, 14, 16}};
  return kHealth[kind][type];
}

// Returns the blocks where a mob can go.
ENVPOOL_FN u64 ways_of(i32 kind, i32 type) {
  if (kind == kPassive) return type == 1 ? kAir : kLand;  // bats fly
  if (kind == kMelee) return type == 3 ? kLandAndSea : kLand;
  return type == 5 ? kSea : type >= 6 ? kAir : kLand;
}

ENVPOOL_FN Damage defence_of(i32 kind, i32 type) {
  if (kind == kPassive) return {0, 0, 0};
  switch (type) {
    case 4: return {0.5f, 0, 0};
    case 5: return {kind == kMelee ? 0.2f : 0, 0, 0};
    case 6: return {0.9f, 1, 0};
    case 7: return {0.9f, 0, 1};
    default: return {0, 0, 0};
  }
}

ENVPOOL_FN Damage damage_of_mob(i32 type) {
  constexpr u8 kDamage[kTypes][3] = {{2, 0, 0}, {4, 0, 0}, {3, 0, 0}, {5, 0, 0},
                                     {6, 0, 0}, {6, 1, 1}, {3, 5, 0}, {4, 0, 5}};
  return {f32(kDamage[type][0]), f32(kDamage[type][1]), f32(kDamage[type][2])};
}
ENVPOOL_FN Damage damage_of_shot(i32 type) {
  constexpr u8 kDamage[kTypes][3] = {{2, 0, 0}, {4, 0, 0}, {0, 3, 0}, {0, 0, 3},
                                     {5, 0, 0}, {4, 3, 3}, {3, 5, 0}, {4, 0, 5}};
  return {f32(kDamage[type][0]), f32(kDamage[type][1]), f32(kDamage[type][2])};
}
ENVPOOL_FN u8 shot_of_mob(i32 type) {
  constexpr u8 kShot[kTypes] = {kArrow, kArrow, kFireballShot, kDagger, kHeavyArrow, kSlimeball, kFireball2, kIceball2};
  return kShot[type];
}

// Returns the achievement of defeating, or eating, a mob.
ENVPOOL_FN i32 prize_of(i32 kind, i32 type) {
  constexpr u8 kPrize[3][kTypes] = {{kDefeatZombie, kDefeatGnomeWarrior, kDefeatOrcSoldier, kDefeatLizard,
                                     kDefeatKnight, kDefeatTroll, kDefeatPigman, kDefeatFrostTroll},
                                    {kEatCow, kEatBat, kEatSnail},
                                    {kDefeatSkeleton, kDefeatGnomeArcher, kDefeatOrcMage, kDefeatKobold, kDefeatArcher,
                                     kDefeatDeepThing, kDefeatFireElemental, kDefeatIceElemental}};
  return kPrize[kind][type];
}

ENVPOOL_FN i32 prize_of_floor(i32 floor) {
  constexpr u8 kPrize[kFloors] = {0,
                                  kEnterDungeon,
                                  kEnterGnomishMines,
                                  kEnterSewers,
                                  kEnterVault,
                                  kEnterTrollMines,
                                  kEnterFireRealm,
                                  kEnterIceRealm,
                                  kEnterGraveyard};
  return kPrize[floor];
}

}  // namespace envpool::craftax::full
