// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct FlagCapture : Game {
  static constexpr const char* kRom = "flag_capture";
  using Modes = Numbers<8, 9, 10>;
  static constexpr Facts kFacts = {.default_mode = 8, .lives = 1};

  ENVPOOL_FN static void evaluate(const Memory& m, Rules& r) {
    const i32 score = m.bcd(0x6A);
    r.terminal = m.u(0x6B) == 0;
    r.pay(score);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x56, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
