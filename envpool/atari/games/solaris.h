// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Solaris : Game {
  static constexpr const char* kRom = "solaris";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.lives = 3};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 10 * m.bcd(0x5C, 0x5D, 0x5E);
    r.terminal = m.u(0x59) == 0;
    r.set_score(score);
    r.lives = m.u(0x59, 0x0F);
  }
};

}  // namespace envpool::atari::games
