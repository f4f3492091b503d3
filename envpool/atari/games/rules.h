// SPDX-License-Identifier: Apache-2.0
//
// The parts of a game's rules: the memory they read, the state they keep between frames, and the traits that never
// change. The rules run once after every video frame and only read memory; the console itself knows nothing of score,
// lives or the end of a game. Properties of the hardware, such as which games use paddles, are in console/.
//
// A game is a struct in a file of its own:
//
//   struct Pong : Game {
//     static constexpr const char* kRom = "pong";  // file name of the ROM, without ".bin"
//     using Modes = ModeSet<0, 1>;                 // the values that the option `mode` may have
//     static constexpr GameTraits kTraits = {...};
//     static void begin(RuleState&);                    // optional: starts an episode, after kTraits apply
//     static void evaluate(const Memory&, RuleState&);  // after every frame: sets reward, terminal and lives
//     static void select_mode(Controls&, i32 mode);     // optional: chooses a mode with the console's switches
//   };
#pragma once

#include "envpool/core/types.h"

namespace envpool::atari {

// A set of small numbers (actions or difficulties) as a bit mask.
template <class... Ints>
constexpr u32 set_of(Ints... members) {
  return ((1u << members) | ... | 0u);
}

inline constexpr u32 kAllActions = (1u << 18) - 1;

// Actions are numbered as in ALE: 6..9 are the diagonals (UPRIGHT, UPLEFT, DOWNRIGHT, DOWNLEFT), and 10..17 are 2..9
// with FIRE. The enum holds those that are used by name; kResetSwitch occurs only in starting actions.
enum Action : u8 { kNoop, kFire, kUp, kRight, kLeft, kDown, kUpFire = 10, kResetSwitch = 40 };
inline constexpr i32 kActions = 18;

// The set of a game's modes.
template <i32... kModes>
struct ModeSet {
  ENVPOOL_FN static constexpr bool has(i32 mode) { return ((mode == kModes) || ...); }
};

// An action that every reset plays at its end, for a number of frames.
struct StartingAction {
  u8 action;
  u16 frames;
};

// The constants of a game.
struct GameTraits {
  u32 minimal_actions = kAllActions;  // the actions that have distinct effects: the default action space
  u32 legal_actions = kAllActions;    // all others reach the game as NOOP
  i32 default_mode = 0;
  u32 difficulties = set_of(0);  // bit 0 of a difficulty is the left switch, bit 1 the right one
  StartingAction starting_actions[3] = {};
  i32 score = 0;                   // at the start of an episode; rewards count from it
  i32 lives = 0;                   // at the start of an episode
  bool lives_at_end = false;       // true: lives keep their value once the game is over; otherwise they read 0
  bool unfinished_frames = false;  // one video frame may need several updates of the console, see Core::unfinished
};

// The memory after a frame. Offsets count from the first of the console's 128 bytes of RAM. Every read goes over the
// console's bus, as in ALE. This matters because the bus keeps the last byte: if a program starts its next frame at an
// address of the TIA, it executes that byte.
struct Memory {
  const u8* ram;
  const u8* cart_ram;  // the 128 bytes of cartridge RAM that a few games have
  u8* bus;

  ENVPOOL_FN i32 u(i32 at, i32 mask = 0xFF) const { return read(ram, at) & mask; }
  ENVPOOL_FN i32 s(i32 at) const { return i8(read(ram, at)); }

  // A number with two decimal digits per byte, low byte first. Nibbles above 9 keep their value.
  template <class... Ints>
  ENVPOOL_FN i32 bcd(Ints... at) const {
    return decimal(ram, at...);
  }

  ENVPOOL_FN i32 cart(i32 at) const { return read(cart_ram, at); }
  template <class... Ints>
  ENVPOOL_FN i32 cart_bcd(Ints... at) const {
    return decimal(cart_ram, at...);
  }

  // One decimal digit; the value `blank` counts as 0.
  ENVPOOL_FN i32 digit(i32 at, i32 mask, i32 shift, i32 blank = -1) const {
    const i32 byte = read(ram, at) & mask;
    return byte == blank ? 0 : byte >> shift;
  }

 private:
  ENVPOOL_FN u8 read(const u8* bytes, i32 at) const { return *bus = bytes[at]; }
  ENVPOOL_FN i32 decimal(const u8*) const { return 0; }
  template <class... Ints>
  ENVPOOL_FN i32 decimal(const u8* bytes, i32 at, Ints... rest) const {
    const u8 byte = read(bytes, at);
    return 10 * (byte >> 4) + (byte & 15) + 100 * decimal(bytes, rest...);
  }
};

// The state that the rules keep between frames.
struct RuleState {
  i32 reward = 0;      // of the last frame
  i32 prev_score = 0;  // the score that the next reward counts from
  i32 lives = 0;
  i32 var[5] = {};         // a game's own variables
  i32 persistent_var = 0;  // one more variable, which a new episode does not clear
  bool terminal = false;
  bool started = false;  // whether play has begun, for games whose memory does not show the lives before that

  // Sets the score; its increase is the frame's reward.
  ENVPOOL_FN void set_score(i32 score) {
    reward = score - prev_score;
    prev_score = score;
  }
  // Like set_score(), for a counter that wraps around at `range`.
  ENVPOOL_FN void set_wrapping_score(i32 score, i32 range) {
    set_score(score);
    if (reward < 0) reward += range;
  }
  // Like set_score(), with the reward limited from below or above.
  ENVPOOL_FN void set_score_min_reward(i32 score, i32 least) {
    set_score(score);
    if (reward < least) reward = least;
  }
  ENVPOOL_FN void set_score_max_reward(i32 score, i32 most) {
    set_score(score);
    if (reward > most) reward = most;
  }
  // Like set_score(), for games that overwrite their score once they are over.
  ENVPOOL_FN void set_score_until_terminal(i32 score) {
    if (terminal) {
      reward = 0;
    } else {
      set_score(score);
    }
  }
};

// The defaults of a game's optional functions.
struct Game {
  ENVPOOL_FN static void begin(RuleState&) {}
  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls&, i32) {}
};

}  // namespace envpool::atari
