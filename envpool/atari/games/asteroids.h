// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Asteroids : Game {
  static constexpr const char* kRom = "asteroids";
  using Modes = ModeSet<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                        26, 27, 28, 29, 30, 31, 128>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15),
      .difficulties = set_of(0, 3),
      .lives = 4,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 10 * m.bcd(0x3E, 0x3D);
    r.terminal = m.u(0x3C, 0xF0) == 0;
    r.set_wrapping_score(score, 100000);
    r.lives = m.u(0x3C, 0xF0) >> 4;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
