// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Asterix : Game {
  static constexpr const char* kRom = "asterix";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 2, 3, 4, 5, 6, 7, 8, 9),
      .starting_actions = {{kFire, 1}},
      .lives = 3,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x60, 0x5F, 0x5E);
    r.terminal = m.u(0x47) == 1 && m.u(0x53, 0x0F) == 1;
    r.set_score(score);
    r.lives = m.u(0x53, 0x0F);
  }
};

}  // namespace envpool::atari::games
