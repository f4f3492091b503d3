// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Gravitar : Game {
  static constexpr const char* kRom = "gravitar";
  using Modes = ModeSet<0, 1, 2, 3, 4>;
  static constexpr GameTraits kTraits = {.starting_actions = {{kFire, 16}}, .lives = 6};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x09, 0x08, 0x07);
    r.terminal = m.u(0x01) == 1;
    r.set_score(score);
    r.lives = m.u(0x01) == 0 ? 6 : m.u(0x04) + 1;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode, 10);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
