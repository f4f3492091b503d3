// SPDX-License-Identifier: Apache-2.0
//
// What the player of Craftax has and is, and what other things than walking and fighting happen to the player.
#pragma once

#include "envpool/craftax/full/draws.h"
#include "envpool/craftax/full/kinds.h"

namespace envpool::craftax::full {

ENVPOOL_FN f32 most_health(const State& s) { return f32(8 + s.strength); }
ENVPOOL_FN i32 most_needed(const State& s) { return 7 + 2 * s.dexterity; }  // food, drink and energy
ENVPOOL_FN i32 most_mana(const State& s) { return 6 + 3 * s.intelligence; }

// Hurts the player, who is protected by armour.
ENVPOOL_FN void hurt(State& s, Damage damage) {
  Damage defence{0, 0, 0};
  for (i32 i = 0; i < kArmours; ++i) {
    defence.physical += f32(s.armour[i]) * 0.1f;
    defence.fire += s.armour_enchantment[i] == kOfFire ? 0.2f : 0;
    defence.ice += s.armour_enchantment[i] == kOfIce ? 0.2f : 0;
  }
  s.health -= total(damage * (at_boss(s) ? 1.5f : 1.0f), defence);
  s.asleep = s.resting = false;
}

ENVPOOL_FN void eat(State& s, i32 food) {
  s.food = min(s.food + food, most_needed(s));
  s.hunger = 0;
}

// Returns whether one of the eight blocks around the player is the given one.
ENVPOOL_FN bool is_near(const State& s, u8 block) {
  bool near = false;
  for (i32 dy = -1; dy <= 1; ++dy) {
    for (i32 dx = -1; dx <= 1; ++dx) {
      const Place p = player_of(s) + Place{dy, dx};
      near = near || ((dy != 0 || dx != 0) && p.inside() && block_of(s.cell[s.level][p.cell()]) == block);
    }
  }
  return near;
}

// Numbers of items that something costs.
struct Price {
  u8 wood, stone, coal, iron, diamond;
};
// Takes the price if the player has all of it, and a table, and if needed a furnace, is near. Returns whether it does.
ENVPOOL_FN bool pay(State& s, Price price, bool furnace) {
  const u8 cost[] = {price.wood, price.stone, price.coal, price.iron, price.diamond};
  for (i32 i = 0; i < 5; ++i) {
    if (s.item[i] < cost[i]) return false;
  }
  if (!is_near(s, kTable) || (furnace && !is_near(s, kFurnace))) return false;
  for (i32 i = 0; i < 5; ++i) s.item[i] = u8(s.item[i] - cost[i]);
  return true;
}

// Makes a pickaxe or a sword of a material: 1 wood, 2 stone, 3 iron, 4 diamond.
ENVPOOL_FN void make_tool(State& s, Item tool, i32 material) {
  if (s.item[tool] >= material) return;
  const u8 stone = material == 2 || material == 3, iron = material == 3;
  const u8 diamond = material == 4 ? (tool == kPickaxe ? 3 : 2) : 0;
  if (pay(s, {1, stone, iron, iron, diamond}, material == 3)) s.item[tool] = u8(material);
}

// Makes the first piece of armour that is not yet of this or a better material: 1 iron, 2 diamond.
ENVPOOL_FN void make_armour(State& s, i32 material) {
  i32 piece = 0;
  while (piece < kArmours && s.armour[piece] >= material) ++piece;
  if (piece == kArmours) return;
  const Price price = material == 1 ? Price{0, 0, 3, 3, 0} : Price{0, 0, 0, 0, 3};
  if (!pay(s, price, material == 1)) return;
  s.armour[piece] = u8(material);
  achieve(s, material == 1 ? kMakeIronArmour : kMakeDiamondArmour);
}

ENVPOOL_FN void craft(State& s, i32 action) {
  if (action >= kMakePickaxe && action < kMakeSword) return make_tool(s, kPickaxe, 1 + action - kMakePickaxe);
  if (action >= kMakeSword && action < kRest) return make_tool(s, kSword, 1 + action - kMakeSword);
  switch (action) {
    case kMakePickaxeOfDiamond: return make_tool(s, kPickaxe, 4);
    case kMakeSwordOfDiamond: return make_tool(s, kSword, 4);
    case kMakeArmourOfIron: return make_armour(s, 1);
    case kMakeArmourOfDiamond: return make_armour(s, 2);
    case kMakeArrows:
      if (s.item[kArrowItem] < kMost && pay(s, {1, 1, 0, 0, 0}, false)) s.item[kArrowItem] += 2;
      return;
    case kMakeTorches:
      if (s.item[kTorchItem] < kMost && pay(s, {1, 0, 1, 0, 0}, false)) s.item[kTorchItem] += 4;
      return;
    default: return;
  }
}

// Lets something fly off, if there are not too many already. Returns whether it does.
ENVPOOL_FN bool shoot(Shots& shots, Place from, Place direction, u8 type) {
  for (i32 i = 0; i < kShots; ++i) {
    if ((shots.flying >> i & 1) != 0) continue;
    shots.flying |= u8(1u << i);
    shots.y[i] = i8(from.y);
    shots.x[i] = i8(from.x);
    shots.dy[i] = i8(direction.y);
    shots.dx[i] = i8(direction.x);
    shots.type[i] = type;
    return true;
  }
  return false;
}
ENVPOOL_FN void shoot_arrow(State& s) {
  if (s.item[kBow] == 0 || s.item[kArrowItem] == 0) return;
  if (!shoot(s.player_shots[s.level], player_of(s), step_of(s.direction), kHeavyArrow)) return;
  s.item[kArrowItem] -= 1;
  achieve(s, kFireBow);
}
ENVPOOL_FN void cast_spell(State& s, i32 spell) {
  if (s.mana < 2 || !s.learned[spell]) return;
  const u8 type = spell == kFireball ? kFireballShot : kIceballShot;
  if (!shoot(s.player_shots[s.level], player_of(s), step_of(s.direction), type)) return;
  s.mana -= 2;
  achieve(s, spell == kFireball ? kCastFireball : kCastIceball);
}

ENVPOOL_FN void drink_potion(State& s, i32 color) {
  if (s.potion[color] == 0) return;
  s.potion[color] -= 1;
  achieve(s, kDrinkPotion);
  const i32 effect = s.potion_effect[color], change = effect % 2 == 0 ? 8 : -3;
  if (effect / 2 == 0) s.health += f32(change);
  if (effect / 2 == 1) s.mana += change;
  if (effect / 2 == 2) s.energy += change;
}

template <class Draws>
ENVPOOL_FN void read_book(State& s, Draws& draws) {
  if (s.item[kBook] == 0) return;
  s.item[kBook] -= 1;
  // A spell that is not yet known, or as in the reference the first if both are.
  i32 spell = s.learned[kFireball] && !s.learned[kIceball] ? kIceball : kFireball;
  if (!s.learned[kFireball] && !s.learned[kIceball]) {
    spell = draws.pick(kSpellToLearn, kSpells, [](i32 n) { return n; });
  }
  s.learned[spell] = true;
  achieve(s, spell == kFireball ? kLearnFireball : kLearnIceball);
}

// Enchants a thing with the table in front of the player.
template <class Draws>
ENVPOOL_FN void enchant(State& s, i32 action, Draws& draws) {
  const u8 table = block_at(s, front_of(s));
  const bool fire = table == kFireTable;
  if ((!fire && table != kIceTable) || s.mana < 9) return;
  u8& gems = s.item[fire ? kRubyItem : kSapphireItem];
  if (gems == 0) return;
  const u8 enchantment = fire ? kOfFire : kOfIce;
  if (action == kEnchantTheBow) {
    if (s.item[kBow] == 0) return;
    s.bow_enchantment = enchantment;
  } else if (action == kEnchantTheSword) {
    if (s.item[kSword] == 0) return;
    s.sword_enchantment = enchantment;
    achieve(s, kEnchantSword);
  } else {
    if (s.armour[0] + s.armour[1] + s.armour[2] + s.armour[3] == 0) return;
    // A piece without an enchantment, or else one with the other enchantment.
    u32 plain = 0, other = 0;
    for (i32 i = 0; i < kArmours; ++i) {
      plain |= u32(s.armour_enchantment[i] == kPlain) << i;
      other |= u32(s.armour_enchantment[i] != kPlain && s.armour_enchantment[i] != enchantment) << i;
    }
    const u32 pieces = plain != 0 ? plain : other;
    i32 count = 0, piece = 0;
    for (i32 i = 0; i < kArmours; ++i) count += i32(pieces >> i & 1);
    if (count > 0) {
      piece = draws.pick(kArmourToEnchant, count, [=](i32 n) {
        i32 i = 0;
        while (i < kArmours - 1 && ((pieces >> i & 1) == 0 || n-- > 0)) ++i;
        return i;
      });
    }
    s.armour_enchantment[piece] = enchantment;
    achieve(s, kEnchantArmour);
  }
  gems -= 1;
  s.mana -= 9;
}

ENVPOOL_FN void level_up(State& s, u8& attribute, const Params& p) {
  if (s.experience == 0 || attribute >= p.max_attribute) return;
  attribute += 1;
  s.experience -= 1;
}

// Lets a need grow. Beyond the limit, it is satisfied by one of `stock`, except in the fight with the necromancer.
ENVPOOL_FN void need(const State& s, f32& amount, i32& stock, f32 by, f32 limit) {
  amount += by;
  if (amount > limit) {
    amount = 0;
    stock = max(stock - (at_boss(s) ? 0 : 1), 0);
  }
}

ENVPOOL_FN void live(State& s, i32 action) {
  if (action == kSleep && s.energy < most_needed(s)) s.asleep = true;
  if (s.asleep && s.energy >= most_needed(s)) {
    s.asleep = false;
    achieve(s, kWakeUp);
  }
  if (action == kRest && s.health < most_health(s)) s.resting = true;
  if (s.health >= most_health(s) || s.food <= 0 || s.drink <= 0) s.resting = false;

  const f32 pace = 1 - 0.125f * f32(s.dexterity - 1), slow = (s.asleep ? 0.5f : 1.0f) * pace;
  need(s, s.hunger, s.food, slow, 25);
  need(s, s.thirst, s.drink, slow, 20);
  if (s.asleep) {
    s.fatigue = min(s.fatigue - 1, 0.0f);
  } else {
    need(s, s.fatigue, s.energy, pace, 30);
  }
  if (s.fatigue < -10) {
    s.fatigue = 0;
    s.energy = min(s.energy + 1, most_needed(s));
  }

  const bool well = s.food > 0 && s.drink > 0 && (s.energy > 0 || s.asleep);
  const f32 better = s.asleep ? 2.0f : 1.0f, worse = at_boss(s) ? 0.0f : s.asleep ? -0.5f : -1.0f;
  s.recover += well ? better : worse;
  if (s.recover > 25) {
    s.recover = 0;
    s.health = min(s.health + 1, most_health(s));
  } else if (s.recover < -15) {
    s.recover = 0;
    s.health -= 1;
  }

  s.recover_mana = (s.recover_mana + (s.asleep ? 2.0f : 1.0f)) * (1 + 0.25f * f32(s.intelligence - 1));
  if (s.recover_mana > 30) {
    s.recover_mana = 0;
    s.mana += 1;
  }
}

// Lets plants grow, which are all in the overworld.
ENVPOOL_FN void grow(State& s) {
  for (i32 i = 0; i < s.plants; ++i) {
    s.plant_age[i] = u16(min(s.plant_age[i] + 1, kRipeAge));
    u8& cell = s.cell[kOverworld][s.plant_cell[i]];
    if (s.plant_age[i] == kRipeAge) cell = with_block(cell, kRipePlant);
  }
}

// Keeps what the player has within its limits, and notes what has been made or found.
ENVPOOL_FN void take_stock(State& s) {
  for (u8& count : s.item) count = min<u8>(count, kMost);
  for (u8& count : s.potion) count = min<u8>(count, kMost);
  s.health = min(max(s.health, 0.0f), most_health(s));
  s.food = clamp(s.food, 0, most_needed(s));
  s.drink = clamp(s.drink, 0, most_needed(s));
  s.energy = clamp(s.energy, 0, most_needed(s));
  s.mana = clamp(s.mana, 0, most_mana(s));
  constexpr u8 kFound[][2] = {
      {kWoodItem, kCollectWood},         {kStoneItem, kCollectStone},     {kCoalItem, kCollectCoal},
      {kIronItem, kCollectIron},         {kDiamondItem, kCollectDiamond}, {kRubyItem, kCollectRuby},
      {kSapphireItem, kCollectSapphire}, {kSapling, kCollectSapling},     {kBow, kFindBow},
      {kArrowItem, kMakeArrow},          {kTorchItem, kMakeTorch}};
  for (const auto& found : kFound) achieve(s, found[1], s.item[found[0]] > 0);
  constexpr u8 kTools[][2] = {{kMakeWoodPickaxe, kMakeWoodSword},
                              {kMakeStonePickaxe, kMakeStoneSword},
                              {kMakeIronPickaxe, kMakeIronSword},
                              {kMakeDiamondPickaxe, kMakeDiamondSword}};
  for (i32 material = 1; material <= 4; ++material) {
    achieve(s, kTools[material - 1][0], s.item[kPickaxe] >= material);
    achieve(s, kTools[material - 1][1], s.item[kSword] >= material);
  }
}

}  // namespace envpool::craftax::full
