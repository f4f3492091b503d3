// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Carnival : Game {
  static constexpr const char* kRom = "carnival";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.minimal_actions = set_of(0, 1, 3, 4, 11, 12)};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 10 * m.bcd(0x2E, 0x2D);
    r.terminal = m.u(0x03) == 0;
    r.set_score(score);
  }
};

}  // namespace envpool::atari::games
