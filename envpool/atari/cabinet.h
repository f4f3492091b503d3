// SPDX-License-Identifier: Apache-2.0
//
// The game that an environment plays: what options make of it, and what the environments of a pool
// share of it. Both Atari environments (atari_env.h, ale_env.h) begin here.
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

#include "envpool/atari/console/palette.h"
#include "envpool/atari/console/rom_builder.h"
#include "envpool/atari/games/titles.h"
#endif

namespace envpool::atari {

// What the environments of a pool share.
struct alignas(64) Cabinet {
  Rom rom;
  u8 gray[256];  // of a palette index
  u8 rgb[256][3];
  Machine first;    // as the first reset leaves it, the same in every environment
  bool first_game;  // false: `first` is not reset yet, because this game starts at random
};

// The part of an environment's Params that chooses the game.
struct Choice {
  const u8* blob;    // begins with the Cabinet
  const void* kept;  // its ROM as native code, in this process; null: it is interpreted
  Setup setup;
  u8 actions[kActions];  // what the agent's action numbers mean
  u8 action_count;
  i32 screen_height;
  f64 repeat_action_probability;
};

ENVPOOL_FN const Cabinet& cabinet(const Choice& game) { return *reinterpret_cast<const Cabinet*>(game.blob); }

ENVPOOL_FN Setup resolve(const Choice& game) {
  Setup setup = game.setup;
  setup.rom = &cabinet(game).rom;
  setup.native = game.kept;
  return setup;
}

// The first game after power-on, which most environments find made.
ENVPOOL_FN void first_game(Machine& m, const Choice& game, const Setup& setup, Rng& rng) {
  const Cabinet& c = cabinet(game);
  m = c.first;  // straight from the call, NVRTC would copy it by way of its stack
  if (!c.first_game) reset_game(m, setup, rng);
}

#if ENVPOOL_HOST

// Making a pool asks for its ROM several times, one after another: it is parsed once.
inline std::shared_ptr<const Rom> insert_rom(const OptionValues& o, std::string_view task) {
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

// Reads the options mode, difficulty, full_action_space, repeat_action_probability, rom.
inline void choose_game(Choice& game, const OptionValues& o, std::string_view task) {
  const Title title = title_of(task);
  game.setup.facts = title.facts;
  game.setup.game = u8(title.game);
  game.setup.mode = i32(o.integer("mode"));
  if (game.setup.mode < 0) game.setup.mode = title.facts.default_mode;
  if (!title.has_mode(game.setup.mode)) {
    throw std::invalid_argument("mode: " + std::string(title.rom) + " has " + modes_of(title) + ", got " +
                                std::to_string(game.setup.mode));
  }
  game.setup.difficulty = u8(std::max<i64>(o.integer("difficulty"), 0));
  // 0 is every game's default, also of the one that does not list it.
  if (game.setup.difficulty != 0 && (title.facts.difficulties >> game.setup.difficulty & 1) == 0) {
    throw std::invalid_argument("difficulty: " + std::string(title.rom) + " has " +
                                members_of(title.facts.difficulties) + ", got " +
                                std::to_string(game.setup.difficulty));
  }
  const u32 actions = o.boolean("full_action_space") ? title.facts.legal : title.facts.actions;
  for (i32 action = 0; action < kActions; ++action) {
    if (actions >> action & 1) game.actions[game.action_count++] = u8(action);
  }
  game.screen_height = insert_rom(o, task)->height;
  game.repeat_action_probability = o.real("repeat_action_probability");
}

// The blob: a Cabinet with room for `more` bytes behind it.
inline Blob furnish(Choice game, const OptionValues& o, std::string_view task, size_t more = 0) {
  Blob bytes(sizeof(Cabinet) + more);
  Cabinet& c = *new (bytes.data()) Cabinet{};
  c.rom = *insert_rom(o, task);
  bytes.keep(compile_rom(c.rom));
  game.kept = bytes.kept();
  for (i32 i = 0; i < 256; ++i) {
    c.gray[i] = palette_gray(c.rom.pal)[i];
    const u32 colour = palette_rgb(c.rom.pal)[i];
    for (i32 k = 0; k < 3; ++k) c.rgb[i][k] = u8(colour >> (16 - 8 * k));
  }
  game.blob = bytes.data();
  Rng rng;
  const Setup setup = resolve(game);
  load(c.first, setup, rng);
  // Where a reset draws random numbers, every environment has to make its own.
  auto trial = std::make_unique<Machine>(c.first);
  reset_game(*trial, setup, rng);
  c.first_game = rng.draws == 0;
  if (c.first_game) c.first = *trial;
  return bytes;
}

// The first `rows` of the screen in colour, also where the last frame was played without its picture.
inline void photograph(const Machine& m, const Choice& game, i32 rows, u8* rgb) {
  auto copy = std::make_unique<Machine>(m);
  const Setup setup = resolve(game);
  paint_last(copy->console, *setup.rom, setup.native);
  const u8* indices = screen(*copy);
  for (i32 i = 0; i < rows * kWidth; ++i) std::memcpy(rgb + 3 * i, cabinet(game).rgb[indices[i]], 3);
}

#endif

}  // namespace envpool::atari
