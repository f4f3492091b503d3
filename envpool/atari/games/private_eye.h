// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct PrivateEye : Game {
  static constexpr const char* kRom = "private_eye";
  using Modes = ModeSet<0, 1, 2, 3, 4>;
  static constexpr GameTraits kTraits = {
      .difficulties = set_of(0, 1, 2, 3),
      .starting_actions = {{kUp, 1}},
      .score = 1000,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x4A, 0x49, 0x48);
    r.terminal = m.u(0x42) > 1;
    r.set_score(score);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x00, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
