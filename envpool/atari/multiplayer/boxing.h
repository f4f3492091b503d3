// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct Boxing : MultiplayerGame {
  static constexpr const char* kRom = "boxing";
  static constexpr MultiplayerTraits kTraits = {.difficulties = set_of(0, 1, 2, 3)};

  ENVPOOL_FN static i32 players(i32 mode) { return mode == 2 ? 2 : 0; }

  ENVPOOL_FN static i32 points(const Memory& m, i32 at) { return m.u(at) == 0xC0 ? 100 : m.bcd(at); }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    const i32 mine = points(m, 0x12), theirs = points(m, 0x13);
    const bool time_up = m.u(0x10) < 16 && m.u(0x11) == 0;
    r.terminal = mine == 100 || theirs == 100 || time_up;
    r.set_lead(mine - theirs);
  }

  // Each press changes between one and two players; the console starts with one.
  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    for (i32 presses = mode == 2 ? 1 : 2; presses > 0; --presses) t.select(1);
  }
};

}  // namespace envpool::atari::multiplayer
