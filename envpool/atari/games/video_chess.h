// SPDX-License-Identifier: Apache-2.0
//
// The reward is 1 for a win and -1 for a loss; memory holds the result only during the player's turn.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct VideoChess : Game {
  static constexpr const char* kRom = "video_chess";
  using Modes = ModeSet<0, 1, 2, 3, 4>;
  static constexpr GameTraits kTraits = {.minimal_actions = set_of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), .lives = 1};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const bool my_turn = m.u(0x61) == 0x82;
    r.reward = !my_turn ? 0 : m.u(0x6E) == 0 ? 1 : m.u(0x6E) == 1 ? -1 : 0;
    r.terminal = r.terminal || r.reward != 0;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x6A, mode, 1);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
