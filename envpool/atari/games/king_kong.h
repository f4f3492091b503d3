// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct KingKong : Game {
  static constexpr const char* kRom = "king_kong";
  using Modes = ModeSet<0, 1, 2, 3>;
  static constexpr GameTraits kTraits = {.minimal_actions = set_of(0, 1, 2, 3, 4, 5), .lives = 3};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x03, 0x02);
    r.terminal = m.u(0x6E) == 0;
    r.set_score(score);
    r.lives = m.u(0x6E);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x6C, 2 * mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
