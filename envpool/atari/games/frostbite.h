// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Frostbite : Game {
  static constexpr const char* kRom = "frostbite";
  using Modes = ModeSet<0, 2>;
  static constexpr GameTraits kTraits = {.lives = 4};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x4A, 0x49, 0x48);
    r.terminal = m.u(0x4C, 0x0F) == 0 && m.u(0x71, 0x80) != 0;
    r.set_score(score);
    r.lives = m.u(0x4C, 0x0F) + 1;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode, 1);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
