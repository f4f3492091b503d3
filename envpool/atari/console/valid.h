// SPDX-License-Identifier: Apache-2.0
//
// States come back from users: as snapshots, and from JAX at every step. They may hold any bytes. make_valid() moves
// every value that the console uses as an index, a count, a time or a flag into the range that the console itself keeps
// it in, and from there no instruction leads outside of the state. A state that the console made stays as it is, bit
// for bit. Values that are masked or compared wherever they are used (registers, memory, pixels, latches) are not
// touched.
#pragma once

#include "envpool/atari/console/cartridge.h"
#include "envpool/atari/console/tia.h"

namespace envpool::atari {

// The clock stays below twice this and one frame, see keep_clock_small().
constexpr i32 kManyLines = kCyclesPerLine << 20;
constexpr u32 kMostShift = 10;  // of the timer's prescaler

ENVPOOL_FN i32 limited(i32 value, i32 low, i32 high) { return value < low ? low : value > high ? high : value; }

// A bool of any byte is not a bool that C++ may read.
ENVPOOL_FN bool is_set(const bool& flag) { return reinterpret_cast<const u8&>(flag) != 0; }
ENVPOOL_FN void make_valid(bool& flag) { flag = is_set(flag); }

ENVPOOL_FN void make_valid(Cpu& cpu) {
  cpu.carry &= 1;
  cpu.overflow &= 1;
  cpu.decimal &= 1;
  cpu.interrupt &= 1;
  make_valid(cpu.jammed);
}

ENVPOOL_FN void make_valid(Riot& riot) {
  if (riot.shift > kMostShift) riot.shift = kMostShift;
  make_valid(riot.latched);
}

// The line that is being produced lies within the window, and the window follows from where the frame began.
ENVPOOL_FN void make_valid(Tia& t, const Rom& rom) {
  t.frame_start = limited(t.frame_start, 1 - kCyclesPerLine, 0);
  open_window(t, rom);
  t.row = limited(t.row, 0, rom.height - 1);
  t.line_start = t.window_start + kClocksPerLine * t.row;
  t.drawn = limited(t.drawn, t.line_start, t.line_start + kClocksPerLine);
  t.segment = limited(t.segment, 0, kWidth);
  t.enabled &= kAllObjects;
  t.stale &= kAllObjects;
  t.touched &= kAllObjects;
  t.fresh &= kAllObjects | kColours;
  t.midline &= kAllObjects | kColours;
  for (u8& motion : t.hm) motion &= 15;
  make_valid(t.ball_old);
  make_valid(t.suppressed[0]);
  make_valid(t.suppressed[1]);
  make_valid(t.mirror);
  make_valid(t.hmove_blank);
  make_valid(t.cosmic);
  make_valid(t.dumping);
}

// Segments show pages of the cartridge, and all but E0 switch them together.
ENVPOOL_FN void make_valid(Cartridge& cart, const Rom& rom) {
  if (rom.mapper == kE0) {
    for (u32 i = 0; i < 3; ++i) map_page(cart, rom, i, 1, cart.data_at[i] / 1024 & 7);
    map_page(cart, rom, 3, 1, 7);
  } else {
    const u32 banks = rom.mapper == kDPC ? 2 : rom.data_size / 4096;  // a power of two
    select_bank(cart, rom, cart.data_at[0] / 4096 & (banks - 1));
  }
}

ENVPOOL_FN void make_valid(Dpc& d) {
  if (!(d.fraction > -1 && d.fraction < 1)) d.fraction = 0;
  for (u16& counter : d.counter) counter &= 0x7FF;
  for (bool& music : d.music) make_valid(music);
}

ENVPOOL_DEVICE_CALL void make_valid(Core& c, const Rom& rom) {
  make_valid(c.cpu);
  make_valid(c.riot);
  make_valid(c.tia, rom);
  make_valid(c.cart, rom);
  if (rom.mapper == kDPC) make_valid(c.dpc);
  c.cycles = limited(c.cycles, 0, 3 * kManyLines);
  c.buffer &= 1;
  make_valid(c.wrote);
  make_valid(c.stop);
  make_valid(c.unfinished);
  make_valid(c.greyed);
  make_valid(c.drawing);
  make_valid(c.exact);
  make_valid(c.fire[0]);
  make_valid(c.fire[1]);
}

// The states that are kept in Console::saved are made valid where they are taken up again.
ENVPOOL_FN void make_valid(Console& c, const Rom& rom) {
  make_valid(static_cast<Core&>(c), rom);
  if (c.rng.next >= 624) c.rng.next = 0;
}

}  // namespace envpool::atari
