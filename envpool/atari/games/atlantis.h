// SPDX-License-Identifier: Apache-2.0
//
// The score is overwritten on terminal frames.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Atlantis : Game {
  static constexpr const char* kRom = "atlantis";
  using Modes = ModeSet<0, 1, 2, 3>;
  static constexpr GameTraits kTraits = {.minimal_actions = set_of(0, 1, 11, 12), .lives = 6};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 100 * m.bcd(0x22, 0x23, 0x21);
    r.terminal = m.u(0x71) == 0xFF;
    r.set_score_until_terminal(score);
    r.lives = m.u(0x71);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x0D, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
