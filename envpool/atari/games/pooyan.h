// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Pooyan : Game {
  static constexpr const char* kRom = "pooyan";
  using Modes = ModeSet<10, 30, 50, 70>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 5, 10, 13),
      .default_mode = 10,
      .lives = 3,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x0A, 0x09, 0x08);
    r.terminal = m.u(0x16) == 0 && m.u(0x18) == 5;
    r.set_score(score);
    r.lives = m.u(0x16, 0x07) + 1;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select(2);
    t.select_until(0x3D, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
