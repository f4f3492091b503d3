// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Seaquest : Game {
  static constexpr const char* kRom = "seaquest";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1), .lives = 4};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x3A, 0x39, 0x38);
    r.terminal = m.u(0x23) != 0;
    r.set_score(score);
    r.lives = m.u(0x3B) + 1;
  }
};

}  // namespace envpool::atari::games
