// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Alien : Game {
  static constexpr const char* kRom = "alien";
  using Modes = ModeSet<0, 1, 2, 3>;
  static constexpr GameTraits kTraits = {
      .difficulties = set_of(0, 1, 2, 3),
      .lives = 3,
      .lives_at_end = true,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 10 * m.digit(0x0B, 0xFF, 3, 0x80) + 100 * m.digit(0x09, 0xFF, 3, 0x80) +
                      1000 * m.digit(0x07, 0xFF, 3, 0x80) + 10000 * m.digit(0x05, 0xFF, 3, 0x80) +
                      100000 * m.digit(0x03, 0xFF, 3, 0x80);
    r.terminal = m.u(0x40, 0x0F) == 0;
    r.set_score(score);
    r.lives = m.u(0x40, 0x0F);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x01, mode, 1);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
