// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Jamesbond : Game {
  static constexpr const char* kRom = "jamesbond";
  using Modes = ModeSet<0, 1>;
  static constexpr GameTraits kTraits = {.lives = 6};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x5C, 0x5D, 0x5E);
    r.terminal = m.u(0x06, 0x0F) == 0 && m.u(0x0C) == 0x68;
    r.set_score(score);
    r.lives = m.u(0x06, 0x0F) + 1;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    while (t.memory().u(0x0C) != mode && t.memory().u(0x0C) != mode + 0x48 && t.select(20)) continue;
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
