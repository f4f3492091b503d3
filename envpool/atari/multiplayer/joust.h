// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct Joust : MultiplayerGame {
  static constexpr const char* kRom = "joust";
  static constexpr MultiplayerTraits kTraits = {.first_mode = 0};
  static constexpr i32 kMostPoints = 990000;

  ENVPOOL_FN static i32 players(i32 mode) { return mode == 1 || mode == 3 ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    r.set_score(0, m.bcd(0x07, 0x05, 0x03));
    r.set_score(1, m.bcd(0x08, 0x06, 0x04));
    r.lives[0] = m.s(0x01);
    r.lives[1] = m.s(0x02);
    r.terminal = (r.lives[0] < 0 && r.lives[1] < 0) || r.score[0] >= kMostPoints || r.score[1] >= kMostPoints;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x78, mode, 1);
  }
};

}  // namespace envpool::atari::multiplayer
