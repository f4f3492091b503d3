// SPDX-License-Identifier: Apache-2.0
//
// The game is over after 51 consecutive frames in which neither side can move.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Othello : Game {
  static constexpr const char* kRom = "othello";
  using Modes = ModeSet<0, 1, 2>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
      .difficulties = set_of(0, 2),
      .lives = 1,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    i32& idle = r.var[0];
    r.set_score(m.bcd(0x4E) - m.bcd(0x50));
    idle = m.u(0x40) == 0 ? idle + 1 : 0;
    r.terminal = idle > 50;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x5E, mode + 1, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
