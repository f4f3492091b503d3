// SPDX-License-Identifier: Apache-2.0
//
// If a score in memory is 8000 or more, 8000 of it is a flag and not points.
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct WizardOfWor : MultiplayerGame {
  static constexpr const char* kRom = "wizard_of_wor";
  static constexpr MultiplayerTraits kTraits = {
      .minimal_actions = set_of(1, 2, 3, 4, 5, 10, 11, 12, 13),
      .difficulties = set_of(0, 1),
      .first_mode = 0,
  };

  ENVPOOL_FN static i32 players(i32 mode) { return mode == 1 ? 2 : 0; }

  ENVPOOL_FN static i32 points(i32 shown) { return 100 * (shown >= 8000 ? shown - 8000 : shown); }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    r.set_score(0, points(m.bcd(0x06, 0x08)));
    r.set_score(1, points(m.bcd(0x05, 0x07)));
    const i32 mine = m.u(0x0D, 0x0F), theirs = m.u(0x0C, 0x0F);
    if (m.u(0x57, 0x01) == 0) r.lives[0] = mine - 1;
    if (m.u(0x56, 0x01) == 0) r.lives[1] = theirs - 1;
    r.terminal = mine == 0 && theirs == 0 && m.u(0x74) == 0xF8;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x01, mode, 1);
  }
};

}  // namespace envpool::atari::multiplayer
