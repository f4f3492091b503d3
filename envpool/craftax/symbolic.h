// SPDX-License-Identifier: Apache-2.0
//
// Craftax, observed as numbers: gather, build, fight, eat, drink and sleep on nine floors to achieve 67 things.
//
//   Action       i32, see describe_actions() in full/game.h; the first 17 are those of Craftax-Classic
//   Observation  f32[8268]: for each of 9 by 11 blocks around the player that is lit, a 1 at its kind (37), at what is
//                on it (5: nothing, torch, ladders), at what is there (40: 8 types of mobs that fight, harmless ones,
//                mobs that shoot, what they have shot, what the player has shot), and at the end; then the square roots
//                of 10 items divided by 10, books / 2, pickaxe / 4, sword / 4, enchantments of sword and bow, bow; the
//                square roots of 6 potions divided by 10; health, food, drink, energy, mana, experience, dexterity,
//                strength, intelligence, each divided by 10; a 1 at the direction (left, right, up, down); 4 pieces of
//                armour / 2 and their enchantments; the light; 1 if the player sleeps, rests, has learned to cast
//                fireballs, iceballs; the floor / 10; 1 if its ladder is open; 1 if the necromancer is vulnerable
//   Reward       1, 3, 5 or 8 for each thing that is achieved for the first time, and 0.1 for each point of health,
//                which is negative if health is lost
//   Terminated   when health is 0, or the necromancer is defeated
//   Reset        a new world
//
// A player who sleeps or rests does nothing until woken by a mob, or by enough energy or health. Reference: see
// full/state.h.
#pragma once

#include "envpool/craftax/full/game.h"
#include "envpool/craftax/full/picture.h"
#include "envpool/craftax/full/view.h"

namespace envpool::craftax {

struct CraftaxSymbolic {
  static constexpr const char* kName = "CraftaxSymbolic";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kThingsAt = full::kBlocks, kMobsAt = kThingsAt + full::kThings,
                       kLightAt = kMobsAt + 5 * full::kTypes, kKinds = kLightAt + 1;  // of a block of the view
  static constexpr i32 kView = full::kRows * full::kColumns * kKinds, kNumbers = kView + 51;
  enum Field { kObs, kAchieved };

  using Params = full::Params;
  using State = full::State;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { full::declare(o); }
  static void spec(const Params&, Spec& s) {
    s.obs<f32>("obs", {kNumbers})
        .bounds(0, 4)
        .doc("blocks and mobs in view, items, potions, needs, attributes, direction, armour, light, floor");
    full::describe_actions(s);
    full::describe_picture(s);
  }
  static void render(const State& s, const Params&, u8* rgb) { full::draw_picture(s, rgb); }
  static void state_parts(StateParts<State>& parts) { full::name_parts(parts); }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    full::RandomDraws draws(rng);
    full::begin(s, p, draws);
  }
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    full::RandomDraws draws(rng);
    return full::advance(s, p, *action.at<i32>(0), draws);
  }
  ENVPOOL_FN static void repair(State& s, const Params&) { full::repair_state(s); }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    f32* const number = row.at<f32, kNumbers>(kObs);
#if defined(__GNUC__) && !defined(__CUDACC__)
    __builtin_memset(number, 0, kView * sizeof(f32));
#else
    for (i32 i = 0; i < kView; ++i) number[i] = 0;
#endif
    observe_cleared(s, p, row);
  }
  ENVPOOL_FN static void observe_cleared(const State& s, const Params&, Row row) {
    f32* const number = row.at<f32, kNumbers>(kObs);
    const auto block_at = [=](i32 y, i32 x) { return number + (y * full::kColumns + x) * kKinds; };
    full::for_view(s, [=](i32 y, i32 x, u8 cell) {
      f32* const block = block_at(y, x);
      block[min<i32>(full::block_of(cell), full::kBlocks - 1)] = 1;
      block[kThingsAt + full::thing_of(cell)] = 1;
      block[kLightAt] = 1;
    });
    full::for_things(s, [=](i32 kind, i32 type, i32 y, i32 x, bool shown) {
      block_at(y, x)[kMobsAt + kind * full::kTypes + type] = one_if(shown);
    });
    observe_player(s, number + kView);
    full::write_achievements(s, row.at<bool, full::kAchievements>(kAchieved));
  }

 private:
  ENVPOOL_FN static f32 tenth_of_root(i32 count) { return sqrt(f32(count)) / 10.0f; }
  ENVPOOL_FN static void observe_player(const State& s, f32* next) {
    for (i32 i = 0; i < full::kBook; ++i) *next++ = tenth_of_root(s.item[i]);
    *next++ = f32(s.item[full::kBook]) / 2.0f;
    *next++ = f32(s.item[full::kPickaxe]) / 4.0f;
    *next++ = f32(s.item[full::kSword]) / 4.0f;
    *next++ = f32(s.sword_enchantment);
    *next++ = f32(s.bow_enchantment);
    *next++ = f32(s.item[full::kBow]);
    for (u8 count : s.potion) *next++ = tenth_of_root(count);
    *next++ = s.health / 10.0f;
    *next++ = f32(s.food) / 10.0f;
    *next++ = f32(s.drink) / 10.0f;
    *next++ = f32(s.energy) / 10.0f;
    *next++ = f32(s.mana) / 10.0f;
    *next++ = f32(s.experience) / 10.0f;
    *next++ = f32(s.dexterity) / 10.0f;
    *next++ = f32(s.strength) / 10.0f;
    *next++ = f32(s.intelligence) / 10.0f;
    for (i32 direction = full::kLeft; direction <= full::kDown; ++direction) *next++ = one_if(s.direction == direction);
    for (u8 armour : s.armour) *next++ = f32(armour) / 2.0f;
    for (u8 enchantment : s.armour_enchantment) *next++ = f32(enchantment);
    *next++ = s.light;
    *next++ = one_if(s.asleep);
    *next++ = one_if(s.resting);
    *next++ = one_if(s.learned[full::kFireball]);
    *next++ = one_if(s.learned[full::kIceball]);
    *next++ = f32(s.level) / 10.0f;
    *next++ = one_if(s.defeated[s.level] >= full::kToClear);
    *next++ = one_if(full::is_boss_vulnerable(s));
  }
};

}  // namespace envpool::craftax
