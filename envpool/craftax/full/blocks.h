// SPDX-License-Identifier: Apache-2.0
//
// The blocks, things, items, actions and achievements of Craftax. See state.h.
#pragma once

#include "envpool/core/portable.h"

namespace envpool::craftax::full {

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
  kWall,
  kDarkness,
  kMossyWall,
  kStalagmite,
  kSapphire,
  kRuby,
  kChest,
  kFountain,
  kFireGrass,
  kIceGrass,
  kGravel,  // in no world
  kFireTree,
  kIceShrub,
  kFireTable,  // enchants with fire
  kIceTable,
  kNecromancer,
  kGrave,
  kGrave2,
  kGrave3,
  kVulnerableNecromancer,  // in no world
  kBlocks
};

// What lies on a block. Observations have one more number, which is always 0.
enum Thing : u8 { kNothing, kTorch, kLadderDown, kLadderUp, kThings = 5 };

// Returns whether a block is in a set of blocks, which has a bit for each.
ENVPOOL_FN constexpr bool is_in(u64 set, u8 block) { return (set >> (block & 63) & 1) != 0; }
template <class... Blocks>
ENVPOOL_FN constexpr u64 set_of(Blocks... blocks) {
  return ((u64{1} << blocks) | ...);
}
inline constexpr u64 kSolid = set_of(kStone, kTree, kCoal, kIron, kDiamond, kTable, kFurnace, kPlant, kRipePlant, kWall,
                                     kMossyWall, kStalagmite, kRuby, kSapphire, kChest, kFountain, kFireTree,
                                     kFireTable, kIceTable, kGrave, kGrave2, kGrave3, kNecromancer);
inline constexpr u64 kGraves = set_of(kGrave, kGrave2, kGrave3);
inline constexpr u64 kGround = set_of(kGrass, kPath, kFireGrass, kIceGrass);  // where mobs appear
inline constexpr u64 kTakesTorches = kGround | set_of(kSand);
// Where those can go that walk on land, fly, swim, or do both of the first and the last.
inline constexpr u64 kLand = ~(kSolid | set_of(kWater, kLava)), kAir = ~kSolid, kSea = set_of(kWater),
                     kLandAndSea = ~(kSolid | set_of(kLava));

enum Item : u8 {  // in the order of the observation
  kWoodItem,
  kStoneItem,
  kCoalItem,
  kIronItem,
  kDiamondItem,
  kSapphireItem,
  kRubyItem,
  kSapling,
  kTorchItem,
  kArrowItem,
  kBook,
  kPickaxe,  // what it is made of: 1 wood, 2 stone, 3 iron, 4 diamond
  kSword,
  kBow,
  kItems
};
inline constexpr i32 kPotions = 6, kArmours = 4, kMost = 99;  // of each item

enum Enchantment : u8 { kPlain, kOfFire, kOfIce };
enum Spell : u8 { kFireball, kIceball, kSpells };

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
  kMakeArrow,
  kMakeTorch,
  kPlaceTorch,
  kMakeDiamondSword,
  kMakeIronArmour,
  kMakeDiamondArmour,
  kEnterGnomishMines,
  kEnterDungeon,
  kEnterSewers,
  kEnterVault,
  kEnterTrollMines,
  kEnterFireRealm,
  kEnterIceRealm,
  kEnterGraveyard,
  kDefeatGnomeWarrior,
  kDefeatGnomeArcher,
  kDefeatOrcSoldier,
  kDefeatOrcMage,
  kDefeatLizard,
  kDefeatKobold,
  kDefeatTroll,
  kDefeatDeepThing,
  kDefeatPigman,
  kDefeatFireElemental,
  kDefeatFrostTroll,
  kDefeatIceElemental,
  kDamageNecromancer,
  kDefeatNecromancer,
  kEatBat,
  kEatSnail,
  kFindBow,
  kFireBow,
  kCollectSapphire,
  kLearnFireball,
  kCastFireball,
  kLearnIceball,
  kCastIceball,
  kCollectRuby,
  kMakeDiamondPickaxe,
  kOpenChest,
  kDrinkPotion,
  kEnchantSword,
  kEnchantArmour,
  kDefeatKnight,
  kDefeatArcher,
  kAchievements
};

// Returns the reward of an achievement.
ENVPOOL_FN constexpr i32 worth(i32 achievement) {
  if (achievement <= kPlaceTorch) return 1;
  constexpr u64 kThree =
      set_of(kCollectSapphire, kCollectRuby, kMakeDiamondPickaxe, kMakeDiamondSword, kMakeIronArmour,
             kMakeDiamondArmour, kEnterGnomishMines, kEnterDungeon, kDefeatGnomeWarrior, kDefeatGnomeArcher,
             kDefeatOrcSoldier, kDefeatOrcMage, kEatBat, kEatSnail, kFindBow, kFireBow, kOpenChest, kDrinkPotion);
  constexpr u64 kEight = set_of(kEnterFireRealm, kEnterIceRealm, kEnterGraveyard, kDefeatPigman, kDefeatFireElemental,
                                kDefeatFrostTroll, kDefeatIceElemental, kDamageNecromancer, kDefeatNecromancer);
  if (achievement > 63) return 5;
  const u64 bit = u64{1} << achievement;
  return (kThree & bit) != 0 ? 3 : (kEight & bit) != 0 ? 8 : 5;
}

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
  kMakePickaxe,                   // of wood, stone or iron
  kMakeSword = kMakePickaxe + 3,  // of wood, stone or iron
  kRest = kMakeSword + 3,
  kDescend,
  kAscend,
  kMakePickaxeOfDiamond,
  kMakeSwordOfDiamond,
  kMakeArmourOfIron,
  kMakeArmourOfDiamond,
  kShootArrow,
  kMakeArrows,
  kCastFirstSpell,
  kCastLastSpell,
  kPlaceTorchThing,
  kDrinkFirstPotion,
  kDrinkLastPotion = kDrinkFirstPotion + kPotions - 1,
  kReadBook,
  kEnchantTheSword,
  kEnchantTheArmour,
  kMakeTorches,
  kLevelUpDexterity,
  kLevelUpStrength,
  kLevelUpIntelligence,
  kEnchantTheBow,
  kActions
};
static_assert(kActions == 43 && kAchievements == 67);

}  // namespace envpool::craftax::full
