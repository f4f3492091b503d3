// SPDX-License-Identifier: Apache-2.0
//
// The parts of the rules of a game for several players: the state they keep between frames, and the traits that never
// change. As in games/rules.h, the rules run once after every video frame and only read memory. Modes are numbered as
// in multi-agent-ale-py.
//
//   struct Pong : MultiplayerGame {
//     static constexpr const char* kRom = "pong";                // file name of the ROM, without ".bin"
//     static constexpr MultiplayerTraits kTraits = {...};
//     static i32 players(i32 mode);                              // of a mode; 0: there is no such mode
//     static void evaluate(const Memory&, MultiplayerState&);    // after every frame: sets rewards, lives and terminal
//     static void select_mode(Controls&, i32 mode);              // chooses a mode with the console's switches
//   };
#pragma once

#include "envpool/atari/games/rules.h"

namespace envpool::atari {

inline constexpr i32 kMostPlayers = 4;  // of a game

// The constants of a game for several players.
struct MultiplayerTraits {
  u32 minimal_actions = kAllActions;        // the default action space of each player
  u32 difficulties = set_of(0);             // bit 0 of a difficulty is the left switch, bit 1 the right one
  i32 first_mode = 1;                       // the mode in which the console is powered on
  StartingAction starting_actions[2] = {};  // which the first two players perform at a reset, one after the other
};

// The state that the rules keep between frames.
struct MultiplayerState {
  i32 reward[kMostPlayers] = {};  // of the last frame, by player
  i32 score[kMostPlayers] = {};   // from which the next rewards count
  i32 lives[kMostPlayers] = {};   // a player with fewer than 0 has left the game
  i32 var = 0;                    // a game's own variable
  i32 mode = 0;                   // of this game
  i32 waited = 0;  // frames for which the player to serve or to move has been waited for; see count_wait()
  bool terminal = false;

  // Sets the lead of the first player over the second one; its increase is what the second one loses.
  ENVPOOL_FN void set_lead(i32 lead) {
    reward[0] = lead - score[0];
    reward[1] = -reward[0];
    score[0] = lead;
  }
  // Counts the frames for which somebody is waited for. Returns true in the last of `most` such frames, and begins
  // anew. The frame before the first of them counts, too.
  ENVPOOL_FN bool count_wait(bool waits, i32 most) {
    waited = waits ? waited + 1 : 1;
    const bool over = waited >= most;
    if (over) waited = 0;
    return over;
  }
  ENVPOOL_FN void set_score(i32 player, i32 points) {
    reward[player] = points - score[player];
    score[player] = points;
  }
  // Sets a player's own score, which wraps around at `range`.
  ENVPOOL_FN void set_wrapping_score(i32 player, i32 points, i32 range) {
    set_score(player, points);
    if (reward[player] < 0) reward[player] += range;
  }
};

// The defaults of a game's optional functions.
struct MultiplayerGame {
  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls&, i32) {}
};

}  // namespace envpool::atari
