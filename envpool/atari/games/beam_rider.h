// SPDX-License-Identifier: Apache-2.0
//
// If exactly one life seems to be lost, the loss counts only while byte 0x0C is 1.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct BeamRider : Game {
  static constexpr const char* kRom = "beam_rider";
  using Modes = ModeSet<0>;
  static constexpr GameTraits kTraits = {
      .minimal_actions = set_of(0, 1, 2, 3, 4, 6, 7, 11, 12),
      .difficulties = set_of(0, 1),
      .starting_actions = {{kRight, 1}},
      .lives = 3,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    r.terminal = m.u(0x05) == 0xFF;
    r.set_score(m.bcd(0x09, 0x0A, 0x0B));
    const i32 lives = m.u(0x05) + 1;
    if (lives != r.lives - 1 || m.u(0x0C) == 1) r.lives = lives;
  }
};

}  // namespace envpool::atari::games
