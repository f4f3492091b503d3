// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Pacman : Game {
  static constexpr const char* kRom = "pacman";
  using Modes = ModeSet<0, 1, 2, 3, 4, 5, 6, 7>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 2, 3, 4, 5),
      .difficulties = set_of(0, 1),
      .lives = 4,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x4C, 0x4E, 0x50);
    r.terminal = m.u(0x18) == 0 && m.u(0x64) == 0x3F;
    r.set_score(score);
    r.lives = m.u(0x18) + 1;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    while ((t.memory().u(0x4C) != mode + 1 || t.memory().u(0x66) != 0) && t.select(2)) continue;
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
