// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Pong : Game {
  static constexpr const char* kRom = "pong";
  using Modes = ModeSet<0, 1>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 3, 4, 11, 12),
      .difficulties = set_of(0, 1, 2, 3),
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.u(0x0E) - m.u(0x0D);
    r.terminal = m.u(0x0D) == 0x15 || m.u(0x0E) == 0x15;
    r.set_score(score);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x16, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
