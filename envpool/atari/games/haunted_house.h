// SPDX-License-Identifier: Apache-2.0
//
// Lighting a match costs one point, and leaving the house with the urn gains 100.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct HauntedHouse : Game {
  static constexpr const char* kRom = "haunted_house";
  using Modes = ModeSet<0, 1, 2, 3, 4, 5, 6, 7, 8>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1), .lives = 9};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    i32& matches = r.var[0];
    const bool out = m.u(0x19) == 0x44;
    r.reward = (m.bcd(0x02) != matches ? -1 : 0) + (out ? 100 : 0);
    matches = m.bcd(0x02);
    r.terminal = out || m.u(0x16) == 0;
    r.lives = m.u(0x16);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select_until(0x4C, mode, 2);
    t.soft_reset();
  }
};

}  // namespace envpool::atari::games
