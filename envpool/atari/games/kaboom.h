// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Kaboom : Game {
  static constexpr const char* kRom = "kaboom";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 3, 4),
      .starting_actions = {{kFire, 1}},
      .lives = 1,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x25, 0x24, 0x23);
    r.terminal = m.u(0x21) == 0 || score == 999999;
    r.set_score(score);
  }
};

}  // namespace envpool::atari::games
