// SPDX-License-Identifier: Apache-2.0
//
// The reward is par minus strokes. It is given when the number of the hole changes.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct MiniatureGolf : Game {
  static constexpr const char* kRom = "miniature_golf";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {.difficulties = set_of(0, 1), .lives = 1};

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    i32 &hole = r.var[0], &par = r.var[1], &carry = r.var[2], &left = r.var[3], &base = r.var[4];
    const i32 left_number = m.bcd(0x07), right_number = m.bcd(0x08), hole_number = m.bcd(0x2F);
    const bool next_hole = hole_number != hole;
    const i32 used = left + carry - base;
    r.reward = next_hole && used > 0 ? par - used : 0;
    r.terminal = r.terminal || (next_hole && hole_number == 0);
    if (next_hole) {
      base = left;
      carry = 0;
    }
    hole = hole_number;
    if (right_number != 0) {
      par = right_number;  // while the right number shows par, the left number does not count strokes
    } else {
      if (left_number < left) carry += left;
      left = left_number;
    }
  }
};

}  // namespace envpool::atari::games
