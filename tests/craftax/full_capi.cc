// SPDX-License-Identifier: Apache-2.0
//
// Exports Craftax in full to tests that replay what the reference has drawn.
#include "envpool/craftax/pixels.h"
#include "envpool/craftax/symbolic.h"
#include "tests/craftax/drawn_noise.h"
#include "tests/support/functions.h"

namespace envpool::craftax::full {

// What the reference has drawn in a step, for kinds of mobs in the order of Kind. `cell` says where each has appeared.
struct DrawnInStep {
  f32 sapling;
  f32 has_torches;
  i32 torches;
  f32 has_ore;
  i32 ore, ores[5];
  f32 has_potion;
  i32 potion, potions;
  f32 has_arrows;
  i32 arrows;
  f32 has_tool;
  i32 tool, pickaxe, sword;
  i32 spell, armour;
  i32 direction[kMobs], axis[kMobs];
  f32 bold[kMobs];
  f32 spawn[3];
  i32 cell[3];
  i32 choices[5];  // how many cells, spells or pieces of armour it could choose
};

// What it has drawn for a floor: a landscape or a dungeon.
struct DrawnForFloor {
  const f32* angle[kNoises];
  const f32* field[1 + kOres];
  const u8* rare;
  i32 diamond, down, up;
  i32 size[kRooms][2], chunk[kRooms], offset[kRooms][2], chest[kRooms][2], fountain[kRooms][2];
  f32 has_fountain[kRooms];
  i32 end[kRooms];
  i32 choices[3], chunk_choices[kRooms], end_choices[kRooms];
};

// Replays them. If the reference has chosen what ours cannot choose, `wrong` is set.
struct Tape {
  const DrawnInStep* step;
  const DrawnForFloor* floor;
  i32 chunks = 0, ends = 0;
  bool wrong = false;

  Moves moves() const {
    Moves moves{};
    for (i32 i = 0; i < kMobs; ++i) {
      moves.direction[i] = u8(kLeft + step->direction[i]);
      moves.across |= u32(step->axis[i]) << i;
      const bool bold = i < first_mob(kPassive) ? step->bold[i] < 0.75f : step->bold[i] > 0.85f;
      moves.bold |= u32(bold) << i;
    }
    return moves;
  }
  bool finds_sapling() const { return step->sapling < 0.1f; }
  bool spawns(i32 kind, f32 chance) const { return step->spawn[kind] < chance; }
  Loot loot() const {
    constexpr Item kOre[] = {kCoalItem, kIronItem, kDiamondItem, kSapphireItem, kRubyItem};
    Loot loot{};
    if (step->has_torches < 0.6f) loot.torches = u8(step->torches);
    loot.ore = kOre[step->ore];
    if (step->has_ore < 0.6f) loot.ores = u8(step->ores[step->ore]);
    loot.potion = u8(step->potion);
    if (step->has_potion < 0.5f) loot.potions = u8(step->potions);
    if (step->has_arrows < 0.25f) loot.arrows = u8(step->arrows);
    if (step->has_tool < 0.2f && step->tool == 0) loot.pickaxe = u8(step->pickaxe);
    if (step->has_tool < 0.2f && step->tool == 1) loot.sword = u8(step->sword);
    return loot;
  }
  struct Chosen {
    i32 result, choices;
  };
  Chosen drawn(i32 choice) {
    switch (choice) {
      case kDiamondCell: return {floor->diamond, floor->choices[0]};
      case kDownCell: return {floor->down, floor->choices[1]};
      case kUpCell: return {floor->up, floor->choices[2]};
      case kRoomChunk: ++chunks; return {floor->chunk[chunks - 1], floor->chunk_choices[chunks - 1]};
      case kPathEnd: ++ends; return {floor->end[ends - 1], floor->end_choices[ends - 1]};
      case kSpellToLearn: return {step->spell, step->choices[3]};
      case kArmourToEnchant: return {step->armour, step->choices[4]};
      default: return {step->cell[choice], step->choices[choice]};
    }
  }
  template <class Nth>
  i32 pick(i32 choice, i32 count, Nth&& nth) {
    const Chosen chosen = drawn(choice);
    i32 found = 0;
    for (i32 n = 0; n < count; ++n) found += nth(n) == chosen.result;
    wrong = wrong || found != 1 || count != chosen.choices;
    return max(chosen.result, 0);
  }
  void begin_world() {}
  f32 angle(Noise noise, i32 index) const { return floor->angle[noise][index]; }
  f32 uniform(i32 number, i32 cell) const { return floor->field[number][cell]; }
  bool rare(i32 cell) const { return floor->rare[cell] != 0; }
  Room room(i32 i) const {
    Room room;
    room.rows = floor->size[i][0];
    room.columns = floor->size[i][1];
    room.offset = {floor->offset[i][0], floor->offset[i][1]};
    room.chest = {floor->chest[i][0], floor->chest[i][1]};
    room.fountain = {floor->fountain[i][0], floor->fountain[i][1]};
    room.has_fountain = floor->has_fountain[i] > 0.5f;
    return room;
  }
};

}  // namespace envpool::craftax::full

