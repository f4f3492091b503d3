// SPDX-License-Identifier: Apache-2.0
//
// The complete state of an Atari 2600: trivially copyable data without pointers, so that it can be copied, stored and
// moved to a device. Times are in CPU cycles or in colour clocks (3 per cycle), counted from the last rebase. At the
// start of every frame, a rebase subtracts the elapsed time from all of them.
#pragma once

#include "envpool/core/types.h"

namespace envpool::atari {

constexpr i32 kWidth = 160;
constexpr i32 kMaxHeight = 256;
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

// Everything that determines the pixels of a line at one moment. All fields are bytes, so that an Event can name one.
constexpr u8 kReflected = 8;
constexpr u8 kSuppressed = 0x80;  // after a write to RESP, the first copy of the player is hidden on this line
constexpr u8 kMirrored = 1;       // the right half of the playfield mirrors the left half
constexpr u8 kScore = 2;          // the playfield has the players' colours
constexpr u8 kPriority = 4;       // playfield and ball are in front
constexpr u8 kWidened = 0x40, kInvisible = 0x80;  // shapes of missile 0
constexpr u8 kBlack = 0x80;                       // the line is blanked by VBLANK
struct Look {
  u8 graphics[2];   // of the players, with VDELP applied; a player without graphics is invisible
  u8 pos[5];        // positions of the moving objects
  u8 size[2];       // NUSIZ & $37, kReflected, kSuppressed
  u8 control;       // CTRLPF & $36, which contains kScore and kPriority; kMirrored; kWidened or kInvisible
  u8 playfield[3];  // PF0 & $F0, PF1, PF2
  u8 shown;         // the set of the missiles and the ball that are enabled, and kBlack
  u8 colour[4];     // COLUP0, COLUP1, COLUPF, COLUBK
  u8 blank_left;    // pixels blank_left..7 of this line are blanked
};

// The indices of these bytes.
constexpr u32 kGraphicsAt = 0, kPosAt = 2, kSizeAt = 7, kControlAt = 9, kPlayfieldAt = 10, kShownAt = 13;
constexpr u32 kColourAt = 14, kBlankLeftAt = 18;
#if ENVPOOL_HOST  // NVRTC has no offsetof
static_assert(kGraphicsAt == __builtin_offsetof(Look, graphics) && kPosAt == __builtin_offsetof(Look, pos));
static_assert(kSizeAt == __builtin_offsetof(Look, size) && kControlAt == __builtin_offsetof(Look, control));
static_assert(kPlayfieldAt == __builtin_offsetof(Look, playfield) && kShownAt == __builtin_offsetof(Look, shown));
static_assert(kColourAt == __builtin_offsetof(Look, colour) && kBlankLeftAt == __builtin_offsetof(Look, blank_left));
#endif

constexpr u32 kAllObjects = (1u << kObjects) - 1;
constexpr u32 kWithScore = 1u << kObjects;  // in a set of objects: the playfield may have the players' colours

// A change of the Look within the visible part of a line.
struct Event {
  u8 x;       // the first pixel with the new value
  u8 field;   // the index of a byte of the Look
  u8 before;  // its old value
};

// A line: its Look at the end and its events, which determine its pixels and collisions.
struct alignas(8) Line {
  Look look;
  u8 events;        // their number; a line has time for at most 26 writes with 8 changes each
  u16 first_event;  // their place in ScreenMemory::event; not used in the current line
  u16 collisions;   // like Tia::collisions; not used in the current line
};
static_assert(sizeof(Line) == 24);

// The lines from which the screens were painted. It saves work, but has no effect on the screens. If it is zero,
// nothing is known.
constexpr u32 kEvents = 1800;
constexpr u32 kKeptEvents = kEvents - 260;  // a line has at most 255; equal_events() reads up to 7 bytes behind them
struct ScreenMemory {
  Line painted[2][kMaxHeight];
  u8 contents[2][kMaxHeight];  // of these lines (tia_rows.h); 0: the row does not show its line
  u8 dirty[kMaxHeight];        // for each row, the set of screens whose row may have changed since AtariEnv resized it
  u8 resized;                  // the screens from which AtariEnv resized its newest image; 0: it has no image of them
  u32 kept_events;             // the number of events of these lines
  Event event[kEvents];        // of these lines, and then of the current line
};

// The video chip. Pixels and collisions are computed lazily, see tia_beam.h.
struct Tia {
  Line line;  // the current one, so far; its events are the last in ScreenMemory::event

