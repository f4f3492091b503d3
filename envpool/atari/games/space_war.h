// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct SpaceWar : Game {
  static constexpr const char* kRom = "space_war";
  using Modes = ModeSet<6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17>;
  static constexpr GameTraits kTraits = {.default_mode = 6, .lives = 1};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x27);
    r.terminal = score == 10 || m.u(0x00) == 0;
    r.set_score(score);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    while (t.memory().bcd(0x27) != mode && t.select(2)) continue;
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
