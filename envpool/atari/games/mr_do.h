// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct MrDo : Game {
  static constexpr const char* kRom = "mr_do";
  using Modes = ModeSet<0, 1, 2, 3>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5, 10, 11, 12, 13),
      .starting_actions = {{kFire, 1}},
      .lives = 4,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 10 * m.bcd(0x02, 0x03);
    r.terminal = m.u(0x5A) == 0x40;
    r.set_score(score);
    r.lives = m.u(0x5B);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode, 5);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
