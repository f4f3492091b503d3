// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct VideoPinball : Game {
  static constexpr const char* kRom = "video_pinball";
  using Modes = ModeSet<0, 2>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 5, 10, 11, 12),
      .difficulties = set_of(0, 1),
      .lives = 3,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x30, 0x32, 0x34);
    r.terminal = m.u(0x2F, 0x01) == 1;
    r.set_score(score);
    r.lives = 4 + m.u(0x28) % 2 - m.u(0x19) % 8;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x41, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
