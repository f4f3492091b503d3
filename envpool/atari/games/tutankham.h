// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Tutankham : Game {
  static constexpr const char* kRom = "tutankham";
  using Modes = ModeSet<0, 4, 8, 12>;
  static constexpr GameTraits kTraits = {.minimal_actions = set_of(0, 2, 3, 4, 5, 10, 11, 12), .lives = 3};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x1C, 0x1A);
    r.terminal = m.u(0x1E) == 0 && m.u(0x01) != 0x84;
    r.set_score(score);
    r.lives = m.u(0x1E, 0x03);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x2B, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
