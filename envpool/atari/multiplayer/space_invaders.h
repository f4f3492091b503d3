// SPDX-License-Identifier: Apache-2.0
//
// The players share their lives. Once the game is over, each has -1 lives.
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct SpaceInvaders : MultiplayerGame {
  static constexpr const char* kRom = "space_invaders";
  static constexpr MultiplayerTraits kTraits = {
      .minimal_actions = set_of(0, 1, 3, 4, 11, 12),
      .difficulties = set_of(0, 1),
  };

  ENVPOOL_FN static i32 players(i32 mode) { return mode >= 33 && mode <= 64 ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    r.set_wrapping_score(0, m.bcd(0x68, 0x66), 10000);
    r.set_wrapping_score(1, m.bcd(0x69, 0x67), 10000);
    r.lives[0] = r.lives[1] = m.u(0x49) - 1;
    r.terminal = m.u(0x18, 0x80) != 0 || m.u(0x49) == 0;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x5C, mode - 1, 2);
  }
};

}  // namespace envpool::atari::multiplayer
