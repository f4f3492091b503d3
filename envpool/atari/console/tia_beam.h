// SPDX-License-Identifier: Apache-2.0
//
// Draws lazily, one line at a time. flush(clock) only records how far the beam has come. A change of the Look is noted
// as an event if the beam is in the visible part of the line (tia_line.h). When the beam leaves the line, its pixels
// and collisions are computed, or found to be those of its row in an earlier frame (tia_rows.h). A read of the
// collisions within a line computes them up to the beam.
#pragma once

#include "envpool/atari/console/tia_rows.h"

namespace envpool::atari {

constexpr i32 kEdgeClocks = kBlankClocks + kNoBlank;
constexpr i32 kPastWindow = 0x7FFFFFFF - kClocksPerLine;  // later than any clock

// Sets the last clock that the beam reaches without work: the end of the line, unless HMOVE has yet to blank pixels.
ENVPOOL_FN void set_idle(Tia& t) { t.idle_until = t.hmove_blank ? t.drawn : t.line_start + kClocksPerLine - 1; }

ENVPOOL_FN void start_line(Tia& t, i32 clock, i32 row) {
  t.line_start = t.drawn = clock;
  t.row = row;
  set_idle(t);
  t.line.events = t.seen = t.finished = t.collided = 0;
  t.line.look.blank_left = kNoBlank;
}

ENVPOOL_FN void start_screen(Tia& t) { start_line(t, t.window_start, 0); }

// Completes the screen at the end of a frame, which may be in the middle of a line.
ENVPOOL_FN void end_screen(Console& c, const Rom& rom) {
  const i32 x = beam_x(c.tia);
  if (c.tia.row < rom.height) finish_row(c, x > 0 ? x : 0);
}

// Advances the "Cosmic Ark" effect: an interrupted HMOVE keeps moving missile 0 on every line.
ENVPOOL_FN void step_cosmic(Tia& t) {
  static constexpr u8 kMotion[4] = {18, 33, 0, 17};
  t.cosmic_step = (t.cosmic_step + 1) & 3;
  Look& look = t.line.look;
  const i32 position = look.pos[kMissile0] - kMotion[t.cosmic_step];
  look.pos[kMissile0] = static_cast<u8>(position < 0 ? position + 160 : position);
  look.control &= ~(kWidened | kInvisible);
  look.control |= t.cosmic_step == 1 ? kWidened : t.cosmic_step == 2 ? kInvisible : 0;
}

// Moves the beam to the beginning of the next line, which is within the window.
ENVPOOL_ALWAYS_INLINE void start_next_line(Tia& t) {
  start_line(t, t.line_start + kClocksPerLine, t.row + 1);
  Look& look = t.line.look;
  look.control = static_cast<u8>((look.control & ~kMirrored) | (t.reg[kCtrlpf] & kMirrored));
  for (u8& size : look.size) size &= ~kSuppressed;
}

// Completes the current line, and moves the beam to the beginning of the next one or out of the window.
ENVPOOL_FN void next_line(Console& c, const Rom& rom) {
  Tia& t = c.tia;
  finish_row(c, kWidth);
  if (t.row + 1 == rom.height) return start_line(t, kPastWindow, t.row + 1);
  start_next_line(t);
  if (t.cosmic) step_cosmic(t);
}

// HMOVE blanks the first 8 pixels of the line or, in the last cycle of a line, the first 8 pixels of the next line.
// If the beam is still in horizontal blank, more than 8 pixels are set to 0. The end of the line draws over the
// surplus. It therefore remains only if the frame is cut off before the end of the line, in which case emulate() runs
// the frame on the exact CPU.
ENVPOOL_FN void blank_left_edge(Console& c, i32 to) {
  Tia& t = c.tia;
  const i32 from = t.drawn - t.line_start;
  if (from >= kEdgeClocks) return;
  const i32 start = from >= kBlankClocks ? from : to < kBlankClocks ? to : kBlankClocks;
  const i32 x = start < kBlankClocks ? 0 : start - kBlankClocks;
  if (c.exact && c.drawing) {
    fill_row(current_row(c), x, x + kEdgeClocks - start, 0);
    forget_row(c, t.row);
  }
  u8& blank_left = t.line.look.blank_left;
  if (to > start && x < blank_left) blank_left = static_cast<u8>(x);
  if (to >= kEdgeClocks) t.hmove_blank = false;
}

// Returns whether the frame was cut off on a line whose left edge HMOVE blanks, so early that black pixels may be left
// to the right of the beam. Their number depends on every access to the TIA on this line, also on those that change
// nothing.
ENVPOOL_FN bool is_cut_off_after_hmove(const Tia& t, const Rom& rom) {
  return t.row < rom.height && (t.hmove_blank || t.line.look.blank_left < kNoBlank) && beam_x(t) < kEdgeClocks;
}

// Returns how many of the next `count` lines take no work. They equal the current line, which has just begun.
ENVPOOL_FN i32 count_simple_lines(Console& c, i32 count) {
  Tia& t = c.tia;
  if (!c.drawing) return count;  // they have no other collisions than the line before them
  const LineMask& mask = kRelevance.pixels[contents_of_line(c)];
  i32 n = 0;
  while (n < count && is_painted(c, c.buffer, t.row + n, mask)) {
    t.collisions |= c.memory.painted[c.buffer][t.row + n].collisions;
    ++n;
  }
  return n;
}

// Advances the beam as flush() says.
ENVPOOL_NOINLINE void draw_lines(Console& c, const Rom& rom, i32 clock) {
  Tia& t = c.tia;
  // At the end of a line, the beam is still on this line.
  for (i32 line = 0; clock > t.line_start + kClocksPerLine; ++line) {
    if (t.hmove_blank) blank_left_edge(c, kClocksPerLine);
    next_line(c, rom);
    if (t.row == rom.height) return;
    if (clock <= t.line_start + kClocksPerLine || t.cosmic || t.hmove_blank || (!c.drawing && line == 0)) continue;
    const i32 more = (clock - t.line_start - 1) / kClocksPerLine, left = rom.height - 1 - t.row;
    const i32 skipped = count_simple_lines(c, more < left ? more : left);
    t.row += skipped;
    t.drawn = t.line_start += skipped * kClocksPerLine;
  }
  if (t.hmove_blank) blank_left_edge(c, clock - t.line_start);
  t.drawn = clock;
  set_idle(t);
}

// Advances the beam as flush() says. The usual case comes first: the beam has reached the next line.
ENVPOOL_NOINLINE void draw_until(Console& c, const Rom& rom, i32 clock) {
  Tia& t = c.tia;
  const i32 clocks = clock - t.line_start;
  const bool usual =
      clocks > kClocksPerLine && clocks <= 2 * kClocksPerLine && t.row + 1 < rom.height && !t.hmove_blank && !t.cosmic;
  if (!usual) return draw_lines(c, rom, clock);
  if (!finish_simple_row(c)) finish_other_row(c);
  start_next_line(t);
  t.drawn = clock;
}

// Returns whether flush() has to do more than note the clock.
ENVPOOL_ALWAYS_INLINE bool takes_work(const Tia& t, i32 clock) { return clock > t.idle_until; }

// Advances the beam to the given clock with the current state.
ENVPOOL_ALWAYS_INLINE void flush(Console& c, const Rom& rom, i32 clock) {
  Tia& t = c.tia;
  if (takes_work(t, clock)) return draw_until(c, rom, clock);
  if (clock > t.drawn) t.drawn = clock;  // the rest is done at the end of the line
}

}  // namespace envpool::atari
