// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct SpaceInvaders : Game {
  static constexpr const char* kRom = "space_invaders";
  using Modes = ModeSet<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 3, 4, 11, 12),
      .difficulties = set_of(0, 1),
      .lives = 3,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x68, 0x66);
    r.terminal = m.u(0x18, 0x80) != 0 || m.u(0x49) == 0;
    r.set_wrapping_score(score, 10000);
    r.lives = m.u(0x49);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x5C, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
