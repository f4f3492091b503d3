// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Centipede : Game {
  static constexpr const char* kRom = "centipede";
  using Modes = ModeSet<22, 86>;
  static constexpr GameTraits kTraits = {.default_mode = 22, .lives = 3};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x76, 0x75, 0x74);
    r.terminal = m.u(0x26, 0x40) != 0;
    r.set_score_min_reward(score, 0);
    r.lives = (m.u(0x6D, 0x70) >> 4) + 1;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x27, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
