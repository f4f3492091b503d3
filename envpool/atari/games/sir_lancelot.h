// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct SirLancelot : Game {
  static constexpr const char* kRom = "sir_lancelot";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 3, 4, 11, 12),
      .starting_actions = {{kResetSwitch, 1}, {kLeft, 1}},
      .lives = 3,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x20, 0x1F, 0x1E);
    r.terminal = m.u(0x29) == 0 && m.u(0x27) == 0xA0;
    r.set_score(score);
    r.lives = m.u(0x29);
  }
};

}  // namespace envpool::atari::games
