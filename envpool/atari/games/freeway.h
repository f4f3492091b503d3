// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Freeway : Game {
  static constexpr const char* kRom = "freeway";
  using Modes = ModeSet<0, 1, 2, 3, 4, 5, 6, 7>;
  static constexpr GameTraits kTraits = {.minimal_actions = set_of(0, 2, 5), .difficulties = set_of(0, 1)};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x67);
    r.terminal = m.u(0x16) == 1;
    r.set_score_min_reward(score, 0);
    if (r.reward > 1) r.reward = 1;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode, 1);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
