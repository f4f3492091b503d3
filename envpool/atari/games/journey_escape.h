// SPDX-License-Identifier: Apache-2.0
//
// A gain of exactly 50000 is the starting cash, which does not count.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct JourneyEscape : Game {
  static constexpr const char* kRom = "journey_escape";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17),
      .difficulties = set_of(0, 1),
      .starting_actions = {{kFire, 1}},
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x12, 0x11, 0x10);
    r.terminal = m.u(0x15) == 0 && m.u(0x16) == 0;
    r.set_score(score);
    if (r.reward == 50000) r.reward = 0;
  }
};

}  // namespace envpool::atari::games
