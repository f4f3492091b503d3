// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct BasicMath : Game {
  static constexpr const char* kRom = "basic_math";
  using Modes = ModeSet<5, 6, 7, 8>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5),
      .default_mode = 5,
      .difficulties = set_of(0, 2, 3),
      .lives = 1,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x04);
    r.terminal = m.u(0x06) != 0;
    r.set_score(score);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x45, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
