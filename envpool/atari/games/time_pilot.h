// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct TimePilot : Game {
  static constexpr const char* kRom = "time_pilot";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5, 10, 11, 12, 13),
      .difficulties = set_of(0, 1, 2),
      .lives = 5,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 100 * m.bcd(0x0D, 0x0F);
    r.terminal = m.u(0x20) != 0;
    r.set_score(score);
    if (m.u(0x00, 0x0F) == 2) r.lives = m.u(0x0B, 0x07) + 1;
  }
};

}  // namespace envpool::atari::games
