// SPDX-License-Identifier: Apache-2.0
//
// Combat: tanks in modes 1 to 14, biplanes in modes 15 to 20, jets in modes 21 to 27. A game takes about 8,200 frames.
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct Combat : MultiplayerGame {
  static constexpr const char* kRom = "combat";
  static constexpr MultiplayerTraits kTraits = {.difficulties = set_of(0, 1, 2, 3)};

  ENVPOOL_FN static i32 players(i32 mode) { return mode >= 1 && mode <= 27 ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    r.set_lead(m.bcd(0x21) - m.bcd(0x22));
    r.terminal = m.u(0x08) == 0;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode - 1, 1);
  }
};

}  // namespace envpool::atari::multiplayer
