// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Entombed : Game {
  static constexpr const char* kRom = "entombed";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .difficulties = set_of(0, 2),
      .starting_actions = {{kFire, 1}, {kNoop, 5}},
      .lives = 1,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.u(0x63);
    r.terminal = m.u(0x47, 0x03) == 0;
    r.set_score(score);
  }
};

}  // namespace envpool::atari::games
