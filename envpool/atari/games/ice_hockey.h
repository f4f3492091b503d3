// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct IceHockey : Game {
  static constexpr const char* kRom = "ice_hockey";
  using Modes = ModeSet<0, 2>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1, 2, 3)};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x0A) - m.bcd(0x0B);
    r.terminal = m.u(0x07) == 0 && m.u(0x06) == 0;
    r.set_score_max_reward(score, 1);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
