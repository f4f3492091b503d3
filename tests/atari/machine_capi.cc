// SPDX-License-Identifier: Apache-2.0
//
// C functions through which ale_comparison.py runs the machine frame by frame.
#include <cstring>
#include <memory>

#include "envpool/atari/console/rom_builder.h"
#include "envpool/atari/games/game_info.h"
#include "envpool/atari/machine.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace envpool;
using namespace envpool::atari;

struct TestMachine {
  std::unique_ptr<Rom> rom;
  std::shared_ptr<const void> code;
  Setup setup;
  WithScreens<Machine> machine;
  Rng rng;
};

}  // namespace

// Returns null if there is no such game or the cartridge is unsupported. A negative mode or difficulty means the
// default.
EXPORT TestMachine* atari_new(const char* task, const u8* image, i64 size, i32 mode, i32 difficulty) try {
  const GameInfo info = find_game(task);
  auto test = std::make_unique<TestMachine>();
  test->rom = build_rom(image, size_t(size));
  test->code = compile_rom(*test->rom);
  test->setup.rom = test->rom.get();
  test->setup.native = test->code.get();
  test->setup.traits = info.traits;
  test->setup.game = u8(info.game);
  test->setup.mode = mode < 0 ? info.traits.default_mode : mode;
  test->setup.difficulty = u8(difficulty < 0 ? 0 : difficulty);
  load(test->machine, test->setup, test->rng);
  return test.release();
} catch (...) {
  return nullptr;
}

EXPORT void atari_delete(TestMachine* test) { delete test; }

EXPORT i32 atari_height(const TestMachine* test) { return test->rom->height; }

// Returns whether the ROM runs as native code.
EXPORT bool atari_is_native(const TestMachine* test) { return test->code != nullptr; }

EXPORT u32 atari_actions(const TestMachine* test) { return test->setup.traits.minimal_actions; }

EXPORT u32 atari_legal(const TestMachine* test) { return test->setup.traits.legal_actions; }

// The size of a saved state: the machine and the generator of its sticky actions.
EXPORT i64 atari_state_bytes() { return sizeof(WithScreens<Machine>) + sizeof(Rng); }

EXPORT void atari_save(const TestMachine* test, u8* bytes) {
  std::memcpy(bytes, &test->machine, sizeof(test->machine));
  std::memcpy(bytes + sizeof(test->machine), &test->rng, sizeof(Rng));
}

EXPORT void atari_restore(TestMachine* test, const u8* bytes) {
  std::memcpy(&test->machine, bytes, sizeof(test->machine));
  std::memcpy(&test->rng, bytes + sizeof(test->machine), sizeof(Rng));
}

// Returns whether repair() leaves this machine unchanged.
EXPORT bool atari_is_valid(const TestMachine* test) {
  const auto copy = std::make_unique<Machine>(test->machine);
  repair(*copy, *test->rom);
  return std::memcmp(&*copy, &test->machine, sizeof(Machine)) == 0;
}

EXPORT void atari_reset(TestMachine* test) { reset_game(test->machine, test->setup, test->rng); }

EXPORT void atari_seed(TestMachine* test, u64 seed) { test->rng = Rng{.seed = seed}; }

// Writes the memory, the screen, and a row of outcomes: reward, lives, game over.
EXPORT void atari_observe(const TestMachine* test, u8* ram, u8* to_screen, i32* outcomes) {
  const Machine& m = test->machine;
  std::memcpy(ram, m.console.ram, 128);
  std::memcpy(to_screen, screen(m), size_t(test->rom->height) * kWidth);
  outcomes[0] = m.rules.reward;
  outcomes[1] = lives(m, test->setup);
  outcomes[2] = m.rules.terminal;
}

// Plays up to `count` frames, stops after the frame that ends the game, and returns the number of frames played.
// `actions` receives the executed actions, which differ from the given ones if actions are sticky. Of every four frames
// the last `drawn` are drawn, as with a frame skip of 4. A row of `outcomes` is reward, lives, game over.
EXPORT i32 atari_play(TestMachine* test, i32 count, i32* actions, f64 repeat_probability, i32 drawn, u8* ram,
                      u8* screens, i32* outcomes) {
  const i64 screen_bytes = i64{test->rom->height} * kWidth;
  Machine& m = test->machine;
  for (i32 i = 0; i < count; ++i) {
    const bool draw = i % 4 >= 4 - drawn;
    const i32 reward = act_sticky(m, test->setup, actions[i], repeat_probability, test->rng, draw);
    actions[i] = m.last_action;
    if (draw) {
      atari_observe(test, ram + 128 * i, screens + screen_bytes * i, outcomes + 3 * i);
    } else {
      std::memcpy(ram + 128 * i, m.console.ram, 128);
      outcomes[3 * i + 1] = lives(m, test->setup);
      outcomes[3 * i + 2] = m.rules.terminal;
    }
    outcomes[3 * i] = reward;
    if (m.rules.terminal) return i + 1;
  }
  return count;
}
