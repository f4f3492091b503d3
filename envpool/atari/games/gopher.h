// SPDX-License-Identifier: Apache-2.0
//
// The number of lives is the number of the low three bits that are set.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Gopher : Game {
  static constexpr const char* kRom = "gopher";
  using Modes = ModeSet<0, 2>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 10, 11, 12),
      .difficulties = set_of(0, 1),
      .starting_actions = {{kFire, 1}},
      .lives = 3,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x32, 0x31, 0x30);
    r.terminal = m.u(0x34, 0x07) == 0;
    r.set_score(score);
    r.lives = m.u(0x34) % 2 + m.u(0x34) / 2 % 2 + m.u(0x34) / 4 % 2;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.soft_reset();
    t.select_until(0x53, mode, 5);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
