// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct DonkeyKong : Game {
  static constexpr const char* kRom = "donkey_kong";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.lives = 2};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 100 * m.bcd(0x08, 0x07);
    r.terminal = m.u(0x23) == 0 && m.u(0x0F) == 3 && m.u(0x0B) == 0x1F;
    r.set_score(score);
    r.lives = m.u(0x23);
  }
};

}  // namespace envpool::atari::games
