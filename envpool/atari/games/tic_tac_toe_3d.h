// SPDX-License-Identifier: Apache-2.0
//
// A full board without a win is a draw.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct TicTacToe3d : Game {
  static constexpr const char* kRom = "tic_tac_toe_3d";
  using Modes = ModeSet<0, 1, 2, 3, 4, 5, 6, 7, 8>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
      .difficulties = set_of(0, 2),
      .lives = 1,
      .unfinished_frames = true,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const bool won = m.u(0x7E) == 0x10 && m.u(0x7F) == 0xF3;
    r.reward = !won ? 0 : m.u(0x61) == 8 ? 1 : -1;
    bool full = true;
    for (i32 cell = 0x1A; cell <= 0x59; ++cell) full = full && m.u(cell) != 0;
    r.terminal = r.terminal || won || full;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x08, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
