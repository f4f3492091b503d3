// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct ChopperCommand : Game {
  static constexpr const char* kRom = "chopper_command";
  using Modes = ModeSet<0, 2>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1), .lives = 3, .lives_at_end = true};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    if (m.u(0x42, 0x01) == 1) r.started = true;
    const i32 score = 100 * m.bcd(0x6E, 0x6C);
    r.terminal = r.started && m.u(0x64, 0x0F) == 0;
    r.set_score(score);
    r.lives = m.u(0x64, 0x0F);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x60, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
