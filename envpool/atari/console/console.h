// SPDX-License-Identifier: Apache-2.0
//
// Emulates the console: power-on, system reset and video frames, bit for bit as ale-py 0.12.1 does.
//
//   Console console;
//   power_on(console, rom);
//   run_frame(console, rom, inputs, /*draw=*/true);
//   screen(console);                        // rom.height rows of 160 palette indices (palette.h)
//
// RAM is exact after every frame. The screen is exact after a frame that was run with draw = true, regardless of the
// draw flags of earlier frames.
#pragma once

#include "envpool/atari/console/cpu_fast.h"
#include "envpool/atari/console/native.h"
#include "envpool/atari/console/repair.h"
#include "envpool/atari/console/system_rng.h"

namespace envpool::atari {

constexpr i32 kMaxInstructions = 25000;  // ALE's limit for one update of the console
// An update of at most this many cycles stays below that limit, because an instruction takes at least two cycles.
constexpr i32 kUncountedCycles = 2 * kMaxInstructions - 10;
constexpr u32 kForcedDraws = 60;  // see redraw()

// Moves a time stamp back. As in ALE, it may wrap around, for example in a game that never uses the timer.
ENVPOOL_FN void rebase(i32& stamp, i32 elapsed) {
  stamp = static_cast<i32>(static_cast<u32>(stamp) - static_cast<u32>(elapsed));
}

ENVPOOL_FN void rebase_stamps(Core& c, i32 elapsed) {
  c.cycles -= elapsed;
  rebase(c.riot.set_at, elapsed);
  rebase(c.riot.latched_at, elapsed);
  rebase(c.dpc.stamp, elapsed);
  rebase(c.tia.dump_at, elapsed);
  rebase(c.tia.vsync_end, elapsed);
  rebase(c.tia.hmove_at, elapsed);
}

// Sets the clock back by whole lines before it can overflow. The clock gets that far only after a few thousand updates
// of a frame that never ends. By then the beam is far beyond the last line, where only the position within a line
// matters.
ENVPOOL_FN void limit_clock(Core& c) {
  if (c.cycles > 2 * kClockLimit) rebase_stamps(c, kClockLimit);
}

ENVPOOL_FN void start_frame(Console& c, const Rom& rom) {
  Tia& t = c.tia;
  c.buffer ^= 1;
  const i32 elapsed = c.cycles;
  rebase_stamps(c, elapsed);
  t.frame_start = -static_cast<i32>(static_cast<u32>(elapsed - t.frame_start) % kCyclesPerLine);
  open_window(t, rom);
  start_screen(t);
  c.greyed = false;
  if (rom.pal) {  // colour loss: a PAL frame after one with an odd number of lines is grey
    for (u8& colour : t.line.look.colour) colour = static_cast<u8>((colour & 0xFE) | (c.last_lines & 1));
  }
}

// Converts to greyscale the rows that an unfinished frame has not drawn.
ENVPOOL_FN void grey_out_rest(Console& c, const Rom& rom, i32 line) {
  if (c.greyed) return;
  c.greyed = true;
  for (i32 row = line > rom.y_start ? line - rom.y_start : 0; row < rom.height; ++row) {
    u64* const pixels = row_of(c, c.buffer, row);
    for (i32 g = 0; g < kWordsPerRow; ++g) pixels[g] = pixels[g] >> 1 & 0x0707070707070707ull;
    forget_row(c, row);
  }
}

ENVPOOL_FN void end_frame(Console& c, const Rom& rom) {
  end_screen(c, rom);
  const i32 line = static_cast<i32>(static_cast<u32>(c.cycles - c.tia.frame_start) / kCyclesPerLine);
  if (c.unfinished) {
    grey_out_rest(c, rom, line);
  } else {
    c.last_lines = line;
    c.greyed = false;
  }
}

// Runs the exact CPU to the end of the frame or to the instruction limit.
ENVPOOL_FN void run_counted(Console& c, const Rom& rom) {
  c.exact = true;
  for (i32 n = 0; n < kMaxInstructions && !c.stop && !c.cpu.jammed; ++n) step_exact(c, rom);
}

ENVPOOL_FN bool run_uncounted(Console& c, const Rom& rom, [[maybe_unused]] const void* native, i32 cycle_limit) {
#if ENVPOOL_HOST
  if (native != nullptr) return run_native(c, rom, native, cycle_limit);
#endif
  return run_fast(c, rom, cycle_limit);
}

// Runs one update of the console. `saved` must equal the current state. If the update has to be repeated, it starts
// again from `saved`.
ENVPOOL_DEVICE_CALL void emulate(Console& c, const Rom& rom, const void* native, const Core& saved, bool drawing) {
  const auto begin = [&] {
    if (c.unfinished) {
      limit_clock(c);
    } else {
      start_frame(c, rom);
    }
    c.unfinished = true;
    c.stop = false;
    c.drawing = drawing;
    c.exact = false;
  };
  begin();
  // If the cycle limit or a jammed CPU ended the update early, or if the screen depends on accesses to the TIA that the
  // other CPUs do not draw, the exact CPU repeats the update.
  const bool complete = c.cpu.jammed || (run_uncounted(c, rom, native, c.cycles + kUncountedCycles) && !c.cpu.jammed);
  if (!complete || (drawing && is_cut_off_after_hmove(c.tia, rom))) {
    static_cast<Core&>(c) = saved;
    begin();
    run_counted(c, rom);
  }
  end_frame(c, rom);
}

// Runs frame n again from its saved state, and draws it.
ENVPOOL_FN void rerun_frame(Console& c, const Rom& rom, const void* native, u32 n) {
  Core& saved = c.saved[n % 3];
  repair(saved, rom);  // the saved state may come from a snapshot that the user supplied
  static_cast<Core&>(c) = saved;
  emulate(c, rom, native, saved, /*drawing=*/true);
}

// Runs the last three frames again and draws them. This is necessary if the last frame is short and one of the three
// was not drawn, because the rows that a short frame does not reach keep the pixels of two frames earlier. Every frame
// that was not drawn is a full one, because a short one would have caused a redraw. Drawing such a frame now therefore
// covers every row. After a short frame, run_frame() draws every frame until kForcedDraws full frames have followed.
ENVPOOL_FN void redraw(Console& c, const Rom& rom, const void* native) {
  const u32 end = c.frames;
  for (u32 n = end > 3 ? end - 3 : 0; n < end; ++n) rerun_frame(c, rom, native, n);
  c.undrawn = 0;
}

// Runs one update of the console, normally one video frame. `native` is the result of compile_rom(); if it is null, the
// ROM is interpreted.
ENVPOOL_DEVICE_CALL void run_frame(Console& c, const Rom& rom, const Inputs& inputs, bool draw,
                                   const void* native = nullptr) {
  set_inputs(c, inputs);
  Core& saved = c.saved[c.frames % 3];
  saved = c;
  const bool drawing = draw || c.forced_draws != 0;
  emulate(c, rom, native, saved, drawing);
  ++c.frames;
  const bool any_undrawn = !drawing || c.undrawn != 0;
  if (c.unfinished || c.tia.drawn < c.tia.window_end) {
    if (any_undrawn) redraw(c, rom, native);
    c.forced_draws = kForcedDraws;
    return;
  }
  if (c.forced_draws != 0) --c.forced_draws;
  // c.undrawn becomes 0 only two drawn frames after an undrawn one, because a redraw also needs the frame before last.
  c.undrawn = !drawing ? 2 : c.undrawn != 0 ? c.undrawn - 1 : 0;
}

// Draws the last frame if it was run without drawing.
ENVPOOL_FN void draw_last_frame(Console& c, const Rom& rom, const void* native = nullptr) {
  if (c.undrawn < 2) return;
  rerun_frame(c, rom, native, c.frames - 1);
  c.undrawn = 1;
}

ENVPOOL_FN void system_reset(Console& c, const Rom& rom) {
  rebase(c.dpc.stamp, c.cycles);
  c.cycles = 0;
  c.riot = Riot{};
  c.riot.timer = static_cast<u8>(25 + next_word(c.rng) % 75);
  c.riot.shift = 6;
  reset_tia(c, rom);
  reset_cartridge(c, rom);
  if (rom.superchip) {
    for (u32 i = 0; i < 128; ++i) c.cart_ram[i] = static_cast<u8>(next_word(c.rng));
  }
  c.cpu = Cpu{};
  c.cpu.sp = 0xFF;
  c.cpu.nz = 1;
  c.cpu.pc = read_word(c, rom, 0xFFFC, 0xFFFD);
  c.frames = c.undrawn = c.forced_draws = 0;
}

// Sets the state that ALE's console has after its construction: RAM is random, and no instruction has been executed.
// The ROM builder continues from this state.
ENVPOOL_FN void construct(Console& c) {
  c = Console{};
  seed_rng(c.rng, kSystemSeed);
  for (u32 i = 0; i < 128; ++i) c.ram[i] = static_cast<u8>(next_word(c.rng));
  next_word(c.rng);  // ALE draws a random timer value here, which has no visible effect
  c.dpc.random = 1;
}

// Sets the state that the console has in ALE's loadROM just before the environment is reset: ALE has detected the TV
// standard and then reset the console.
ENVPOOL_FN void power_on(Console& c, const Rom& rom) {
  c = Console{};
  static_cast<Core&>(c) = rom.boot;
  c.rng = rom.boot_rng;
  clear_screens(c);
}

// Return the pixels of the last frame and of the frame before it. They are exact if the call of run_frame() had
// draw = true. An update that continues an unfinished frame draws into the same buffer.
ENVPOOL_FN const u8* screen(const Console& c) { return reinterpret_cast<const u8*>(screen_of(c, c.buffer)); }
ENVPOOL_FN const u8* previous_screen(const Console& c) {
  return reinterpret_cast<const u8*>(screen_of(c, c.buffer ^ 1));
}

}  // namespace envpool::atari
