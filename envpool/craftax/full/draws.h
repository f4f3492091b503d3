// SPDX-License-Identifier: Apache-2.0
//
// What is random in Craftax. The rules draw from a class with these functions, so that tests can replay what the
// reference has drawn. The reference draws everything in every step; we only draw what is used.
#pragma once

#include "envpool/craftax/draws.h"
#include "envpool/craftax/full/state.h"

namespace envpool::craftax::full {

using craftax::Moves;  // of melee mobs, passive mobs and ranged mobs, instead of zombies, cows and skeletons

// What RandomDraws::pick chooses: the cell where a kind of mobs appears (kMelee, kPassive, kRanged) or one of these.
enum Choice : i32 { kDiamondCell = 3, kDownCell, kUpCell, kRoomChunk, kPathEnd, kArmourToEnchant, kSpellToLearn };

// What is in a chest.
struct Loot {
  u8 torches, arrows;
  Item ore;
  u8 ores;
  u8 potion, potions;
  u8 pickaxe, sword;  // of what: 1 wood, 2 stone, 3 iron, 4 diamond; 0 none
};

// A room of a dungeon: its height and width, its place in its part of the floor, a chest and a fountain.
struct Room {
  i32 rows, columns;
  Place offset, chest, fountain;
  bool has_fountain;
};

// The uniform numbers that a cell of a floor may need: for a tree, and for each of five ores.
inline constexpr i32 kTreeNumber = 0, kFirstOreNumber = 1, kOres = 5;

class RandomDraws : public craftax::RandomDraws {
 public:
  using craftax::RandomDraws::RandomDraws;

  ENVPOOL_FN Loot loot() {
    Loot loot{};
    loot.ore = kCoalItem;
    if (rng_.uniform_f32() < 0.6f) loot.torches = u8(4 + rng_.below(4));
    if (rng_.uniform_f32() < 0.6f) {
      const f32 kind = rng_.uniform_f32();
      loot.ore = kind < 0.3f     ? kCoalItem
                 : kind < 0.6f   ? kIronItem
                 : kind < 0.75f  ? kDiamondItem
                 : kind < 0.875f ? kSapphireItem
                                 : kRubyItem;
      const u32 most = loot.ore == kCoalItem ? 3 : loot.ore == kIronItem ? 2 : 1;
      loot.ores = u8(1 + rng_.below(most));
    }
    if (rng_.uniform_f32() < 0.5f) {
      loot.potion = u8(rng_.below(kPotions));
      loot.potions = u8(1 + rng_.below(2));
    }
    if (rng_.uniform_f32() < 0.25f) loot.arrows = u8(1 + rng_.below(4));
    if (rng_.uniform_f32() < 0.2f) {
      const bool sword = rng_.below(2) != 0;
      const f32 number = rng_.uniform_f32();
      const u8 material = number < 0.4f ? 1 : number < 0.7f ? 2 : number < 0.9f ? 3 : 4;
      (sword ? loot.sword : loot.pickaxe) = material;
    }
    return loot;
  }
  ENVPOOL_FN Room room(i32 /*number*/) {
    Room room;
    room.rows = 5 + i32(rng_.below(5));
    room.columns = 5 + i32(rng_.below(5));
    room.offset = place(11, 11, 0);
    room.chest = place(room.rows - 2, room.columns - 2, 1);
    room.fountain = place(room.rows - 2, room.columns - 2, 1);
    room.has_fountain = rng_.uniform_f32() > 0.5f;
    return room;
  }
  ENVPOOL_FN bool rare(i32 /*cell*/) { return rng_.uniform_f32() < 0.1f; }
  ENVPOOL_FN f32 uniform(i32 /*number*/, i32 /*cell*/) { return rng_.uniform_f32(); }
  // Returns the effect of a potion, one of those before `count`.
  ENVPOOL_FN i32 potion_effect(i32 count) { return i32(rng_.below(u32(count))); }

 private:
  ENVPOOL_FN Place place(i32 rows, i32 columns, i32 first) {
    Place place;  // in this order
    place.y = first + i32(rng_.below(u32(rows)));
    place.x = first + i32(rng_.below(u32(columns)));
    return place;
  }
};

}  // namespace envpool::craftax::full
