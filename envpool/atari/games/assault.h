// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Assault : Game {
  static constexpr const char* kRom = "assault";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.minimal_actions = set_of(0, 1, 2, 3, 4, 11, 12), .lives = 4};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x02, 0x01, 0x00);
    r.terminal = m.u(0x65) == 0;
    r.set_score(score);
    r.lives = m.u(0x65);
  }
};

}  // namespace envpool::atari::games
