// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct SpaceWar : MultiplayerGame {
  static constexpr const char* kRom = "space_war";
  static constexpr MultiplayerTraits kTraits = {.first_mode = 6};

  ENVPOOL_FN static i32 players(i32 mode) { return mode >= 1 && mode <= 5 ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    const i32 mine = m.bcd(0x27), theirs = m.bcd(0x28);
    r.set_lead(mine - theirs);
    r.terminal = mine == 10 || theirs == 10 || m.u(0x00) == 0;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    while (t.memory().bcd(0x27) != mode && t.select(2)) continue;  // it shows the mode once SELECT was pressed
  }
};

}  // namespace envpool::atari::multiplayer
