// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct UpNDown : Game {
  static constexpr const char* kRom = "up_n_down";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 5, 10, 13),
      .difficulties = set_of(0, 1, 2, 3),
      .starting_actions = {{kFire, 1}},
      .lives = 5,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x02, 0x01, 0x00);
    r.terminal = m.u(0x14) > 0x40 && m.u(0x06, 0x0F) == 0;
    r.set_score(score);
    r.lives = m.u(0x06, 0x0F) + 1;
  }
};

}  // namespace envpool::atari::games
