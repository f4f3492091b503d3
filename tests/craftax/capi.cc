// SPDX-License-Identifier: Apache-2.0
//
// Exports Craftax-Classic to tests that replay what the reference has drawn.
#include "envpool/craftax/classic_pixels.h"
#include "envpool/craftax/classic_symbolic.h"
#include "tests/craftax/drawn_noise.h"
#include "tests/support/functions.h"

namespace envpool::craftax {

// What the reference has drawn in a step. `cell` says where each kind has appeared, or -1.
struct DrawnInStep {
  i32 zombie_direction[3], zombie_axis[3];
  f32 zombie_chase[3];
  i32 cow_direction[3];
  i32 skeleton_direction[2], skeleton_axis[2];
  f32 skeleton_bold[2];
  f32 sapling, spawn[3];
  i32 cell[3];
};

// What it has drawn for a world: angles by noise, uniform numbers by field and cell, and the cell of a diamond.
struct DrawnForWorld {
  const f32* angle[kNoises];
  const f32* field[4];
  i32 diamond;
};

// Replays them. If the reference has chosen a cell that ours cannot choose, or none, `wrong` is set.
struct Tape {
  const DrawnInStep* step;
  const DrawnForWorld* world;
  bool wrong = false;

  Moves moves() const {
    Moves moves{};
    for (i32 i = 0; i < 3; ++i) {
      moves.direction[i] = u8(kLeft + step->zombie_direction[i]);
      moves.direction[3 + i] = u8(kLeft + step->cow_direction[i]);
      moves.across |= u32(step->zombie_axis[i]) << i;
      moves.bold |= u32(step->zombie_chase[i] < 0.75f) << i;
    }
    for (i32 i = 0; i < 2; ++i) {
      moves.direction[6 + i] = u8(kLeft + step->skeleton_direction[i]);
      moves.across |= u32(step->skeleton_axis[i]) << (6 + i);
      moves.bold |= u32(step->skeleton_bold[i] > 0.85f) << (6 + i);
    }
    return moves;
  }
  bool finds_sapling() const { return step->sapling < 0.1f; }
  bool spawns(i32 kind, f32 chance) const { return step->spawn[kind] < chance; }
  template <class Nth>
  i32 pick(i32 kind, i32 count, Nth&& nth) {
    const i32 cell = kind < 0 ? world->diamond : step->cell[kind];
    bool found = false;
    for (i32 n = 0; n < count && !found; ++n) found = nth(n) == cell;
    wrong = wrong || !found || nth(count - 1) < 0;
    return max(cell, 0);
  }
  void begin_world() {}
  f32 angle(Noise noise, i32 index) const { return world->angle[noise][index]; }
  f32 uniform(Field field, i32 cell) const { return world->field[field][cell]; }
};

}  // namespace envpool::craftax

extern "C" {

using namespace envpool;
using namespace envpool::craftax;

i64 test_drawn_bytes() { return sizeof(DrawnInStep); }

// Steps n states, and returns how many of them needed other draws.
i64 test_replay_steps(const abi::Options* options, State* states, const i32* actions, const DrawnInStep* drawn,
                      f32* rewards, u8* ends, i64 n) {
  const Params params = testing::Functions<CraftaxClassicSymbolic>(options).params;
  i64 wrong = 0;
  for (i64 i = 0; i < n; ++i) {
    Tape tape{&drawn[i], nullptr};
    const Outcome outcome = advance(states[i], params, actions[i], tape);
    rewards[i] = outcome.reward;
    ends[i] = outcome.terminated;
    wrong += tape.wrong;
  }
  return wrong;
}

// Makes a world; returns whether other draws were needed.
i64 test_replay_world(const abi::Options* options, State* state, const DrawnForWorld* drawn) {
  const Params params = testing::Functions<CraftaxClassicSymbolic>(options).params;
  Tape tape{nullptr, drawn};
  make_world(*state, params, tape);
  return tape.wrong;
}

// Draws the images of n states with the noise that the reference has drawn.
void test_draw_images(const char* textures, i64 bytes, const State* states, const f32* noise, f32* images, i64 n) {
  const Blob blob = make_art({textures, size_t(bytes)});
  for (i64 i = 0; i < n; ++i) {
    draw_image(states[i], *reinterpret_cast<const Art*>(blob.data()),
               DrawnNoise<kColumns, kTileSide>{noise + i * kRows * kTileSide * kImageWidth},
               images + i * CraftaxClassicPixels::kNumbers);
  }
}

// Draws n moves, for tests of their distribution.
void test_moves(u64 seed, Moves* moves, i64 n) {
  for (i64 i = 0; i < n; ++i) {
    Rng rng{.seed = seed, .stream = u32(i)};
    moves[i] = RandomDraws(rng).moves();
  }
}
}
