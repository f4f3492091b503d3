// SPDX-License-Identifier: Apache-2.0
//
// A mode is 100 * cube + variant. The reward is the change in the number of one-coloured faces.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct VideoCube : Game {
  static constexpr const char* kRom = "video_cube";
  struct Modes {
    ENVPOOL_FN static constexpr bool has(i32 mode) { return mode >= 0 && mode <= 5002 && mode % 100 <= 2; }
  };
  static constexpr GameTraits kTraits = {
      .difficulties = set_of(0, 1),
      .starting_actions = {{kNoop, 61}, {kFire, 1}, {kNoop, 2}},
      .lives = 1,
  };

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    i32 &faces = r.var[0], &timer = r.persistent_var;
    i32 full = 0;
    for (i32 face = 0x20; face < 0x20 + 6 * 9; face += 9) {
      bool one_colour = true;
      for (i32 i = 1; i < 9; ++i) one_colour = one_colour && m.u(face + i) == m.u(face);
      full += one_colour;
    }
    const bool late = m.u(0x5B) == 0 && timer == 255;
    timer = m.u(0x5B);
    r.reward = late ? -1 : full - faces;
    faces = full;
    r.terminal = late || full == 6;
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    const i32 variant = mode % 100 == 0 ? 0 : mode % 100 == 1 ? 2 : 8;
    const i32 cube = mode < 100 ? 1 : mode / 100;
    while (t.memory().u(0x7B, 0x1F) != variant && t.select(2)) continue;
    t.soft_reset();
    while (t.memory().bcd(0x1F) != cube && t.act(kRight, 1)) continue;
  }
};

}  // namespace envpool::atari::games
