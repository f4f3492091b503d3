// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Galaxian : Game {
  static constexpr const char* kRom = "galaxian";
  using Modes = ModeSet<1, 2, 3, 4, 5, 6, 7, 8, 9>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 3, 4, 11, 12),
      .default_mode = 1,
      .difficulties = set_of(0, 1),
      .lives = 3,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x2E, 0x2D, 0x2C);
    r.terminal = m.u(0x3F, 0x80) != 0;
    r.set_wrapping_score(score, 1000000);
    r.lives = m.u(0x39) + 1;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x33, mode, 1);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
