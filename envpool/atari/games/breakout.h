// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Breakout : Game {
  static constexpr const char* kRom = "breakout";
  using Modes = ModeSet<0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 3, 4),
      .difficulties = set_of(0, 1),
      .lives = 5,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    if (m.u(0x39) == 5) r.started = true;
    const i32 score = m.bcd(0x4D) + 100 * m.u(0x4C, 0x0F);
    r.terminal = r.started && m.u(0x39) == 0;
    r.set_score(score);
    r.lives = m.u(0x39);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x32, mode, 1);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
