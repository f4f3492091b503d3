// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Robotank : Game {
  static constexpr const char* kRom = "robotank";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.lives = 4};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 12 * m.u(0x36) + m.u(0x35);
    r.terminal = m.u(0x28) == 0 && m.u(0x34) == 0xFF;
    r.set_score(score);
    r.lives = m.u(0x28, 0x0F) + 1;
  }
};

}  // namespace envpool::atari::games
