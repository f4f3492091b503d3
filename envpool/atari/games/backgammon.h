// SPDX-License-Identifier: Apache-2.0
//
// The player's pieces are negative bytes. The default difficulty is 0, although 3 is the only difficulty that the
// game lists.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Backgammon : Game {
  static constexpr const char* kRom = "backgammon";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(1, 3, 4),
      .difficulties = set_of(3),
      .lives = 1,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    i32 player_in = 0, computer_in = 0;
    for (i32 cell = 0x01; cell <= 0x1B; ++cell) {
      if (cell == 0x0E) continue;
      if (m.s(cell) < 0) player_in -= m.s(cell);
      if (m.s(cell) > 0) computer_in += m.s(cell);
    }
    const i32 player_out = i8(-m.s(0x00)), computer_out = m.s(0x0E);
    const bool valid = i8(computer_in) + computer_out == 15 && i8(player_in) + player_out == 15;
    if (!valid) return;
    if (player_out == 15) {
      r.reward = 1;
    } else if (computer_out == 15) {
      r.reward = -1;
    }
    if (player_out == 15 || computer_out == 15) r.terminal = true;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32) {
    t.select_until(0x5C, 3, 1);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
