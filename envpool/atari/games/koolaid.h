// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Koolaid : Game {
  static constexpr const char* kRom = "koolaid";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.minimal_actions = set_of(0, 2, 3, 4, 5, 6, 7, 8, 9)};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 100 * m.bcd(0x01, 0x00);
    r.terminal = m.u(0x51) == 0x80;
    r.set_score(score);
  }
};

}  // namespace envpool::atari::games