  i32 frame_start;   // cycle at which line 0 began
  i32 limit_cycle;   // a TIA write from this cycle on ends the frame
  i32 vsync_end;     // earliest cycle at which ending VSYNC ends the frame
  i32 hmove_at;      // cycle of the last HMOVE
  i32 dump_at;       // cycle at which the paddle capacitors were released
  i32 window_start;  // clocks of the visible window
  i32 window_end;
  i32 drawn;       // clock that the beam has reached, within the window; kPastWindow after it
  i32 line_start;  // clock at which the current line began, or kPastWindow
  i32 idle_until;  // the beam reaches clocks up to this one without any work; follows from the other fields
  i32 row;         // row of the current line on the screen; its height after the window

  u16 collisions;  // bit 2 r + 1 is bit 7 of collision register r, and bit 2 r is its bit 6
  u8 finished;     // the pixels of this line before this one are on the screen
  u8 collided;     // the collisions of this line before this pixel are in `collisions`
  u8 seen;         // the objects that were visible before an event of this line, and kWithScore

  u8 reg[64];        // last value written to each register
  u8 hm[5];          // motion nibble of the moving objects
  u8 grp_new[2];     // player graphics as written
  u8 grp_old[2];     // player graphics as delayed by VDELP
  bool ball_old;     // ENABL as delayed by VDELBL
  bool hmove_blank;  // HMOVE has yet to blank 8 pixels at the left edge
  bool cosmic;       // "Cosmic Ark" star field: missile 0 moves on every line
  u8 cosmic_step;
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
  u8 buffer;     // the screen that shows the current frame, 0 or 1
  i32 last_lines;
  u32 screen_words;  // the size of a screen; follows from the height

  u8 swcha, swchb;
  bool fire[2];
  i32 paddle_cycles[4];  // charging time of the capacitors, kOpen or kCharged
};

// The state of mt19937, advanced one word at a time. It is ALE's generator for power-on RAM and timer values.
struct SystemRng {
  u32 word[624];
  u32 next;
};

// Two screens follow in memory, because the height of a screen depends on the game. Frames are drawn to one and the
// other in turn. A screen is an array of palette indices, 8 pixels per word. A console is therefore the last member of
// whatever contains it.
struct alignas(16) Console : Core {
  Core saved[3];     // state before each of the last three frames, see redraw()
  u32 frames;        // since the system reset; saved[n % 3] is the state before frame n
  u32 undrawn;       // 2: the last frame was not drawn; 1: the one before it was not; 0: both were
  u32 forced_draws;  // the number of full frames that are still to be drawn even if the caller does not ask for it
  SystemRng rng;
  ScreenMemory memory;
};

constexpr u32 kScreens = 2;
constexpr i32 kWordsPerRow = kWidth / 8;

// Return the words of a screen.
ENVPOOL_FN u64* screen_of(Console& c, u32 screen) { return reinterpret_cast<u64*>(&c + 1) + screen * c.screen_words; }
ENVPOOL_FN const u64* screen_of(const Console& c, u32 screen) {
  return reinterpret_cast<const u64*>(&c + 1) + screen * c.screen_words;
}

// Returns the size of both screens.
ENVPOOL_FN constexpr i64 screen_bytes(i32 height) { return i64{kScreens} * height * kWidth; }

// A console, or something that ends with one, and memory for screens of any height.
template <class T>
struct WithScreens : T {
  u64 screens[kScreens * kMaxHeight * kWordsPerRow];
};
static_assert(sizeof(WithScreens<Console>) == sizeof(Console) + screen_bytes(kMaxHeight));

}  // namespace envpool::atari
