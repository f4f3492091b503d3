// SPDX-License-Identifier: Apache-2.0
//
// Mode selection suppresses the end of the game for one frame. As in ALE, a game in mode 3, 5 or 7 is over right after
// a reset.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct DemonAttack : Game {
  static constexpr const char* kRom = "demon_attack";
  using Modes = ModeSet<1, 3, 5, 7>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 3, 4, 11, 12),
      .default_mode = 1,
      .difficulties = set_of(0, 1),
      .lives = 4,
  };

  ENVPOOL_FN static i32& changed(RuleState& r) { return r.var[0]; }

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const bool title = m.u(0x01) == 0xAB && m.u(0x03) == 0xCD && m.u(0x05) == 0xEA;
    r.set_score(title ? 0 : m.bcd(0x05, 0x03, 0x01));
    r.terminal = m.u(0x72) == 0 && m.u(0x71) == 0xBD && !changed(r);
    changed(r) = false;
    r.lives = m.u(0x72) + 1;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x6A, mode, 1);
    changed(t.rules()) = true;
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
