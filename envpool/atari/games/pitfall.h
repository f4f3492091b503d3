// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Pitfall : Game {
  static constexpr const char* kRom = "pitfall";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.starting_actions = {{kUp, 1}}, .score = 2000, .lives = 3};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x57, 0x56, 0x55);
    r.terminal = m.u(0x00, 0xF0) == 0 && m.u(0x1E) != 0;
    r.set_score(score);
    r.lives = m.u(0x00) / 16 == 10 ? 3 : m.u(0x00) / 16 == 8 ? 2 : 1;
  }
};

}  // namespace envpool::atari::games
