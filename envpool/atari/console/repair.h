// SPDX-License-Identifier: Apache-2.0
//
// Makes consoles of arbitrary bytes safe, because users may pass in any state (core/env.h). repair() limits every value
// that is an index, a count, a time or a flag to the range that the console itself maintains. No instruction that
// starts from a repaired console then accesses memory outside the console. Values that are masked or compared wherever
// they are used (registers, memory, pixels, latches) are left unchanged.
#pragma once

#include "envpool/atari/console/cartridge.h"
#include "envpool/atari/console/tia.h"
#include "envpool/core/math/repair.h"

namespace envpool::atari {

// The clock stays below twice this limit plus one frame, see limit_clock().
constexpr i32 kClockLimit = kCyclesPerLine << 20;
constexpr u8 kMaxTimerShift = 10;  // log2 of the timer's largest prescaler

ENVPOOL_FN void repair(Cpu& cpu) {
  cpu.carry &= 1;
  cpu.overflow &= 1;
  cpu.decimal &= 1;
  cpu.interrupt &= 1;
  keep_bool(cpu.jammed);
}

ENVPOOL_FN void repair(Riot& riot) {
  keep_within(riot.shift, u8{0}, kMaxTimerShift);
  keep_bool(riot.latched);
}

// Keeps the current line within the visible window, whose position follows from the start of the frame.
ENVPOOL_FN void repair(Tia& t, const Rom& rom) {
  keep_within(t.frame_start, 1 - kCyclesPerLine, 0);
  open_window(t, rom);
  keep_within(t.row, 0, rom.height);
  if (t.row == rom.height) {
    t.line_start = t.drawn = kPastWindow;
  } else {
    t.line_start = t.window_start + kClocksPerLine * t.row;
    keep_within(t.drawn, t.line_start, t.line_start + kClocksPerLine);
  }
  keep_within(t.finished, u8{0}, u8{kWidth});
  keep_within(t.collided, u8{0}, u8{kWidth});
  t.line.events = t.seen = 0;  // they end with the frame
  for (u8& motion : t.hm) motion &= 15;
  keep_bool(t.ball_old);
  keep_bool(t.hmove_blank);
  set_idle(t);
  keep_bool(t.cosmic);
  keep_bool(t.dumping);
}

// Segments map pages of the cartridge. All mappers except E0 switch the segments together.
ENVPOOL_FN void repair(Cartridge& cart, const Rom& rom) {
  if (rom.mapper == kE0) {
    for (u32 i = 0; i < 3; ++i) map_page(cart, rom, i, 1, cart.data_at[i] / 1024 & 7);
    map_page(cart, rom, 3, 1, 7);
  } else {
    const u32 banks = rom.mapper == kDPC ? 2 : rom.data_size / 4096;  // a power of two
    select_bank(cart, rom, cart.data_at[0] / 4096 & (banks - 1));
  }
}

ENVPOOL_FN void repair(Dpc& d) {
  keep_within(d.fraction, -1.0, 1.0);
  for (u16& counter : d.counter) counter &= 0x7FF;
  for (bool& music : d.music) keep_bool(music);
}

ENVPOOL_DEVICE_CALL void repair(Core& c, const Rom& rom) {
  repair(c.cpu);
  repair(c.riot);
  repair(c.tia, rom);
  repair(c.cart, rom);
  if (rom.mapper == kDPC) repair(c.dpc);
  keep_within(c.cycles, 0, 3 * kClockLimit);
  c.buffer &= 1;
  c.screen_words = screen_words(rom);
  keep_bool(c.wrote);
  keep_bool(c.stop);
  keep_bool(c.unfinished);
  keep_bool(c.greyed);
  keep_bool(c.drawing);
  keep_bool(c.exact);
  keep_bool(c.fire[0]);
  keep_bool(c.fire[1]);
}

// The states in Console::saved are repaired when they are restored, see rerun_frame().
ENVPOOL_FN void repair(Console& c, const Rom& rom) {
  repair(static_cast<Core&>(c), rom);
  keep_within(c.rng.next, 0u, 623u);
  keep_within(c.memory.kept_events, 0u, kKeptEvents);
  for (auto& screen : c.memory.contents) {
    for (u8& contents : screen) keep_within(contents, u8{0}, u8{kBlackLine});
  }
}

}  // namespace envpool::atari
