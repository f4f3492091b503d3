// SPDX-License-Identifier: Apache-2.0
//
// Video Olympics, whose 50 modes include Pong, Foozpong, Quadrapong, Volleyball and Basketball, for two players and for
// two teams of two: the first and third player, and the second and fourth. A side that does not serve within two
// seconds loses a point, again and again, which nobody gets.
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct Pong : MultiplayerGame {
  static constexpr const char* kRom = "pong";
  static constexpr MultiplayerTraits kTraits = {
      .minimal_actions = set_of(0, 1, 3, 4, 11, 12),
      .difficulties = set_of(0, 1, 2, 3),
  };
  static constexpr i32 kServeFrames = 120;

  ENVPOOL_FN static i32 players(i32 mode) {
    switch (mode) {
      case 4:   // Pong
      case 19:  // Foozpong
      case 39:  // Volleyball
      case 45:  // Basketball
        return 2;
      case 6:   // Pong
      case 21:  // Foozpong
      case 33:  // Quadrapong
      case 41:  // Volleyball
      case 49:  // Basketball
        return 4;
      default: return 0;
    }
  }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    const i32 mine = m.u(0x0E), theirs = m.u(0x0D);
    r.set_lead(mine - theirs);
    const bool ball_is_out = m.u(0x36) == 0;
    if (r.count_wait(ball_is_out, kServeFrames)) r.reward[m.u(0x12, 1) != 0 ? 0 : 1] -= 1;
    r.reward[2] = r.reward[0];
    r.reward[3] = r.reward[1];
    r.terminal = mine == 21 || theirs == 21;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x16, mode - 1, 2);
  }
};

}  // namespace envpool::atari::multiplayer
