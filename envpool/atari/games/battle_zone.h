// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct BattleZone : Game {
  static constexpr const char* kRom = "battle_zone";
  using Modes = ModeSet<1, 2, 3>;
  static constexpr GameTraits kTraits = {.default_mode = 1, .lives = 5};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 1000 * m.digit(0x1D, 0xF0, 4, 0xA0) + 10000 * m.digit(0x1E, 0x0F, 0, 0x0A) +
                      100000 * m.digit(0x1E, 0xF0, 4, 0xA0);
    r.terminal = m.u(0x3A, 0x0F) == 0;
    r.set_score(score);
    r.lives = m.u(0x3A, 0x0F);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x21, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
