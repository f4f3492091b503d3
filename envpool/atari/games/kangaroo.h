// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Kangaroo : Game {
  static constexpr const char* kRom = "kangaroo";
  using Modes = ModeSet<0, 1>;
  static constexpr GameTraits kTraits = {.lives = 3};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 100 * m.bcd(0x28, 0x27);
    r.terminal = m.u(0x2D) == 0xFF;
    r.set_score(score);
    r.lives = m.u(0x2D, 0x07) + 1;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    while (t.memory().u(0x3A) != mode && t.memory().u(0x3A) != mode + 0x80 && t.select(2)) continue;
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
