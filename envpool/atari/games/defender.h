// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Defender : Game {
  static constexpr const char* kRom = "defender";
  using Modes = ModeSet<1, 2, 3, 4, 5, 6, 7, 8, 9, 16>;
  static constexpr GameTraits kTraits = {.default_mode = 1, .difficulties = set_of(0, 1), .lives = 3};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.digit(0x1C, 0x0F, 0, 0x0A) + 10 * m.digit(0x1D, 0x0F, 0, 0x0A) +
                      100 * m.digit(0x1E, 0x0F, 0, 0x0A) + 1000 * m.digit(0x1F, 0x0F, 0, 0x0A) +
                      10000 * m.digit(0x20, 0x0F, 0, 0x0A) + 100000 * m.digit(0x21, 0x0F, 0, 0x0A);
    r.terminal = m.u(0x42) == 0;
    r.set_score(score);
    r.lives = m.u(0x42);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x1B, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
