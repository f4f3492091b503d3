// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct YarsRevenge : Game {
  static constexpr const char* kRom = "yars_revenge";
  using Modes = ModeSet<0, 32, 64, 96>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1), .starting_actions = {{kFire, 1}}, .lives = 4};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x62, 0x61, 0x60);
    r.terminal = m.u(0x1E, 0xF0) == 0;
    r.set_score(score);
    r.lives = m.u(0x1E, 0xF0) >> 4;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select(2);
    t.select_until(0x63, mode, 1);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
