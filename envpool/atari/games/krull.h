// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Krull : Game {
  static constexpr const char* kRom = "krull";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.lives = 3};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x1E, 0x1D, 0x1C);
    r.terminal = m.u(0x1F) == 0 && m.u(0x22) == 3 && m.u(0x00) == 0x80;
    r.set_score(score);
    r.lives = m.u(0x1F, 0x07) + 1;
  }
};

}  // namespace envpool::atari::games
