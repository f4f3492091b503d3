// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct LaserGates : Game {
  static constexpr const char* kRom = "laser_gates";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.starting_actions = {{kResetSwitch, 1}}};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x02, 0x01, 0x00);
    r.terminal = m.u(0x03) == 0;
    r.set_score(score);
  }
};

}  // namespace envpool::atari::games
