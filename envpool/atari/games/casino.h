// SPDX-License-Identifier: Apache-2.0
//
// While bets are locked, every frame returns the last reward again.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Casino : Game {
  static constexpr const char* kRom = "casino";
  using Modes = ModeSet<0, 2, 3>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 5),
      .difficulties = set_of(0, 1, 2, 3),
      .starting_actions = {{kNoop, 60}, {kFire, 2}},
      .lives = 1,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x15, 0x0C);
    const bool solitaire = m.u(0x54) == 3;
    const bool locked = m.u(0x53) >= 128;
    if (solitaire || !locked) r.reward = score - r.prev_score;
    r.terminal = solitaire ? score > 0 && m.u(0x1E) == 0xAA : score == 0 || (m.bcd(0x1E) > 0 && locked);
    r.prev_score = score;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x54, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
