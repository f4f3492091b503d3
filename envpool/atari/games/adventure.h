// SPDX-License-Identifier: Apache-2.0
//
// The reward is never cleared, because the game is over as soon as the reward is set.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Adventure : Game {
  static constexpr const char* kRom = "adventure";
  using Modes = ModeSet<0, 1, 2>;
  static constexpr GameTraits kTraits = {
      .difficulties = set_of(0, 1, 2, 3),
      .lives = 1,
      .lives_at_end = true,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const bool won = m.u(0x39) == 0x12;
    if (won) r.reward = 1;
    r.terminal = won || m.u(0x60) == 2;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    while (t.memory().u(0x5D, 0x06) != 2 * mode && t.select(2 + t.random() % 256) && t.act(kNoop, 1)) continue;
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
