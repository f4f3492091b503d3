// SPDX-License-Identifier: Apache-2.0
//
// Rewards count points. In a frame that decides a game, they count games instead. A player who lets the ball bounce for
// three seconds without serving it loses a point, again and again, which nobody gets.
#pragma once

#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct Tennis : MultiplayerGame {
  static constexpr const char* kRom = "tennis";
  static constexpr MultiplayerTraits kTraits = {.difficulties = set_of(0, 1, 2, 3)};
  static constexpr i32 kServeFrames = 180;

  ENVPOOL_FN static i32 players(i32 mode) { return mode == 2 || mode == 4 ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    i32 &games = r.score[0], &points = r.score[1];
    const i32 mine = m.u(0x47), theirs = m.u(0x48);
    const i32 points_now = m.u(0x45) - m.u(0x46);
    r.reward[0] = mine - theirs != games ? mine - theirs - games : points_now - points;
    r.reward[1] = -r.reward[0];
    games = mine - theirs;
    points = points_now;
    r.terminal = (mine >= 6 && mine - theirs >= 2) || (theirs >= 6 && theirs - mine >= 2) || mine == 7 || theirs == 7;
    const bool has_bounced = m.u(0x4C) != 0;  // since it was last hit
    if (r.count_wait(has_bounced, kServeFrames)) r.reward[(mine + theirs) & 1] -= 1;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode - 1, 2);
  }
};

}  // namespace envpool::atari::multiplayer
