// SPDX-License-Identifier: Apache-2.0
//
// A new world and a step of Craftax, and what its environments share: options, infos and parts of the state.
#pragma once

#include "envpool/core/api.h"
#include "envpool/craftax/full/dungeon.h"
#include "envpool/craftax/full/spawn.h"

namespace envpool::craftax::full {

// Makes a floor when the player first comes to it. The reference makes all floors with the world. As nothing else
// depends on them, their distribution is the same.
template <class Draws>
ENVPOOL_DEVICE_CALL void make_floor(State& s, i32 floor, const Params& p, Draws& draws) {
  if ((s.made >> floor & 1) != 0) return;
  s.made |= u16(1u << floor);
  if (floor == kDungeon || floor == kSewers || floor == kVault) return make_dungeon(s, floor, draws);
  make_landscape(s, floor, p, draws);
}

ENVPOOL_FN void clear_mobs(State& s, i32 floor) {
  Mobs& mobs = s.mobs[floor];
  for (i32 i = 0; i < kMobs; ++i) {
    mobs.health[i] = 1;
    mobs.cell[i] = 0;
    mobs.type[i] = mobs.cooldown[i] = 0;
  }
  mobs.alive = mobs.occupying = 0;
  for (Shots* shots = &s.mob_shots[floor];; shots = &s.player_shots[floor]) {
    for (i32 i = 0; i < kShots; ++i) {
      shots->y[i] = shots->x[i] = 0;
      shots->dy[i] = shots->dx[i] = 1;
      shots->type[i] = 0;
    }
    shots->flying = 0;
    if (shots == &s.player_shots[floor]) return;
  }
}

// Begins a new game.
template <class Draws>
ENVPOOL_FN void begin(State& s, const Params& p, Draws& draws) {
  for (i32 floor = 0; floor < kFloors; ++floor) {
    clear_mobs(s, floor);
    s.ladder_down[floor] = s.ladder_up[floor] = 0;
    s.defeated[floor] = 0;
    s.chest_opened[floor] = false;
  }
  s.made = 0;
  make_floor(s, kOverworld, p, draws);
  s.defeated[kOverworld] = kToClear;  // The first ladder is open.
  s.level = kOverworld;
  s.y = kMiddle.y;
  s.x = kMiddle.x;
  s.direction = kUp;
  s.asleep = s.resting = false;
  s.health = 9;
  s.food = s.drink = s.energy = s.mana = 9;
  s.hunger = s.thirst = s.fatigue = s.recover = s.recover_mana = 0;
  s.experience = 0;
  s.dexterity = s.strength = s.intelligence = 1;
  for (u8& count : s.item) count = 0;
  for (u8& count : s.potion) count = 0;
  for (i32 i = 0; i < kPotions; ++i) s.potion_effect[i] = u8(i);
  for (i32 i = kPotions - 1; i > 0; --i) {
    const i32 other = draws.potion_effect(i + 1);
    const u8 effect = s.potion_effect[i];
    s.potion_effect[i] = s.potion_effect[other];
    s.potion_effect[other] = effect;
  }
  for (i32 i = 0; i < kArmours; ++i) s.armour[i] = s.armour_enchantment[i] = 0;
  s.sword_enchantment = s.bow_enchantment = kPlain;
  s.learned[kFireball] = s.learned[kIceball] = false;
  s.boss_progress = 0;
  s.boss_wave = kBossWave;
  s.plants = 0;
  for (i32 i = 0; i < kPlants; ++i) s.plant_cell[i] = s.plant_age[i] = 0;
  for (u8& bits : s.achievements) bits = 0;
  s.time = 0;
  s.light = light_at(0, p);
}

template <class Draws>
ENVPOOL_FN void change_floor(State& s, const Params& p, i32 action, Draws& draws) {
  const u8 thing = thing_of(s.cell[s.level][player_of(s).cell()]);
  i32 cell = -1;
  if (action == kDescend && thing == kLadderDown && s.defeated[s.level] >= kToClear && s.level < kFloors - 1) {
    make_floor(s, ++s.level, p, draws);
    cell = s.ladder_up[s.level];
  }
  if (action == kAscend && thing == kLadderUp && s.level > 0) {
    make_floor(s, --s.level, p, draws);
    cell = s.ladder_down[s.level];
  }
  if (cell >= 0) {
    s.y = place_of(cell).y;
    s.x = place_of(cell).x;
  }
  if (s.level == kOverworld || has_achieved(s, prize_of_floor(s.level))) return;
  achieve(s, prize_of_floor(s.level));
  s.experience += 1;
}

// Does what a player who is awake wants, except for walking.
template <class Draws>
ENVPOOL_FN void obey(State& s, const Params& p, i32 action, Draws& draws) {
  switch (action) {
    case kDo: return act(s, draws);
    case kPlaceStoneBlock:
    case kPlaceTableBlock:
    case kPlaceFurnaceBlock:
    case kPlaceSapling:
    case kPlaceTorchThing: return build(s, action);
    case kShootArrow: return shoot_arrow(s);
    case kCastFirstSpell:
    case kCastLastSpell: return cast_spell(s, action - kCastFirstSpell);
    case kReadBook: return read_book(s, draws);
    case kEnchantTheSword:
    case kEnchantTheArmour:
    case kEnchantTheBow: return enchant(s, action, draws);
    case kLevelUpDexterity: return level_up(s, s.dexterity, p);
    case kLevelUpStrength: return level_up(s, s.strength, p);
    case kLevelUpIntelligence: return level_up(s, s.intelligence, p);
    default:
      if (action >= kDrinkFirstPotion && action <= kDrinkLastPotion) return drink_potion(s, action - kDrinkFirstPotion);
      craft(s, action);
  }
}

template <class Draws>
ENVPOOL_DEVICE_CALL Outcome advance(State& s, const Params& p, i32 action, Draws& draws) {
  u8 before[kAchievementBytes];
  for (i32 i = 0; i < kAchievementBytes; ++i) before[i] = s.achievements[i];
  const f32 health = s.health;
  if (s.asleep || s.resting) action = kNoop;
  change_floor(s, p, action, draws);
  obey(s, p, action, draws);
  if (s.boss_progress >= kBossLives) achieve(s, kDefeatNecromancer);
  if (at_boss(s)) s.boss_wave = u8(max(s.boss_wave - 1, 0));
  if (action >= kLeft && action <= kDown) walk(s, action);
  move_mobs(s, p, draws);
  spawn_mobs(s, p, draws);
  grow(s);
  live(s, action);
  take_stock(s);
  count_up(s.time);
  s.light = light_at(s.time, p);

  i32 gained = 0;
  for (i32 i = 0; i < kAchievementBytes; ++i) {
    i32 achievement = 8 * i;
    for (u32 left = s.achievements[i] & ~u32{before[i]}; left != 0; left >>= 1, ++achievement) {
      if ((left & 1) != 0) gained += worth(achievement);
    }
  }
  return {.reward = f32(gained) + (s.health - health) * 0.1f,
          .terminated = s.health <= 0 || s.boss_progress >= kBossLives};
}

#if ENVPOOL_HOST

inline void declare(OptionSpecs& o) {
  o.integer("day_length", 300, "steps from one night to the next").between(1, 1'000'000).sets(&Params::day_length);
  o.boolean("always_diamond", false, "puts one more diamond into each overworld").sets(&Params::always_diamond);
  o.integer("mob_despawn_distance", 14, "steps from the player at which mobs disappear")
      .between(1, 2 * kSide)
      .sets(&Params::despawn_distance);
  o.integer("max_attribute", 5, "most dexterity, strength and intelligence")
      .between(1, kMostAttribute)
      .sets(&Params::max_attribute);
}

inline void describe_actions(Spec& s) {
  s.action<i32>().categories(kActions).doc(
      "0 nothing, 1 left, 2 right, 3 up, 4 down, 5 acts, 6 sleeps, 7 places a stone, 8 places a table, "
      "9 places a furnace, 10 places a sapling, 11 makes a wood pickaxe, 12 makes a stone pickaxe, "
      "13 makes an iron pickaxe, 14 makes a wood sword, 15 makes a stone sword, 16 makes an iron sword, 17 rests, "
      "18 descends, 19 ascends, 20 makes a diamond pickaxe, 21 makes a diamond sword, 22 makes iron armour, "
      "23 makes diamond armour, 24 shoots an arrow, 25 makes arrows, 26 casts a fireball, 27 casts an iceball, "
      "28 places a torch, 29 drinks the red potion, 30 drinks the green potion, 31 drinks the blue potion, "
      "32 drinks the pink potion, 33 drinks the cyan potion, 34 drinks the yellow potion, 35 reads a book, "
      "36 enchants the sword, 37 enchants armour, 38 makes torches, 39 levels up dexterity, 40 levels up strength, "
      "41 levels up intelligence, 42 enchants the bow");
  s.info<bool>("achievements", {kAchievements}).doc("what has been achieved in this episode");
}

template <class AnyState>  // State, or a struct that is derived from it
void name_parts(StateParts<AnyState>& parts) {
  const auto add = [&]<class T>(const char* name, T State::* part) {
    parts.add(name, static_cast<T AnyState::*>(part));
  };
  add("cell", &State::cell);
  add("item", &State::item);
  add("potion", &State::potion);
  add("health", &State::health);
  add("food", &State::food);
  add("drink", &State::drink);
  add("energy", &State::energy);
  add("mana", &State::mana);
  add("level", &State::level);
  add("y", &State::y);
  add("x", &State::x);
  add("direction", &State::direction);
  add("asleep", &State::asleep);
  add("achievements", &State::achievements);
  add("light", &State::light);
  add("time", &State::time);
}

#endif

ENVPOOL_FN void write_achievements(const State& s, bool* row) {
  for (i32 i = 0; i < kAchievements; ++i) row[i] = has_achieved(s, i);
}

}  // namespace envpool::craftax::full
