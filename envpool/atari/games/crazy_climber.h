// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct CrazyClimber : Game {
  static constexpr const char* kRom = "crazy_climber";
  using Modes = ModeSet<0, 1, 2, 3>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 2, 3, 4, 5, 6, 7, 8, 9),
      .difficulties = set_of(0, 1),
      .lives = 5,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 100 * m.u(0x02) + 1000 * m.u(0x03) + 10000 * m.u(0x04) + 100000 * m.u(0x05);
    r.terminal = m.u(0x2A) == 0;
    r.set_score_min_reward(score, 0);
    r.lives = m.u(0x2A);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
