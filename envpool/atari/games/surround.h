// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Surround : Game {
  static constexpr const char* kRom = "surround";
  using Modes = ModeSet<0, 2>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 2, 3, 4, 5),
      .difficulties = set_of(0, 1, 2, 3),
      .lives = 1,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 mine = m.bcd(0x77), theirs = m.bcd(0x76);
    r.terminal = mine == 10 || theirs == 10;
    r.set_score(mine - theirs);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x79, mode + 1, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
