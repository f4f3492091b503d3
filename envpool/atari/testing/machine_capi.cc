// SPDX-License-Identifier: Apache-2.0
//
// The machine as beside_ale.py drives it, frame by frame beside ale-py.
#include <cstring>
#include <memory>

#include "envpool/atari/console/rom_builder.h"
#include "envpool/atari/games/titles.h"
#include "envpool/atari/machine.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace envpool;
using namespace envpool::atari;

struct Bench {
  std::unique_ptr<Rom> rom;
  std::shared_ptr<const void> code;
  Setup setup;
  Machine machine;
  Rng rng;
};

}  // namespace

// Null where there is no such game. A negative mode or difficulty is the default.
EXPORT Bench* atari_new(const char* task, const u8* image, i64 size, i32 mode, i32 difficulty) try {
  const Title title = title_of(task);
  auto bench = std::make_unique<Bench>();
  bench->rom = build_rom(image, size_t(size));
  bench->code = compile_rom(*bench->rom);
  bench->setup.rom = bench->rom.get();
  bench->setup.native = bench->code.get();
  bench->setup.facts = title.facts;
  bench->setup.game = u8(title.game);
  bench->setup.mode = mode < 0 ? title.facts.default_mode : mode;
  bench->setup.difficulty = u8(difficulty < 0 ? 0 : difficulty);
  load(bench->machine, bench->setup, bench->rng);
  return bench.release();
} catch (...) {
  return nullptr;
}

EXPORT void atari_delete(Bench* bench) { delete bench; }

EXPORT i32 atari_height(const Bench* bench) { return bench->rom->height; }

// Whether its ROM runs as machine code, and not in the interpreter.
EXPORT bool atari_is_native(const Bench* bench) { return bench->code != nullptr; }

EXPORT u32 atari_actions(const Bench* bench) { return bench->setup.facts.actions; }

EXPORT u32 atari_legal(const Bench* bench) { return bench->setup.facts.legal; }

// A machine in mid-game is plain bytes: its state, and that of the generator behind its sticky actions.
EXPORT i64 atari_state_bytes() { return sizeof(Machine) + sizeof(Rng); }

EXPORT void atari_save(const Bench* bench, u8* bytes) {
  std::memcpy(bytes, &bench->machine, sizeof(Machine));
  std::memcpy(bytes + sizeof(Machine), &bench->rng, sizeof(Rng));
}

EXPORT void atari_restore(Bench* bench, const u8* bytes) {
  std::memcpy(&bench->machine, bytes, sizeof(Machine));
  std::memcpy(&bench->rng, bytes + sizeof(Machine), sizeof(Rng));
}

// Whether repair() would leave this machine as it is.
EXPORT bool atari_is_valid(const Bench* bench) {
  const auto copy = std::make_unique<Machine>(bench->machine);
  repair(*copy, *bench->rom);
  return std::memcmp(&*copy, &bench->machine, sizeof(Machine)) == 0;
}

EXPORT void atari_reset(Bench* bench) { reset_game(bench->machine, bench->setup, bench->rng); }

EXPORT void atari_seed(Bench* bench, u64 seed) { bench->rng = Rng{.seed = seed}; }

// What is to be seen now.
EXPORT void atari_look(const Bench* bench, u8* ram, u8* picture, i32* numbers) {
  const Machine& m = bench->machine;
  std::memcpy(ram, m.console.ram, 128);
  std::memcpy(picture, screen(m), size_t(bench->rom->height) * kWidth);
  numbers[0] = m.rules.reward;
  numbers[1] = lives(m, bench->setup);
  numbers[2] = m.rules.terminal;
}

// Plays up to `count` frames and stops after the one that ends the game. `actions` become what was really done where
// actions are sticky. Of every four frames the last `drawn` are drawn, as a frame skip of 4 does. Rows of `numbers` are
// reward, lives, game over. Returns how many frames were played.
EXPORT i32 atari_play(Bench* bench, i32 count, i32* actions, f64 repeat_probability, i32 drawn, u8* ram, u8* pictures,
                      i32* numbers) {
  const i64 picture_bytes = i64{bench->rom->height} * kWidth;
  Machine& m = bench->machine;
  for (i32 i = 0; i < count; ++i) {
    const bool draw = i % 4 >= 4 - drawn;
    const i32 reward = act_sticky(m, bench->setup, actions[i], repeat_probability, bench->rng, draw);
    actions[i] = m.held;
    if (draw) {
      atari_look(bench, ram + 128 * i, pictures + picture_bytes * i, numbers + 3 * i);
    } else {
      std::memcpy(ram + 128 * i, m.console.ram, 128);
      numbers[3 * i + 1] = lives(m, bench->setup);
      numbers[3 * i + 2] = m.rules.terminal;
    }
    numbers[3 * i] = reward;
    if (m.rules.terminal) return i + 1;
  }
  return count;
}
