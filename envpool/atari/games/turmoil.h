// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Turmoil : Game {
  static constexpr const char* kRom = "turmoil";
  using Modes = ModeSet<0, 1, 2, 3, 4, 5, 6, 7, 8>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12),
      .starting_actions = {{kFire, 1}},
      .lives = 4,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 10 * (m.bcd(0x09, 0x0A) + m.u(0x53));
    r.terminal = m.u(0x39) == 0 && m.u(0x45) == 1;
    r.set_score(score);
    r.lives = m.u(0x39);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x6A, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
