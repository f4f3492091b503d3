// SPDX-License-Identifier: Apache-2.0
//
// Rewards count the lead in discs. A player who does not move within ten seconds loses a point, again and again, which
// nobody gets. The game is over after 76 consecutive frames in which neither side can move.
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct Othello : MultiplayerGame {
  static constexpr const char* kRom = "othello";
  static constexpr MultiplayerTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
      .difficulties = set_of(0, 2),
  };
  static constexpr i32 kMoveFrames = 600, kMostIdleFrames = 75;

  ENVPOOL_FN static i32 players(i32 mode) { return mode == 4 ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    i32& idle = r.var;
    r.set_lead(m.bcd(0x4E) - m.bcd(0x50));
    const i32 side = m.u(0x40);  // 255: the first player moves; 1: the second; 0: neither
    if (r.count_wait(r.reward[0] == 0, kMoveFrames)) r.reward[side == 255 ? 0 : 1] -= 1;
    idle = side == 0 ? idle + 1 : 0;
    r.terminal = idle > kMostIdleFrames;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    for (i32 presses = mode - 1; presses > 0; --presses) t.select(2);
  }
};

}  // namespace envpool::atari::multiplayer
