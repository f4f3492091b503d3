// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Earthworld : Game {
  static constexpr const char* kRom = "earthworld";
  using Modes = Numbers<0>;
  static constexpr Facts kFacts = {.lives = 1};

  ENVPOOL_FN static void evaluate(const Memory& m, Rules& r) {
    const i32 score = m.bcd(0x27);
    r.terminal = score == 10;
    r.pay(score);
  }
};

}  // namespace envpool::atari::games
