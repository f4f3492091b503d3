// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct MontezumaRevenge : Game {
  static constexpr const char* kRom = "montezuma_revenge";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.lives = 6};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x15, 0x14, 0x13);
    r.terminal = m.u(0x3A) == 0 && m.u(0x7E) == 0x60;
    r.set_score(score);
    r.lives = m.u(0x3A, 0x07) + 1;
  }
};

}  // namespace envpool::atari::games
