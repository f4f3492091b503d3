// SPDX-License-Identifier: Apache-2.0
//
// The game is over for good when the level or the score falls, or when health (the low five bits) reaches 0.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Darkchambers : Game {
  static constexpr const char* kRom = "darkchambers";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.starting_actions = {{kNoop, 486}}, .lives = 1};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    i32& level = r.var[0];
    const i32 level_now = m.u(0x55);
    const i32 score = 10 * m.bcd(0x4C, 0x4F);
    const bool fell = level_now < level;
    const bool counts = !fell && score >= r.prev_score;
    r.reward = counts ? score - r.prev_score : 0;
    r.terminal = r.terminal || !counts || m.u(0x4A) % 32 == 0;
    if (counts) r.prev_score = score;
    if (!fell) level = level_now;
  }
};

}  // namespace envpool::atari::games
