// SPDX-License-Identifier: Apache-2.0
//
// The score is overwritten on terminal frames.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Atlantis2 : Game {
  static constexpr const char* kRom = "atlantis2";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.minimal_actions = set_of(0, 1, 11, 12)};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x21, 0x22, 0x23);
    r.terminal = m.u(0x71) == 0xFF;
    r.set_score_until_terminal(score);
    r.lives = m.u(0x71);
  }
};

}  // namespace envpool::atari::games
