// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct MsPacman : Game {
  static constexpr const char* kRom = "ms_pacman";
  using Modes = ModeSet<0, 1, 2, 3>;
  static constexpr GameTraits kTraits = {.minimal_actions = set_of(0, 2, 3, 4, 5, 6, 7, 8, 9), .lives = 3};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x78, 0x79, 0x7A);
    r.terminal = m.u(0x7B, 0x0F) == 0 && m.u(0x27) == 0x53;
    r.set_score(score);
    r.lives = m.u(0x7B, 0x07) + 1;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    const i32 maze = mode == 0 ? 1 : mode;
    const i32 first = mode == 0 ? 1 : 0;
    while ((t.memory().u(0x19) != maze || t.memory().u(0x21) != first) && t.select(10)) continue;
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
