// SPDX-License-Identifier: Apache-2.0
//
// The four bits of a mode are entries of an on-screen menu, which is operated with the joystick.
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari::games {

struct DoubleDunk : Game {
  static constexpr const char* kRom = "double_dunk";
  using Modes = ModeSet<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>;
  static constexpr GameTraits kTraits = {.starting_actions = {{kUpFire, 1}}};

  // Presses DOWN until byte 0x30 shows that the cursor of the menu has moved.
  template <class Controls>
  ENVPOOL_FN static void next_entry(Controls& t) {
    const i32 before = t.memory().u(0x30);
    while (t.act(kDown, 1) && t.act(kNoop, 1) && t.memory().u(0x30) == before) continue;
  }

  // Turns a menu entry, which is a bit of byte 0x00, on or off.
  template <class Controls>
  ENVPOOL_FN static void set_entry(Controls& t, i32 bit, bool on) {
    const i32 side = on ? kRight : kLeft;
    while ((t.memory().u(0x00, bit) != 0) != on && t.act(side, 1) && t.act(kNoop, 1)) continue;
  }

  ENVPOOL_FN static void evaluate(const Memory& m, RuleState& r) {
    const i32 score = m.bcd(0x76) - m.bcd(0x77);
    r.terminal = (m.bcd(0x76) >= 24 || m.bcd(0x77) >= 24) && m.u(0x7E) == 0xE7;
    r.set_score(score);
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    t.select(1);
    next_entry(t);
    next_entry(t);
    set_entry(t, 0x08, mode & 1);
    next_entry(t);
    set_entry(t, 0x10, mode & 2);
    next_entry(t);
    set_entry(t, 0x04, mode & 4);
    next_entry(t);
    set_entry(t, 0x20, mode & 8);
    t.soft_reset();
    t.act(kUpFire, 1);
    t.act(kNoop, 1);
  }
};

}  // namespace envpool::atari::games
