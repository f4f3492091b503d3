// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct StarGunner : Game {
  static constexpr const char* kRom = "star_gunner";
  using Modes = ModeSet<0, 1, 2, 3>;
  static constexpr GameTraits kTraits = {.lives = 5};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    if (m.u(0x07) == 5) r.started = true;
    const i32 score = 100 * m.digit(0x03, 0x0F, 0, 0x0A) + 1000 * m.digit(0x04, 0x0F, 0, 0x0A) +
                      10000 * m.digit(0x05, 0x0F, 0, 0x0A) + 100000 * m.digit(0x06, 0x0F, 0, 0x0A);
    r.terminal = m.u(0x07) == 0;
    r.set_score(score);
    r.lives = r.started ? m.u(0x07) % 16 : 5;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x74, mode, 15);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
