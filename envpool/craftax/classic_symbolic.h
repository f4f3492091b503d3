// SPDX-License-Identifier: Apache-2.0
//
// Craftax-Classic, observed as numbers: gather, build, fight, eat, drink and sleep to achieve 22 things.
//
//   Action       i32, 0 nothing, 1 left, 2 right, 3 up, 4 down, 5 acts on what is in front, 6 sleeps, 7 to 10 place a
//                stone, table, furnace or sapling, 11 to 16 make a pickaxe or sword of wood, stone or iron
//   Observation  f32[1345]: for each of 7 by 9 blocks around the player a 1 at its kind (17) and at what is there
//                (zombie, cow, skeleton, arrow); then 12 items, health, food, drink and energy, each divided by 10 and
//                rounded to 16 bits; a 1 at the direction (left, right, up, down); the light; 1 if the player sleeps
//   Reward       1 for each thing that is achieved for the first time, and 0.1 for each point of health, which is
//                negative if health is lost
//   Terminated   when health is 0, or in lava
//   Reset        a new world
//
// A player who sleeps does nothing until woken by a zombie, an arrow or enough energy. Reference: see state.h.
#pragma once

#include "envpool/craftax/game.h"
#include "envpool/craftax/picture.h"
#include "envpool/craftax/view.h"

namespace envpool::craftax {

struct CraftaxClassicSymbolic {
  static constexpr const char* kName = "CraftaxClassicSymbolic";
  static constexpr bool kLargeRows = true;
  static constexpr i32 kKinds = kBlocks + 4;  // numbers for each block of the view
  static constexpr i32 kView = kRows * kColumns * kKinds, kNumbers = kView + kItems + 4 + 4 + 2;
  enum Field { kObs, kAchieved };

  using Params = craftax::Params;
  using State = craftax::State;

#if ENVPOOL_HOST
  static void options(OptionSpecs& o) { declare(o); }
  static void spec(const Params&, Spec& s) {
    s.obs<f32>("obs", {kNumbers})
        .bounds(0, 1)
        .doc("blocks and mobs in view, items, health, food, drink, energy, direction, light, sleep");
    describe_actions(s);
    describe_picture(s);
  }
  static void render(const State& s, const Params&, u8* rgb) { draw_picture(s, rgb); }
  static void state_parts(StateParts<State>& parts) { name_parts(parts); }
#endif

  ENVPOOL_FN static void reset(State& s, const Params& p, Rng& rng) {
    RandomDraws draws(rng);
    make_world(s, p, draws);
  }
  ENVPOOL_FN static Outcome step(State& s, const Params& p, ActionRow action, Rng& rng) {
    RandomDraws draws(rng);
    return advance(s, p, *action.at<i32>(0), draws);
  }
  ENVPOOL_FN static void repair(State& s, const Params&) { repair_state(s); }

  ENVPOOL_FN static void observe(const State& s, const Params& p, Row row) {
    f32* const number = row.at<f32, kNumbers>(kObs);
#if defined(__GNUC__) && !defined(__CUDACC__)
    // The C library's memset uses a slower instruction for more than 2 KB, and the code that GCC inlines for a constant
    // size does so too. So the size is hidden from GCC.
    constexpr i32 kPieces = 4;
    u64 bytes = kView * sizeof(f32) / kPieces;
    asm("" : "+r"(bytes));
    for (i32 i = 0; i < kPieces; ++i) __builtin_memset(reinterpret_cast<u8*>(number) + u64(i) * bytes, 0, bytes);
#else
    for (i32 i = 0; i < kView; ++i) number[i] = 0;
#endif
    observe_cleared(s, p, row);
  }
  ENVPOOL_FN static void observe_cleared(const State& s, const Params&, Row row) {
    f32* const number = row.at<f32, kNumbers>(kObs);
    for_view(s,
             [=](i32 y, i32 x, u8 block) { number[(y * kColumns + x) * kKinds + min<i32>(block, kBlocks - 1)] = 1; });
    for_things(s, [=](i32 kind, i32 y, i32 x, bool shown) {
      number[(y * kColumns + x) * kKinds + kBlocks + kind] = one_if(shown);
    });
    f32* next = number + kView;
    for (u8 count : s.item) *next++ = tenth(count);
    *next++ = tenth(s.health);
    *next++ = tenth(s.food);
    *next++ = tenth(s.drink);
    *next++ = tenth(s.energy);
    for (i32 direction = kLeft; direction <= kDown; ++direction) *next++ = one_if(s.direction == direction);
    next[0] = s.light;
    next[1] = one_if(s.asleep);
    write_achievements(s, row.at<bool, kAchievements>(kAchieved));
  }

 private:
  // Returns a tenth of a count, rounded to a float of 16 bits, as the reference computes it.
  ENVPOOL_FN static f32 tenth(i32 count) {
    constexpr u16 kMantissas[kMost + 1] = {0, 1638, 3276, 4916, 6552, 8192, 9832, 11472, 13104, 14744};
    return f32(kMantissas[clamp(count, 0, kMost)]) / 16384.0f;
  }
};

}  // namespace envpool::craftax
