// SPDX-License-Identifier: Apache-2.0
//
// The score is in the cartridge RAM.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Klax : Game {
  static constexpr const char* kRom = "klax";
  using Modes = ModeSet<0, 1, 2>;
  static constexpr GameTraits kTraits = {.starting_actions = {{kFire, 1}, {kNoop, 1}}, .lives = 1};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    bool stuck = m.u(0x28) == 4;
    for (i32 cell = 0x33; cell <= 0x4B; ++cell) {
      const i32 tile = m.u(cell);
      if (tile == 0 || tile == 2 || tile == 6 || tile == 10 || tile == 14) stuck = false;
    }
    r.terminal = (m.cart(0x69) > 0 && m.cart(0x6E) == m.cart(0x69)) || stuck || m.cart(0x1D) == 0x99;
    r.set_score(m.cart_bcd(0x34, 0x35, 0x36));
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    while (t.memory().cart(0x6A) != mode && t.select(2)) continue;
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
