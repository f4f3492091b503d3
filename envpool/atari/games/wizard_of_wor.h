// SPDX-License-Identifier: Apache-2.0
//
// If the score in memory is 8000 or more, 8000 of it is a flag and not points.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct WizardOfWor : Game {
  static constexpr const char* kRom = "wizard_of_wor";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5, 10, 11, 12, 13),
      .difficulties = set_of(0, 1),
      .lives = 3,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 shown = m.bcd(0x06, 0x08);
    r.terminal = m.u(0x0D, 0x0F) == 0 && m.u(0x74) == 0xF8;
    r.set_score(100 * (shown >= 8000 ? shown - 8000 : shown));
    if (m.u(0x57, 0x01) == 0) r.lives = m.u(0x0D, 0x0F);
  }
};

}  // namespace envpool::atari::games
