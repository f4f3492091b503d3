// SPDX-License-Identifier: Apache-2.0
//
// Rewards count points. In a frame that decides a game, they count games instead.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Tennis : Game {
  static constexpr const char* kRom = "tennis";
  using Modes = ModeSet<0, 2>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1, 2, 3)};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    i32 &games = r.var[0], &points = r.var[1];
    const i32 mine = m.u(0x47), theirs = m.u(0x48);
    const i32 points_now = m.u(0x45) - m.u(0x46);
    r.reward = mine - theirs != games ? mine - theirs - games : points_now - points;
    games = mine - theirs;
    points = points_now;
    r.terminal = (mine >= 6 && mine - theirs >= 2) || (theirs >= 6 && theirs - mine >= 2) || mine == 7 || theirs == 7;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
