// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct ElevatorAction : Game {
  static constexpr const char* kRom = "elevator_action";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.starting_actions = {{kFire, 16}}, .lives = 4};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x09, 0x08, 0x07);
    r.terminal = m.u(0x03) == 0 && m.u(0x01) != 0;
    r.set_score(score);
    r.lives = m.u(0x03);
  }
};

}  // namespace envpool::atari::games
