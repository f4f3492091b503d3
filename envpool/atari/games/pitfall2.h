// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Pitfall2 : Game {
  static constexpr const char* kRom = "pitfall2";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.starting_actions = {{kUp, 1}}, .score = 4000, .lives = 1};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x49, 0x48, 0x47);
    r.terminal = score == 199000;
    r.set_score(score);
  }
};

}  // namespace envpool::atari::games
