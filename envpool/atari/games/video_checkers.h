// SPDX-License-Identifier: Apache-2.0
//
// Modes 11 to 19 are reverse checkers: losing every piece wins.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct VideoCheckers : Game {
  static constexpr const char* kRom = "video_checkers";
  using Modes = ModeSet<1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19>;
  static constexpr GameTraits kTraits = {.minimal_actions = set_of(1, 6, 7, 8, 9), .default_mode = 1, .lives = 1};

  // Counts the men and kings of one side.
  ENVPOOL_FN static i32 pieces(const Memory& m, i32 man, i32 king) {
    i32 count = 0;
    for (i32 cell = 0x00; cell <= 0x22; ++cell) {
      if (cell % 9 == 8) continue;  // the byte between two rows
      if (m.u(cell) == man || m.u(cell) == king) ++count;
    }
    return count;
  }

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const bool reverse = r.persistent_var != 0;
    const bool no_black = pieces(m, 0x10, 0x20) == 0, no_white = pieces(m, 0x90, 0xA0) == 0;
    if (no_black) {
      r.reward = reverse ? 1 : -1;
    } else if (no_white) {
      r.reward = reverse ? -1 : 1;
    }
    r.terminal = r.terminal || no_black || no_white;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.rules().persistent_var = mode >= 11;
    t.select_until(0x76, mode >= 11 ? mode + 6 : mode, 1);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
