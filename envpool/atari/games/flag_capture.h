// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct FlagCapture : Game {
  static constexpr const char* kRom = "flag_capture";
  using Modes = ModeSet<8, 9, 10>;
  static constexpr GameTraits kTraits = {.default_mode = 8, .lives = 1};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x6A);
    r.terminal = m.u(0x6B) == 0;
    r.set_score(score);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x56, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
