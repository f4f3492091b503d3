// SPDX-License-Identifier: Apache-2.0
//
// The only reward is given at the end and decreases with the time taken.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Superman : Game {
  static constexpr const char* kRom = "superman";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1, 2, 3), .lives = 1};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    r.terminal = m.u(0x1F, 0x40) != 0 && m.u(0x00) == 0xAC && m.u(0x01) == 0xF2;
    r.reward = r.terminal ? 5999 - 60 * m.bcd(0x63) - m.bcd(0x62) : 0;
  }
};

}  // namespace envpool::atari::games
