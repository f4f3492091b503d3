// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct KeystoneKapers : Game {
  static constexpr const char* kRom = "keystone_kapers";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13),
      .starting_actions = {{kResetSwitch, 1}},
      .lives = 3,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x1C, 0x1B);
    r.terminal = m.u(0x16) == 0 && m.u(0x08) == 0;
    r.set_score(score);
    r.lives = m.u(0x16);
  }
};

}  // namespace envpool::atari::games
