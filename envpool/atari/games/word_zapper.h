// SPDX-License-Identifier: Apache-2.0
//
// While the clock shows zero, nothing is updated, so every frame returns the last reward again.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct WordZapper : Game {
  static constexpr const char* kRom = "word_zapper";
  using Modes = ModeSet<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23>;
  static constexpr GameTraits kTraits = {
      .difficulties = set_of(0, 1, 2, 3),
      .starting_actions = {{kNoop, 486}, {kFire, 1}, {kNoop, 2}},
      .lives = 1,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    if (m.bcd(0x4F) == 0) return;
    const i32 score = 2 - m.s(0x5C);
    r.set_score(score);
    r.terminal = score == 3 || m.bcd(0x5E) == 0;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x5B, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
