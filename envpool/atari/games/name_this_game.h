// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct NameThisGame : Game {
  static constexpr const char* kRom = "name_this_game";
  using Modes = ModeSet<8, 24, 40>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 3, 4, 11, 12),
      .default_mode = 8,
      .difficulties = set_of(0, 1),
      .lives = 3,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x46, 0x45, 0x44);
    r.terminal = m.u(0x47, 0x07) == 0;
    r.set_score(score);
    r.lives = m.u(0x47, 0x07);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x5E, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
