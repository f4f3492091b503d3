// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct MarioBros : MultiplayerGame {
  static constexpr const char* kRom = "mario_bros";
  static constexpr MultiplayerTraits kTraits = {.starting_actions = {{kNoop, 10}, {kFire, 7}}};

  ENVPOOL_FN static i32 players(i32 mode) { return mode == 2 || mode == 4 || mode == 6 || mode == 8 ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    r.set_score(0, 100 * m.bcd(0x0A, 0x09));
    r.set_score(1, 100 * m.bcd(0x0C, 0x0B));
    r.lives[0] = m.u(0x07) - 1;
    r.lives[1] = m.u(0x08) - 1;
    r.terminal = r.lives[0] < 0 && r.lives[1] < 0;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode - 1, 5);
  }
};

}  // namespace envpool::atari::multiplayer
