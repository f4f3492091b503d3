// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct FishingDerby : Game {
  static constexpr const char* kRom = "fishing_derby";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1, 2, 3)};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x3D) - m.bcd(0x3E);
    r.terminal = m.u(0x3D) == 0x99 || m.u(0x3E) == 0x99;
    r.set_score(score);
  }
};

}  // namespace envpool::atari::games
