// SPDX-License-Identifier: Apache-2.0
//
// Host only: looks up games by the names of their ROMs.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "envpool/atari/games/list.h"

namespace envpool::atari {

struct GameInfo {
  const char* rom;
  i32 game;  // position in list.h
  GameTraits traits;
  bool (*has_mode)(i32);
};

inline constexpr GameInfo kGameInfos[] = {
#define X(Name) {games::Name::kRom, 0, games::Name::kTraits, games::Name::Modes::has},
    ENVPOOL_ATARI_GAMES(X)
#undef X
};

// Returns the game whose ROM has this name. Throws std::invalid_argument if there is none.
inline GameInfo find_game(std::string_view rom) {
  i32 game = 0;
  for (GameInfo info : kGameInfos) {
    info.game = game++;
    if (rom == info.rom) return info;
  }
  throw std::invalid_argument("task: expected the name of an Atari game, got '" + std::string(rom) + "'");
}

// Formats a set of small numbers, as "0, 1, 3".
inline std::string format_set(u32 set) {
  std::string text;
  for (i32 i = 0; i < 32; ++i) {
    if (set >> i & 1) text += (text.empty() ? "" : ", ") + std::to_string(i);
  }
  return text;
}

// Formats the modes of a game in the same way, but at most 40 of them, because one game has hundreds.
inline std::string format_modes(const GameInfo& info) {
  std::string text;
  i32 count = 0;
  for (i32 mode = 0; mode < 10000; ++mode) {
    if (!info.has_mode(mode)) continue;
    if (++count > 40) return text + ", ...";
    text += (text.empty() ? "" : ", ") + std::to_string(mode);
  }
  return text;
}

}  // namespace envpool::atari
