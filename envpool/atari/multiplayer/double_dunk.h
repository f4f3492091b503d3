// SPDX-License-Identifier: Apache-2.0
//
// Both players wait while neither has chosen a play. Later, a player waits while only the other one has pressed the
// button. A player who has waited for two seconds loses a point, which nobody gets, and another one every two seconds.
#pragma once

#include "envpool/atari/games/double_dunk.h"
#include "envpool/atari/multiplayer/rules.h"

namespace envpool::atari::multiplayer {

struct DoubleDunk : MultiplayerGame {
  static constexpr const char* kRom = "double_dunk";
  static constexpr MultiplayerTraits kTraits = {.first_mode = 0, .starting_actions = {{kUpFire, 1}}};
  static constexpr i32 kWaitFrames = 121;

  ENVPOOL_FN static i32 players(i32 mode) { return mode >= 16 && mode < 32 ? 2 : 0; }

  ENVPOOL_FN static void evaluate(const Memory& m, MultiplayerState& r) {
    const i32 mine = m.bcd(0x76), theirs = m.bcd(0x77);
    r.set_lead(mine - theirs);
    r.terminal = (mine >= 24 || theirs >= 24) && m.u(0x7E) == 0xE7;
    const i32 plays = m.u(0x09);  // three bits for the play of each player, and a bit for each one's button
    const bool first_acted = (plays & 0x40) != 0, second_acted = (plays & 0x80) != 0;
    if (!r.count_wait(plays == 0 || first_acted != second_acted, kWaitFrames)) return;
    r.reward[0] -= i32{!first_acted};
    r.reward[1] -= i32{!second_acted};
  }

  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls& t, i32 mode) {
    using Menu = games::DoubleDunk;
    t.select(1);
    Menu::set_entry(t, 0x40, mode & 16);
    Menu::next_entry(t);
    Menu::next_entry(t);
    Menu::set_entry(t, 0x08, mode & 1);
    Menu::next_entry(t);
    Menu::set_entry(t, 0x10, mode & 2);
    Menu::next_entry(t);
    Menu::set_entry(t, 0x04, mode & 4);
    Menu::next_entry(t);
    Menu::set_entry(t, 0x20, mode & 8);
  }
};

}  // namespace envpool::atari::multiplayer
