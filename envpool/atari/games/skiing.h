// SPDX-License-Identifier: Apache-2.0
//
// The score is minus the elapsed time in 1/100 s. Fire actions are illegal.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Skiing : Game {
  static constexpr const char* kRom = "skiing";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 3, 4),
      .legal_actions = set_of(0, 2, 3, 4, 5, 6, 7, 8, 9),
      .starting_actions = {{kDown, 16}},
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = -(6000 * m.u(0x68) + m.bcd(0x6A, 0x69));
    r.terminal = m.u(0x11) == 0xFF;
    r.set_score(score);
  }
};

}  // namespace envpool::atari::games
