// SPDX-License-Identifier: Apache-2.0
//
// The complete state of an Atari 2600: trivially copyable data without pointers, so that it can be copied, stored and
// moved to a device. Times are in CPU cycles or in colour clocks (3 per cycle), counted from the last rebase. At the
// start of every frame, a rebase subtracts the elapsed time from all of them.
#pragma once

#include "envpool/core/types.h"

namespace envpool::atari {

constexpr i32 kWidth = 160;
constexpr i32 kMaxHeight = 250;
constexpr i32 kClocksPerLine = 228;
constexpr i32 kCyclesPerLine = 76;
constexpr i32 kBlankClocks = 68;  // horizontal blank: the part of a line before pixel 0
constexpr i32 kNever = 0x7FFFFFFF / 3 + 1;

constexpr i32 kOpen = -1;     // paddle resistance of an empty jack; in paddle_cycles: the capacitor never charges
constexpr i32 kCharged = -2;  // in paddle_cycles: the capacitor is always charged (0 ohms)

// The console's inputs, which are constant during a frame.
struct Inputs {
  u8 swcha = 0xFF;                // joystick directions and paddle buttons, 1 = released
  u8 swchb = 0x3F;                // console switches; 0x3F: nothing pressed, both difficulties B
  bool fire[2] = {false, false};  // joystick buttons (INPT4, INPT5), true = pressed
  i32 paddle[4] = {0, 0, 0, 0};   // ohms on INPT0-3; 0 = never set, kOpen = no paddle
};

struct Cpu {
  u16 pc;
  u16 nz;  // Z: the low byte is 0. N: bit 7 or bit 15 is set.
  u8 a, x, y, sp;
  u8 carry, overflow, decimal, interrupt;  // 0 or 1
  bool jammed;
};

// The timer and the ports (6532).
struct Riot {
  i32 set_at;      // cycle of the last timer write
  i32 latched_at;  // cycle of the first INTIM read after expiry
  u8 timer, shift, ddra;
  bool latched;
};

// The objects, in the order of the TIA's registers (RESP0.., HMP0..). The values are bit numbers of object sets in Tia.
enum Object : u8 { kPlayer0, kPlayer1, kMissile0, kMissile1, kBall, kPlayfield, kObjects };

// The video chip. Pixels and collisions are computed lazily, see tia_beam.h.
struct Tia {
  // Pixels of a line that each object covers in its current state; bit i of word w is pixel 64 w + i.
  u64 mask[kObjects][3];
  u64 line[kObjects][3];  // pixels that each object covered in this segment before it changed

  i32 frame_start;   // cycle at which line 0 began
  i32 limit_cycle;   // a TIA write from this cycle on ends the frame
  i32 vsync_end;     // earliest cycle at which ending VSYNC ends the frame
  i32 hmove_at;      // cycle of the last HMOVE
  i32 dump_at;       // cycle at which the paddle capacitors were released
  i32 window_start;  // clocks of the visible window
  i32 window_end;
  i32 drawn;       // clock that the beam has reached, within the window
  i32 line_start;  // clock at which the current line began
  i32 row;         // row of the current line on the screen
  i32 segment;     // first pixel of the current segment: collisions and screen are complete before it

  u16 collisions;         // bit 2 r + 1 is bit 7 of collision register r, and bit 2 r is its bit 6
  u8 enabled;             // objects that are enabled and not empty
  u8 stale;               // objects whose mask is outdated
  u8 changed_in_segment;  // objects that changed within this segment; `line` holds their pixels up to `line_end`
  u8 changed;             // objects that may differ from the line above, and kColours
  u8 changed_midline;     // the members of `changed` that changed within this line
  u8 blank_left;          // pixels blank_left..7 of this line are blanked
  u8 blank_left_last;     // the same for the line above
  u8 line_end[kObjects];

  u8 reg[64];          // last value written to each register
  u8 colour[4];        // COLUP0, COLUP1, COLUPF, COLUBK
  u8 pos[5], hm[5];    // position and motion nibble of the moving objects
  u8 grp_new[2];       // player graphics as written
  u8 grp_old[2];       // player graphics as delayed by VDELP
  bool ball_old;       // ENABL as delayed by VDELBL
  bool suppressed[2];  // after a write to RESP, the first copy of the player is hidden on this line
  bool mirror;         // playfield mirrored
  bool hmove_blank;    // HMOVE has yet to blank 8 pixels at the left edge
  bool cosmic;         // "Cosmic Ark" star field: missile 0 moves on every line
  u8 cosmic_step;
  u8 missile0_shape;  // 0 normal, 1 widened, 2 invisible
  bool dumping;
};

// The mapping of $1000-$1FFF, in four segments of 1 KB.
struct Cartridge {
  u32 code_at[4];  // index into Rom::code
  u32 data_at[4];  // index into Rom::data
};

// The DPC, the coprocessor of Pitfall II: data fetchers, random numbers and music.
struct Dpc {
  f64 fraction;
  i32 stamp;
  u16 counter[8];
  u8 top[8], bottom[8], flag[8];
  bool music[8];
  u8 random;
};

// All state that a frame changes, except the pixels.
struct Core {
  Cpu cpu;
  Riot riot;
  Tia tia;
  Cartridge cart;
  Dpc dpc;
  u8 ram[128];
  u8 cart_ram[128];  // superchip
  i32 cycles;
  u8 bus;           // last byte transferred, which supplies the undriven bits of a TIA read
  bool wrote;       // the last bus access was a write
  bool stop;        // the frame ends after this instruction
  bool unfinished;  // the last update hit the instruction limit; the next one continues its frame
  bool greyed;
  bool drawing;  // pixels are computed
  bool exact;    // every access draws as far as in ALE, because the frame is cut off
  u8 buffer;     // index of the current element of Console::pixels
  i32 last_lines;

  u8 swcha, swchb;
  bool fire[2];
  i32 paddle_cycles[4];  // charging time of the capacitors, kOpen or kCharged
};

// The state of mt19937, advanced one word at a time. It is ALE's generator for power-on RAM and timer values.
struct SystemRng {
  u32 word[624];
  u32 next;
};

struct Console : Core {
  Core saved[3];     // state before each of the last three frames, see redraw()
  u32 frames;        // since the system reset; saved[n % 3] is the state before frame n
  u32 undrawn;       // 2: the last frame was not drawn; 1: the one before it was not; 0: both were
  u32 forced_draws;  // the number of full frames that are still to be drawn even if the caller does not ask for it
  SystemRng rng;
  u64 pixels[2][kWidth / 8 * kMaxHeight];  // palette indices, 8 pixels per word
};

}  // namespace envpool::atari
