// SPDX-License-Identifier: Apache-2.0
//
// A side whose last piece is taken loses a point, which the other one gets. A player who does not move within ten
// seconds loses a point, again and again, which nobody gets. As in the reference, the square of the piece that the
// program proposes to move tells whose turn it is, which is wrong once a man has reached the other half of the board.
#pragma once

#include "envpool/atari/games/video_checkers.h"
#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct VideoCheckers : MultiplayerGame {
  static constexpr const char* kRom = "video_checkers";
  static constexpr MultiplayerTraits kTraits = {.minimal_actions = set_of(1, 6, 7, 8, 9)};
  static constexpr i32 kMoveFrames = 601;
  static constexpr i32 kSecondHalf = 16;  // the first square of the second player's half

  ENVPOOL_FN static i32 players(i32 mode) { return mode == 10 ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    const bool no_first = games::VideoCheckers::pieces(m, 0x10, 0x20) == 0;
    const bool no_second = games::VideoCheckers::pieces(m, 0x90, 0xA0) == 0;
    r.terminal = no_first || no_second;
    r.reward[0] = no_first ? -1 : no_second ? 1 : 0;
    r.reward[1] = -r.reward[0];
    const i32 mover = m.u(0x40) >= kSecondHalf ? 1 : 0;
    if (r.count_wait(mover == r.var, kMoveFrames)) r.reward[mover] -= 1;
    r.var = mover;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x76, mode == 10 ? 0x10 : mode, 1);
  }
};

}  // namespace envpool::atari::multiplayer
