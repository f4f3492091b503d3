// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Venture : Game {
  static constexpr const char* kRom = "venture";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1, 2, 3), .lives = 4};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 100 * m.bcd(0x48, 0x47);
    r.terminal = m.u(0x46) == 0 && m.u(0x4D) == 0xFF && m.u(0x3F, 0x80) != 0;
    r.set_score(score);
    r.lives = m.u(0x46, 0x07) + 1;
  }
};

}  // namespace envpool::atari::games
