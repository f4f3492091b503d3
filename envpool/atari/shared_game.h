// SPDX-License-Identifier: Apache-2.0
//
// The game that an environment plays: the parameters read from its options, and the data that all environments of a
// pool share. Both Atari environments (atari_env.h, ale_env.h) build on this file.
#pragma once

#include "envpool/atari/machine.h"
#include "envpool/core/api.h"

#if ENVPOOL_HOST
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/atari/console/palette.h"
#include "envpool/atari/console/rom_builder.h"
#include "envpool/atari/games/game_info.h"
#endif

namespace envpool::atari {

// The data that the environments of a pool share. It is at the start of the pool's blob and has no pointers.
template <class M>
struct alignas(64) SharedGameOf {
  Rom rom;
  u8 gray[256];  // by palette index
  u8 rgb[256][3];
  bool initial_is_reset;   // false: `initial` precedes the first reset, because this game's reset draws random numbers
  WithScreens<M> initial;  // the machine after the first reset, which is the same in every environment
};
using SharedGame = SharedGameOf<Machine>;

// The part of an environment's Params that chooses the game.
struct GameParams {
  const u8* blob;      // begins with the SharedGame
  const void* native;  // the ROM as native code of this process; null: the ROM is interpreted
  Setup setup;
  u8 actions[kActions];  // maps the agent's action numbers to Action
  u8 action_count;
  i32 screen_height;
  f64 repeat_action_probability;
};

ENVPOOL_FN const SharedGame& shared_game(const GameParams& game) {
  return *reinterpret_cast<const SharedGame*>(game.blob);
}

ENVPOOL_FN Setup make_setup(const GameParams& game) {
  Setup setup = game.setup;
  setup.rom = &shared_game(game).rom;
  setup.native = game.native;
  return setup;
}

// Copies a machine with its screens.
template <class M>
ENVPOOL_FN void copy_machine(M& to, const WithScreens<M>& from) {
  to = from;
  u64* const words = screen_of(to.console, 0);
  for (u32 i = 0, count = kScreens * from.console.screen_words; i < count; ++i) words[i] = from.screens[i];
}

// Starts the first game after power-on. For most games it is a copy of SharedGame::initial.
ENVPOOL_FN void start_first_game(Machine& m, const GameParams& game, const Setup& setup, Rng& rng) {
  const SharedGame& c = shared_game(game);
  copy_machine(m, c.initial);  // with `shared_game(game).initial`, NVRTC would copy the machine through its stack
  if (!c.initial_is_reset) reset_game(m, setup, rng);
}

#if ENVPOOL_HOST

// Builds the Rom of the option `rom`. The last Rom is cached, because making a pool calls this several times.
inline std::shared_ptr<const Rom> parse_rom(const OptionValues& o, std::string_view task) {
  thread_local std::string last;
  thread_local std::shared_ptr<const Rom> rom;
  const std::string_view image = o.text("rom");
  if (image.empty()) {
    throw std::invalid_argument("no ROM of " + std::string(task) + ": install it with: pip install ale-py");
  }
  if (image == last && rom != nullptr) return rom;
  try {
    std::shared_ptr<const Rom> built = build_rom(reinterpret_cast<const u8*>(image.data()), image.size());
    last = image;
    rom = std::move(built);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument((o.text("rom_path").empty() ? "rom: " : "rom_path: ") + std::string(error.what()));
  }
  return rom;
}

// Reads the options mode, difficulty, full_action_space, rom.
inline void read_game_options(GameParams& game, const OptionValues& o, std::string_view task) {
  const GameInfo info = find_game(task);
  game.setup.traits = info.traits;
  game.setup.game = u8(info.game);
  game.setup.mode = i32(o.integer("mode"));
  if (game.setup.mode < 0) game.setup.mode = info.traits.default_mode;
  if (!info.has_mode(game.setup.mode)) {
    throw std::invalid_argument("mode: expected a mode of " + std::string(info.rom) + " (" + format_modes(info) +
                                "), got " + std::to_string(game.setup.mode));
  }
  game.setup.difficulty = u8(std::max<i64>(o.integer("difficulty"), 0));
  // Difficulty 0 is the default of every game, although one game does not list it.
  if (game.setup.difficulty != 0 && (info.traits.difficulties >> game.setup.difficulty & 1) == 0) {
    throw std::invalid_argument("difficulty: expected a difficulty of " + std::string(info.rom) + " (" +
                                format_set(info.traits.difficulties) + "), got " +
                                std::to_string(game.setup.difficulty));
  }
  const u32 actions = o.boolean("full_action_space") ? info.traits.legal_actions : info.traits.minimal_actions;
  for (i32 action = 0; action < kActions; ++action) {
    if (actions >> action & 1) game.actions[game.action_count++] = u8(action);
  }
  game.screen_height = parse_rom(o, task)->height;
}

// Fills in the colours of the ROM's TV standard.
template <class M>
void fill_colours(SharedGameOf<M>& c) {
  for (i32 i = 0; i < 256; ++i) {
    c.gray[i] = palette_gray(c.rom.pal)[i];
    const u32 colour = palette_rgb(c.rom.pal)[i];
    for (i32 k = 0; k < 3; ++k) c.rgb[i][k] = u8(colour >> (16 - 8 * k));
  }
}

// Returns the pool's blob: a SharedGame followed by `more` bytes.
inline Blob make_shared_game(GameParams game, const OptionValues& o, std::string_view task, size_t more = 0) {
  Blob bytes(sizeof(SharedGame) + more);
  SharedGame& c = *new (bytes.data()) SharedGame{};
  c.rom = *parse_rom(o, task);
  bytes.attach_native(compile_rom(c.rom));
  game.native = bytes.native();
  fill_colours(c);
  game.blob = bytes.data();
  Rng rng;
  const Setup setup = make_setup(game);
  load(c.initial, setup, rng);
  // If a trial shows that a reset draws random numbers, every environment has to run its own first reset.
  auto trial = std::make_unique<WithScreens<Machine>>(c.initial);
  reset_game(*trial, setup, rng);
  c.initial_is_reset = rng.draws == 0;
  if (c.initial_is_reset) c.initial = *trial;
  return bytes;
}

// Returns the repetitions (env.h) in the console at the end of a State and in its screens. The states before the last
// frames resemble each other, most rows of a screen equal the row above, and most of a screen equals the screen before.
// A snapshot needs no memory of what the screens were painted from.
inline std::vector<abi::Repetition> console_repetitions(i64 state_bytes, i32 height) {
  const i64 console = state_bytes - i64{sizeof(Console)}, screen = i64{height} * kWidth;
  return {{console + offset_of(&Console::saved), sizeof(Console::saved), sizeof(Core)},
          {console + offset_of(&Console::memory), sizeof(ScreenMemory), abi::kLeftOut},
          {state_bytes, screen, kWidth},
          {state_bytes + screen, screen, screen}};
}

// Returns a copy of a console and of its screens.
inline std::unique_ptr<WithScreens<Console>> copy_with_screens(const Console& c) {
  auto copy = std::make_unique<WithScreens<Console>>();
  std::memcpy(static_cast<void*>(&*copy), &c, sizeof(Console) + kScreens * c.screen_words * sizeof(u64));
  return copy;
}

// Writes the first `rows` rows of the screen in colour. Draws the last frame first if it was run without drawing.
inline void render_rgb(const Machine& m, const GameParams& game, i32 rows, u8* rgb) {
  const auto copy = copy_with_screens(m.console);
  const Setup setup = make_setup(game);
  draw_last_frame(*copy, *setup.rom, setup.native);
  const u8* indices = screen(*copy);
  for (i32 i = 0; i < rows * kWidth; ++i) std::memcpy(rgb + 3 * i, shared_game(game).rgb[indices[i]], 3);
}

#endif

}  // namespace envpool::atari
