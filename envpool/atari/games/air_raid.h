// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct AirRaid : Game {
  static constexpr const char* kRom = "air_raid";
  using Modes = ModeSet<1, 2, 3, 4, 5, 6, 7, 8>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 3, 4, 11, 12),
      .default_mode = 1,
      .starting_actions = {{kFire, 1}},
      .lives = 1,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x2A, 0x29, 0x28);
    r.terminal = m.u(0x27) == 0xFF;
    r.set_score(score);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select(20);
    t.select_until(0x2A, mode, 10);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
