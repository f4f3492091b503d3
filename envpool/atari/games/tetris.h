// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Tetris : Game {
  static constexpr const char* kRom = "tetris";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.minimal_actions = set_of(0, 1, 3, 4, 5)};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x71, 0x72);
    r.set_score_min_reward(score, 0);
    r.terminal = m.u(0x73) >= 128;
    if (r.terminal) r.prev_score = 0;
  }
};

}  // namespace envpool::atari::games
