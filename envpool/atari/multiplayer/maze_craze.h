// SPDX-License-Identifier: Apache-2.0
//
// A mode is 4 times its variant plus the part of the maze that is invisible. The first player out of the maze gets a
// point from the other one. In some variants, robbers catch a player, who loses a point and leaves the game.
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct MazeCraze : MultiplayerGame {
  static constexpr const char* kRom = "maze_craze";
  static constexpr MultiplayerTraits kTraits = {.first_mode = 0};

  ENVPOOL_FN static i32 players(i32 mode) { return mode >= 0 && mode <= 63 ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    const bool wins[2] = {m.u(0x6C) == 255, m.u(0x6D) == 255};
    const bool is_over = wins[0] != wins[1];
    for (i32 player = 0; player < 2; ++player) {
      const bool caught = m.u(0x6A + player, 0x40) != 0, was_caught = r.lives[player] < 0;
      const bool loses = !was_caught && (caught || (is_over && !wins[player]));
      r.reward[player] = i32(is_over && wins[player]) - i32(loses);
      if (caught) r.lives[player] = -1;
    }
    r.terminal = is_over || (r.lives[0] < 0 && r.lives[1] < 0);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x3D, mode, 2);
  }
};

}  // namespace envpool::atari::multiplayer
