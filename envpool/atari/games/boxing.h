// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Boxing : Game {
  static constexpr const char* kRom = "boxing";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1, 2, 3)};

  ENVPOOL_FN static i32 points(const Memory& m, i32 at) { return m.u(at) == 0xC0 ? 100 : m.bcd(at); }

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 mine = points(m, 0x12), theirs = points(m, 0x13);
    const bool time_up = m.u(0x10) < 16 && m.u(0x11) == 0;
    r.terminal = mine == 100 || theirs == 100 || time_up;
    r.set_score(mine - theirs);
  }
};

}  // namespace envpool::atari::games
