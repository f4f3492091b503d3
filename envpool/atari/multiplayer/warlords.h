// SPDX-License-Identifier: Apache-2.0
//
// A player whose warlord falls loses a point and leaves the game. The last one gets a point.
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct Warlords : MultiplayerGame {
  static constexpr const char* kRom = "warlords";
  static constexpr MultiplayerTraits kTraits = {
      .minimal_actions = set_of(0, 1, 3, 4, 11, 12),
      .first_mode = 4,
  };

  ENVPOOL_FN static i32 players(i32 mode) {
    return mode == 1 || mode == 6 || mode == 11 || mode == 16 || mode == 21 ? 4 : 0;
  }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    const i32 fallen = m.u(0x6E);  // a bit for each player, the first one's is bit 7
    i32 left = 0;
    for (i32 player = 0; player < 4; ++player) {
      const i32 lives = (fallen & 0x80 >> player) != 0 ? -1 : 0;
      r.reward[player] = lives < r.lives[player] ? -1 : 0;
      r.lives[player] = lives;
      left += lives == 0;
    }
    r.terminal = left <= 1;
    for (i32 player = 0; player < 4; ++player) r.reward[player] += r.terminal && r.lives[player] == 0;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x59, mode - 1, 1);
  }
};

}  // namespace envpool::atari::multiplayer
