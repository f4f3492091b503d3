// SPDX-License-Identifier: Apache-2.0
//
// A score byte stands for a digit: 0, 8, .., 72 for 0 to 9, and all other values for 0.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct Riverraid : Game {
  static constexpr const char* kRom = "riverraid";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1), .lives = 4};

  ENVPOOL_FN static void begin(RuleState& r) { r.var[0] = 0x58; }

  ENVPOOL_FN static i32 digit(i32 byte) { return byte % 8 == 0 && byte <= 72 ? byte / 8 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    i32& last = r.var[0];
    r.terminal = m.u(0x40) == 0x58 && last == 0x59;
    last = m.u(0x40);
    i32 score = 0;
    for (i32 at = 0x4D; at <= 0x57; at += 2) score = 10 * score + digit(m.u(at));
    r.set_score(score);
    r.lives = last == 0x58 ? 4 : last == 0x59 ? 1 : last / 8 + 1;
  }
};

}  // namespace envpool::atari::games
