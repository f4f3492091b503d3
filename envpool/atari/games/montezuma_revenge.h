// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct MontezumaRevenge : Game {
  static constexpr const char* kRom = "montezuma_revenge";
  using Modes = Numbers<0>;
  static constexpr Facts kFacts = {.lives = 6};

  ENVPOOL_FN static void evaluate(const Memory& m, Rules& r) {
    const i32 score = m.bcd(0x15, 0x14, 0x13);
    r.terminal = m.u(0x3A) == 0 && m.u(0x7E) == 0x60;
    r.pay(score);
    r.lives = m.u(0x3A, 0x07) + 1;
  }
};

}  // namespace envpool::atari::games
