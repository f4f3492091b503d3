// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Et : Game {
  static constexpr const char* kRom = "et";
  using Modes = ModeSet<0, 1, 2>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1, 2, 3)};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x61, 0x60, 0x5F);
    r.terminal = m.u(0x65) == 0xFF && m.u(0x00) == 8;
    r.set_score(score);
    r.lives = i8(m.u(0x65) + 1);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x6A, mode + 1, 25);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
