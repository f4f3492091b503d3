// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Blackjack : Game {
  static constexpr const char* kRom = "blackjack";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 5),
      .difficulties = set_of(0, 1, 2, 3),
      .lives = 1,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.u(0x06) == 0x0B && m.u(0x09) == 0xBB ? 0 : m.bcd(0x09, 0x06);
    r.terminal = (m.u(0x06) == 0x0B && m.u(0x09) == 0xBB) || score >= 1000;
    r.set_score(score);
  }
};

}  // namespace envpool::atari::games
