// SPDX-License-Identifier: Apache-2.0
//
// In mode 2, a player who loses a life loses a point, which the other one gets. In mode 3, both get a point for each
// section of the maze that they complete. The console plays the same variant in both.
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct Entombed : MultiplayerGame {
  static constexpr const char* kRom = "entombed";
  static constexpr MultiplayerTraits kTraits = {
      .difficulties = set_of(0, 2),
      .starting_actions = {{kFire, 1}, {kNoop, 5}},
  };
  static constexpr i32 kCooperative = 3;

  ENVPOOL_FN static i32 players(i32 mode) { return mode == 2 || mode == kCooperative ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    r.lives[0] = m.u(0x47) & 3;
    r.lives[1] = m.u(0x47) >> 4 & 3;
    r.terminal = r.lives[0] == 0 || r.lives[1] == 0;
    if (r.mode == kCooperative) {
      const i32 sound = m.u(0x6F);
      r.reward[0] = r.reward[1] = sound != 0 && sound != r.var;
      r.var = sound;
    } else {
      r.set_lead(r.lives[0] - r.lives[1]);
    }
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    // The switch has an effect only every few presses. This many lead to two players.
    for (i32 presses = mode == 1 ? 0 : 16; presses > 0; --presses) t.select(1);
  }
};

}  // namespace envpool::atari::multiplayer
