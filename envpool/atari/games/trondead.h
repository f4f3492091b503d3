// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Trondead : Game {
  static constexpr const char* kRom = "trondead";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1), .lives = 5};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x3F, 0x3E, 0x3D);
    r.terminal = m.u(0x48) == 5;
    r.set_score(score);
    r.lives = 5 - m.u(0x48);
  }
};

}  // namespace envpool::atari::games