extern "C" {

using namespace envpool;

i64 test_full_drawn_bytes(i32 of_floor) {
  using namespace craftax::full;
  return of_floor != 0 ? sizeof(DrawnForFloor) : sizeof(DrawnInStep);
}

// Steps n states with their lights, and returns how many of them needed other draws.
i64 test_full_replay_steps(const abi::Options* options, craftax::full::State* states, craftax::full::Lights* lights,
                           const i32* actions, const craftax::full::DrawnInStep* drawn, f32* rewards, u8* ends, i64 n) {
  using namespace craftax::full;
  const Params params = testing::Functions<craftax::CraftaxSymbolic>(options).params;
  i64 wrong = 0;
  for (i64 i = 0; i < n; ++i) {
    Tape tape{&drawn[i], nullptr};
    const Outcome outcome = advance(states[i], lights[i], params, actions[i], tape);
    rewards[i] = outcome.reward;
    ends[i] = outcome.terminated;
    wrong += tape.wrong;
  }
  return wrong;
}

// Makes a floor and its lights; returns whether other draws were needed.
i64 test_full_replay_floor(const abi::Options* options, craftax::full::State* state, craftax::full::Lights* lights,
                           i32 floor, const craftax::full::DrawnForFloor* drawn) {
  using namespace craftax::full;
  const Params params = testing::Functions<craftax::CraftaxSymbolic>(options).params;
  Tape tape{nullptr, drawn};
  make_floor(*state, floor, params, tape);
  begin_lights(*lights, *state, floor);
  return tape.wrong;
}

// Makes the floors of n states that the player has not come to, and their lights.
void test_full_make_floors(const abi::Options* options, craftax::full::State* states, craftax::full::Lights* lights,
                           u64 seed, i64 n) {
  using namespace craftax::full;
  const Params params = testing::Functions<craftax::CraftaxSymbolic>(options).params;
  for (i64 i = 0; i < n; ++i) {
    Rng rng{.seed = seed, .stream = u32(i)};
    RandomDraws draws(rng);
    for (i32 floor = 0; floor < kFloors; ++floor) {
      make_floor(states[i], floor, params, draws);
      begin_lights(lights[i], states[i], floor);
    }
  }
}

// Draws the images of n states with the noise that the reference has drawn.
void test_full_draw_images(const char* textures, i64 bytes, const craftax::full::State* states,
                           const craftax::full::Lights* lights, const f32* noise, f32* images, i64 n) {
  using namespace craftax::full;
  const Blob blob = make_art({textures, size_t(bytes)});
  for (i64 i = 0; i < n; ++i) {
    draw_image(states[i], lights[i], *reinterpret_cast<const Art*>(blob.data()),
               craftax::DrawnNoise<kColumns, kTileSide>{noise + i * kRows * kTileSide * kImageWidth},
               images + i * craftax::CraftaxPixels::kNumbers);
  }
}

// Opens n chests, for tests of the distribution of what they contain.
void test_full_loot(u64 seed, craftax::full::Loot* loot, i64 n) {
  for (i64 i = 0; i < n; ++i) {
    Rng rng{.seed = seed, .stream = u32(i)};
    loot[i] = craftax::full::RandomDraws(rng).loot();
  }
}
}
