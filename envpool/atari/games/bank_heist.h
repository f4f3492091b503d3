// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct BankHeist : Game {
  static constexpr const char* kRom = "bank_heist";
  using Modes = ModeSet<0, 4, 8, 12, 16, 20, 24, 28>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1, 2, 3), .lives = 5};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x5A, 0x59, 0x58);
    r.terminal = m.u(0x4E) == 1 && m.u(0x55) == 0;
    r.set_score(score);
    r.lives = m.u(0x55);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode, 1);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
