// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Phoenix : Game {
  static constexpr const char* kRom = "phoenix";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.minimal_actions = set_of(0, 1, 3, 4, 5, 11, 12, 13), .lives = 5};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 10 * (m.digit(0x47, 0xF0, 4) + 10 * m.bcd(0x48) + 1000 * m.bcd(0x49));
    r.terminal = m.u(0x4C) == 0x80;
    r.set_score(score);
    r.lives = m.u(0x4B, 0x07);
  }
};

}  // namespace envpool::atari::games
