// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Frogger : Game {
  static constexpr const char* kRom = "frogger";
  using Modes = ModeSet<0, 1, 2>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 2, 3, 4, 5),
      .difficulties = set_of(0, 1),
      .lives = 4,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x4E, 0x4C);
    r.terminal = m.u(0x50) == 0xFF;
    r.set_score(score);
    r.lives = m.u(0x50);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x5D, 1 + 2 * mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
