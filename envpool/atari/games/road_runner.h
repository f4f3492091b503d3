// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct RoadRunner : Game {
  static constexpr const char* kRom = "road_runner";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.lives = 3};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = 100 * m.digit(0x49, 0x0F, 0, 0x0A) + 1000 * m.digit(0x4A, 0x0F, 0, 0x0A) +
                      10000 * m.digit(0x4B, 0x0F, 0, 0x0A) + 100000 * m.digit(0x4C, 0x0F, 0, 0x0A);
    r.terminal = (m.u(0x44, 0x07) == 0 && m.u(0x39) != 0) || (m.u(0x44, 0x07) == 0 && m.u(0x3D) != 0);
    r.set_score(score);
    r.lives = m.u(0x44, 0x07) + 1;
  }
};

}  // namespace envpool::atari::games
