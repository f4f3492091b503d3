// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Zaxxon : Game {
  static constexpr const char* kRom = "zaxxon";
  using Modes = ModeSet<0, 8, 16, 24>;
  static constexpr GameTraits kTraits = {.lives = 5};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 100 * m.bcd(0x69, 0x68);
    r.terminal = m.u(0x6A, 0x07) == 0;
    r.set_score(score);
    r.lives = m.u(0x6A, 0x07);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x02, mode, 10);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
