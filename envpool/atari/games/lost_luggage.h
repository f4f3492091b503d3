// SPDX-License-Identifier: Apache-2.0
//
// Fire actions are illegal for the agent, but every reset starts the game with FIRE.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct LostLuggage : Game {
  static constexpr const char* kRom = "lost_luggage";
  using Modes = ModeSet<0, 1>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 2, 3, 4, 5, 6, 7, 8, 9),
      .legal_actions = set_of(0, 2, 3, 4, 5, 6, 7, 8, 9),
      .difficulties = set_of(0, 1),
      .starting_actions = {{kFire, 1}},
      .lives = 3,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x16, 0x15, 0x14);
    r.terminal = m.u(0x4A) == 0 && m.u(0x48) == 0x0A && m.u(0x25) == 0 && m.u(0x29) == 0;
    r.set_score(score);
    r.lives = m.u(0x4A);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x14, 1 + 3 * mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
