// SPDX-License-Identifier: Apache-2.0
//
// Modes 10 to 12 are encoded as 0x10 to 0x12.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Berzerk : Game {
  static constexpr const char* kRom = "berzerk";
  using Modes = ModeSet<1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 18>;
  static constexpr GameTraits kTraits = {.default_mode = 1, .lives = 3};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x5F, 0x5E, 0x5D);
    r.terminal = m.u(0x5A) == 0xFF;
    r.set_score(score);
    r.lives = m.u(0x5A) + 1;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.act(kNoop, 20);
    t.select_until(0x00, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
