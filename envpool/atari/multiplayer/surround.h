// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct Surround : MultiplayerGame {
  static constexpr const char* kRom = "surround";
  static constexpr MultiplayerTraits kTraits = {
      .minimal_actions = set_of(0, 2, 3, 4, 5),
      .difficulties = set_of(0, 1, 2, 3),
      .first_mode = 2,
  };

  ENVPOOL_FN static i32 players(i32 mode) { return mode == 1 ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    const i32 mine = m.bcd(0x77), theirs = m.bcd(0x76);
    r.terminal = mine == 10 || theirs == 10;
    r.set_lead(mine - theirs);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x79, mode - 1, 2);
  }
};

}  // namespace envpool::atari::multiplayer
