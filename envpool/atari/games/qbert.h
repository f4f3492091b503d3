// SPDX-License-Identifier: Apache-2.0
//
// A life is lost when byte 0x08 decreases by exactly 1. The score is overwritten on terminal frames.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Qbert : Game {
  static constexpr const char* kRom = "qbert";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5),
      .difficulties = set_of(0, 1),
      .lives = 4,
  };

  ENVPOOL_FN static void begin(RuleState& r) { r.var[0] = 2; }

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    i32& last = r.var[0];
    r.terminal = m.u(0x08) == 0xFE || (m.u(0x08) == 2 && last == -1);
    if (m.s(0x08) == last - 1) --r.lives;
    last = m.s(0x08);
    r.set_score_until_terminal(m.bcd(0x5B, 0x5A, 0x59));
  }
};

}  // namespace envpool::atari::games
