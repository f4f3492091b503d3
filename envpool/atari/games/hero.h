// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Hero : Game {
  static constexpr const char* kRom = "hero";
  using Modes = ModeSet<0, 1, 2, 3, 4>;
  static constexpr GameTraits kTraits = {.lives = 4};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x39, 0x38, 0x37);
    r.terminal = m.u(0x33) == 0;
    r.set_score(score);
    r.lives = m.u(0x33);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode, 1);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
