// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Earthworld : Game {
  static constexpr const char* kRom = "earthworld";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.lives = 1};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x27);
    r.terminal = score == 10;
    r.set_score(score);
  }
};

}  // namespace envpool::atari::games
