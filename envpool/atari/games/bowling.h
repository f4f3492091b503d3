// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Bowling : Game {
  static constexpr const char* kRom = "bowling";
  using Modes = ModeSet<0, 2, 4>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 5, 10, 13),
      .difficulties = set_of(0, 1),
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x21, 0x26);
    r.terminal = m.u(0x24) > 0x10;
    r.set_score(score);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x02, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
