// SPDX-License-Identifier: Apache-2.0
//
// An episode is one word, won or lost; it also ends when the clock runs out.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Hangman : Game {
  static constexpr const char* kRom = "hangman";
  using Modes = ModeSet<0, 1, 2, 3>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1), .lives = 1};

  ENVPOOL_FN static void begin(RuleState& r) { r.var[2] = -1; }

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    i32 &player = r.var[0], &computer = r.var[1], &timer = r.var[2];
    r.reward = (m.bcd(0x6B) - player) - (m.bcd(0x6C) - computer);
    player = m.bcd(0x6B);
    computer = m.bcd(0x6C);
    r.terminal = r.reward != 0 || (m.u(0x71) == 0 && timer == 255);
    timer = m.u(0x71);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x6E, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
