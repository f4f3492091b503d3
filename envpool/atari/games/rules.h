// SPDX-License-Identifier: Apache-2.0
//
// What the rules of a game are made of: the memory they may look at, the little they remember, and
// the facts that never change. The rules run once after every video frame, and only read memory: a
// console knows nothing of score, lives or the end of a game. What it does know, the paddles of a
// game among it, is in console/.
//
// A game is a struct in a file of its own:
//
//   struct Pong : Game {
//     static constexpr const char* kRom = "pong";  // file name of the ROM, without ".bin"
//     using Modes = ModeSet<0, 1>;                 // what the `mode` option may be
//     static constexpr GameTraits kTraits = {...};
//     static void begin(RuleState&);                   // optional: an episode's start, beyond kTraits
//     static void evaluate(const Memory&, RuleState&);   // after every frame: reward, terminal, lives
//     static void select_mode(Controls&, i32 mode);  // optional: how to choose with the switches
//   };
#pragma once

#include "envpool/core/types.h"

namespace envpool::atari {

// A set of small numbers: actions, difficulties.
template <class... Ints>
constexpr u32 set_of(Ints... members) {
  return ((1u << members) | ... | 0u);
}

inline constexpr u32 kAllActions = (1u << 18) - 1;

// Actions are numbered as everywhere in Atari research: 6..9 are the diagonals (UPRIGHT, UPLEFT,
// DOWNRIGHT, DOWNLEFT), 10..17 are 2..9 with FIRE. Those that code names:
enum Action : u8 { kNoop, kFire, kUp, kRight, kLeft, kDown, kUpFire = 10, kResetSwitch = 40 };
inline constexpr i32 kActions = 18;

// The modes of a game.
template <i32... kModes>
struct ModeSet {
  ENVPOOL_FN static constexpr bool has(i32 mode) { return ((mode == kModes) || ...); }
};

// One action for a number of frames, at the end of every reset.
struct StartingAction {
  u8 action;
  u16 frames;
};

struct GameTraits {
  u32 minimal_actions = kAllActions;  // those that differ in this game, the default action space
  u32 legal_actions = kAllActions;    // any other reaches the game as NOOP
  i32 default_mode = 0;
  u32 difficulties = set_of(0);  // bit 0 of a difficulty is the left switch, bit 1 the right one
  StartingAction starting_actions[3] = {};
  i32 score = 0;                   // the score a new episode counts from
  i32 lives = 0;                   // at the start of an episode
  bool lives_at_end = false;       // lives are shown once the game is over; elsewhere they read 0
  bool unfinished_frames = false;  // may think so long that a picture takes several frames
};

// The memory a frame left behind. Offsets count from the first of the console's 128 bytes. Looking at it goes over the
// console's bus, which keeps the last byte: a program that begins its next frame in the TIA's addresses runs it.
struct Memory {
  const u8* ram;
  const u8* cart_ram;  // the 128 bytes of cartridge RAM that a few games have
  u8* bus;

  ENVPOOL_FN i32 u(i32 at, i32 mask = 0xFF) const { return read(ram, at) & mask; }
  ENVPOOL_FN i32 s(i32 at) const { return i8(read(ram, at)); }

  // Two decimal digits a byte, low byte first. Nibbles above 9 count as they are.
  template <class... Ints>
  ENVPOOL_FN i32 bcd(Ints... at) const {
    return decimal(ram, at...);
  }

  ENVPOOL_FN i32 cart(i32 at) const { return read(cart_ram, at); }
  template <class... Ints>
  ENVPOOL_FN i32 cart_bcd(Ints... at) const {
    return decimal(cart_ram, at...);
  }

  // One decimal digit; a byte that shows a blank counts as 0.
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

// What the rules remember from frame to frame.
struct RuleState {
  i32 reward = 0;      // of the last frame
  i32 prev_score = 0;  // the score it was counted from
  i32 lives = 0;
  i32 var[5] = {};         // a game's own
  i32 persistent_var = 0;  // the same, but a new episode does not clear it
  bool terminal = false;
  bool started = false;  // becomes true in the games that need to see their first life

  ENVPOOL_FN void set_score(i32 score) {
    reward = score - prev_score;
    prev_score = score;
  }
  // A score counter that has run over is worth `range` more.
  ENVPOOL_FN void set_wrapping_score(i32 score, i32 range) {
    set_score(score);
    if (reward < 0) reward += range;
  }
  ENVPOOL_FN void set_score_min_reward(i32 score, i32 least) {
    set_score(score);
    if (reward < least) reward = least;
  }
  ENVPOOL_FN void set_score_max_reward(i32 score, i32 most) {
    set_score(score);
    if (reward > most) reward = most;
  }
  // Some games overwrite their score once they are over.
  ENVPOOL_FN void set_score_until_terminal(i32 score) {
    if (terminal) {
      reward = 0;
    } else {
      set_score(score);
    }
  }
};

// What a game need not say.
struct Game {
  ENVPOOL_FN static void begin(RuleState&) {}
  template <class Controls>
  ENVPOOL_FN static void select_mode(Controls&, i32) {}
};

}  // namespace envpool::atari
