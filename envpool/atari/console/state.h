// SPDX-License-Identifier: Apache-2.0
//
// The whole state of one Atari 2600: plain trivially copyable data, no pointers, so it can be copied, stored and moved
// to another device. Times are counted in CPU cycles or in colour clocks (3 per cycle) since the last rebase, which
// happens at the start of every frame.
#pragma once

#include "envpool/core/types.h"

namespace envpool::atari {

constexpr i32 kWidth = 160;
constexpr i32 kMaxHeight = 250;
constexpr i32 kClocksPerLine = 228;
constexpr i32 kCyclesPerLine = 76;
constexpr i32 kBlankClocks = 68;  // horizontal blank: the part of a line before pixel 0
constexpr i32 kNever = 0x7FFFFFFF / 3 + 1;

constexpr i32 kOpen = -1;     // paddle resistance of an empty jack; also: its capacitor never charges
constexpr i32 kCharged = -2;  // paddle_cycles of a capacitor that is always charged (0 ohms)

// Levels of the console's inputs, constant during one frame.
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

// Timer and ports (6532).
struct Riot {
  i32 set_at;      // cycle of the last timer write
  i32 latched_at;  // cycle of the first INTIM read after expiry
  u8 timer, shift, ddra;
  bool latched;
};

// Objects in the order of the TIA's registers (RESP0.., HMP0..); also bit numbers of object sets in Tia.
enum Object : u8 { kPlayer0, kPlayer1, kMissile0, kMissile1, kBall, kPlayfield, kObjects };

// Picture chip. Pixels and collisions are made lazily, see tia_beam.h.
struct Tia {
  u64 mask[kObjects][3];  // pixels of a line that each object covers as it is now; bit i of word w is pixel 64 w + i
  u64 line[kObjects][3];  // pixels that it covered in this segment before it changed

  i32 frame_start;   // cycle at which line 0 began
  i32 limit_cycle;   // a TIA write from this cycle on ends the frame
  i32 vsync_end;     // earliest cycle at which ending VSYNC ends the frame
  i32 hmove_at;      // cycle of the last HMOVE
  i32 dump_at;       // cycle at which the paddle capacitors were released
  i32 window_start;  // clocks of the visible window
  i32 window_end;
  i32 drawn;       // clock up to which the window has been produced
  i32 line_start;  // clock at which the line being produced began
  i32 row;         // and its row in the picture
  i32 segment;     // pixel of this line up to which collisions and picture are done

  u16 collisions;         // bits 2 r + 1 and 2 r are bits 7 and 6 of collision register r
  u8 enabled;             // objects that are switched on and not empty
  u8 stale;               // objects whose mask is out of date
  u8 changed_in_segment;  // objects that changed within this segment: `line` holds their pixels up to `line_end`
  u8 changed;             // objects that may differ from the line before, and kColours
  u8 changed_midline;     // those of them that changed within this line
  u8 blank_left;          // pixels blank_left..7 of this line are blanked
  u8 blank_left_last;     // and of the line before
  u8 line_end[kObjects];

  u8 reg[64];          // last value written to each register
  u8 colour[4];        // COLUP0, COLUP1, COLUPF, COLUBK
  u8 pos[5], hm[5];    // position and motion nibble of the moving objects
  u8 grp_new[2];       // player graphics as written
  u8 grp_old[2];       // and as delayed by VDELP
  bool ball_old;       // ENABL as delayed by VDELBL
  bool suppressed[2];  // first copy of a player hidden after RESP
  bool mirror;         // playfield mirrored
  bool hmove_blank;    // the next 8 leftmost pixels are blanked
  bool cosmic;         // "Cosmic Ark" star field: missile 0 moves on every line
  u8 cosmic_step;
  u8 missile0_shape;  // 0 normal, 1 widened, 2 invisible
  bool dumping;
};

// What the CPU sees at $1000-$1FFF, in four segments of 1 KB.
struct Cartridge {
  u32 code_at[4];  // index into Rom::code
  u32 data_at[4];  // index into Rom::data
};

// Extra chip of Pitfall II: data fetchers, random numbers and music.
struct Dpc {
  f64 fraction;
  i32 stamp;
  u16 counter[8];
  u8 top[8], bottom[8], flag[8];
  bool music[8];
  u8 random;
};

// Everything that running one frame changes, apart from the pixels.
struct Core {
  Cpu cpu;
  Riot riot;
  Tia tia;
  Cartridge cart;
  Dpc dpc;
  u8 ram[128];
  u8 cart_ram[128];  // superchip
  i32 cycles;
  u8 bus;           // last byte transferred; unused bits of a TIA read show it
  bool wrote;       // the last bus access was a write
  bool stop;        // the frame ends after this instruction
  bool unfinished;  // the last frame hit the instruction limit; the next update continues it
  bool greyed;
  bool drawing;  // pixels are wanted
  bool exact;    // every access draws as far as ALE does, for a frame that breaks off
  u8 buffer;     // picture being drawn
  i32 last_lines;

  u8 swcha, swchb;
  bool fire[2];
  i32 paddle_cycles[4];  // charging time of the capacitors, kOpen or kCharged
};

// mt19937, advanced one word at a time. ALE's generator for power-on RAM and timer values.
struct SystemRng {
  u32 word[624];
  u32 next;
};

struct Console : Core {
  Core saved[3];     // state before each of the last three frames, see redraw()
  u32 frames;        // since the system reset; frame n is in slot n mod 3
  u32 undrawn;       // 2 after a frame without picture, 1 after the next: one of the last two is missing
  u32 forced_draws;  // frames to come that are drawn in any case
  SystemRng rng;
  u64 pixels[2][kWidth / 8 * kMaxHeight];  // palette indices, 8 pixels a word
};

}  // namespace envpool::atari
