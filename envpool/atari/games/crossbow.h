// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Crossbow : Game {
  static constexpr const char* kRom = "crossbow";
  using Modes = ModeSet<0, 2, 4, 6>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1), .lives = 1};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x0D, 0x0C, 0x0B);
    r.terminal = m.u(0x67) == 0x82;
    r.set_score(score);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x0D, mode + 1, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
