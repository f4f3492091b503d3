// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct KungFuMaster : Game {
  static constexpr const char* kRom = "kung_fu_master";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 2, 3, 4, 5, 8, 9, 11, 12, 13, 14, 15, 16, 17),
      .lives = 4,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x1A, 0x19, 0x18);
    r.terminal = m.u(0x1D) == 0xFF;
    r.set_score(score);
    r.lives = m.u(0x1D, 0x07) + 1;
  }
};

}  // namespace envpool::atari::games
