// SPDX-License-Identifier: Apache-2.0
//
// Memory holds the number of cars still to be passed, which starts at 200 on the first day and at 300 on the others.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Enduro : Game {
  static constexpr const char* kRom = "enduro";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 3, 4, 5, 8, 9, 11, 12),
      .starting_actions = {{kFire, 1}},
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 day = m.u(0x2D), to_pass = m.bcd(0x2B, 0x2C);
    r.terminal = m.u(0x2F) == 0xFF;
    r.set_score(day == 0 ? 0 : day == 1 ? 200 - to_pass : 500 + 300 * (day - 2) - to_pass);
  }
};

}  // namespace envpool::atari::games
