// SPDX-License-Identifier: Apache-2.0
//
// A flag is worth 5 points to the first player and 1 point to the second one, as in the reference, which reads the
// first score from the position of its digit's picture. A game has no end.
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct FlagCapture : MultiplayerGame {
  static constexpr const char* kRom = "flag_capture";
  static constexpr MultiplayerTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
      .first_mode = 8,
      .starting_actions = {{kNoop, 10}},
  };

  ENVPOOL_FN static i32 players(i32 mode) { return mode >= 1 && mode <= 4 ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    r.set_score(0, m.bcd(0x2B));
    r.set_score(1, m.bcd(0x6B));
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x56, mode, 10);
  }
};

}  // namespace envpool::atari::multiplayer
