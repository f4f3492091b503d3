// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Amidar : Game {
  static constexpr const char* kRom = "amidar";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5, 10, 11, 12, 13),
      .difficulties = set_of(0, 3),
      .lives = 3,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x59, 0x5A, 0x5B);
    r.terminal = m.u(0x56) == 0x80;
    r.set_score(score);
    r.lives = m.u(0x56, 0x0F);
  }
};

}  // namespace envpool::atari::games
