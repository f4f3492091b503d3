// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct IceHockey : MultiplayerGame {
  static constexpr const char* kRom = "ice_hockey";
  static constexpr MultiplayerTraits kTraits = {.difficulties = set_of(0, 1, 2, 3), .first_mode = 0};

  ENVPOOL_FN static i32 players(i32 mode) { return mode == 1 || mode == 3 ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    r.set_lead(m.bcd(0x0A) - m.bcd(0x0B));
    r.terminal = m.u(0x07) == 0 && m.u(0x06) == 0;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode, 2);
  }
};

}  // namespace envpool::atari::multiplayer
