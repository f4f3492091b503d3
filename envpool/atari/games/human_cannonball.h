// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct HumanCannonball : Game {
  static constexpr const char* kRom = "human_cannonball";
  using Modes = ModeSet<0, 1, 2, 3, 4, 5, 6, 7>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1), .lives = 1};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x36);
    r.terminal = score == 7 || m.u(0x37) == 7;
    r.set_score(score);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    while ((t.memory().u(0x36) != mode + 1 || t.memory().u(0x37) != 1) && t.select(2)) continue;
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
