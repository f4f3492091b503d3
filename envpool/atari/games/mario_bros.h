// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct MarioBros : Game {
  static constexpr const char* kRom = "mario_bros";
  using Modes = ModeSet<0, 2, 4, 6>;
  static constexpr GameTraits kTraits = {.starting_actions = {{kNoop, 10}, {kFire, 7}}};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 100 * m.bcd(0x0A, 0x09);
    r.terminal = m.u(0x07) == 0;
    r.set_score(score);
    r.lives = m.u(0x07);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode, 5);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
