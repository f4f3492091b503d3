// SPDX-License-Identifier: Apache-2.0
//
// Lazy drawing. The TIA's state is constant between two writes, so pixels and collisions are made only when something
// is about to change or a collision register is read: flush(clock) catches up with the beam.
#pragma once

#include "envpool/atari/console/rom.h"
#include "envpool/atari/console/tia_objects.h"

namespace envpool::atari {

// Objects of the collision latch in bit n of Tia::collisions.
constexpr u8 kLatchObjects[16][2] = {
    {kMissile0, kPlayer0}, {kMissile0, kPlayer1},   {kMissile1, kPlayer1},  {kMissile1, kPlayer0},
    {kPlayer0, kBall},     {kPlayer0, kPlayfield},  {kPlayer1, kBall},      {kPlayer1, kPlayfield},
    {kMissile0, kBall},    {kMissile0, kPlayfield}, {kMissile1, kBall},     {kMissile1, kPlayfield},
    {kBall, kBall},        {kBall, kPlayfield},     {kMissile0, kMissile1}, {kPlayer0, kPlayer1}};

struct LatchTable {
  u16 of_enabled[64];
};

// Latches that can be set while a given set of objects is enabled.
constexpr LatchTable make_latch_table() {
  LatchTable table{};
  for (u32 enabled = 0; enabled < 64; ++enabled) {
    for (u32 n = 0; n < 16; ++n) {
      const u32 a = kLatchObjects[n][0], b = kLatchObjects[n][1];
      if (a != b && (enabled >> a & 1) && (enabled >> b & 1)) table.of_enabled[enabled] |= static_cast<u16>(1u << n);
    }
  }
  return table;
}
constexpr LatchTable kLatches = make_latch_table();

// Byte masks: bit i of the index becomes byte i.
struct ByteTable {
  u64 of[256];
};
constexpr ByteTable make_byte_table() {
  ByteTable table{};
  for (u32 v = 0; v < 256; ++v) {
    for (u32 i = 0; i < 8; ++i) {
      if (v >> i & 1) table.of[v] |= 0xFFull << 8 * i;
    }
  }
  return table;
}
constexpr ByteTable kBytes = make_byte_table();

ENVPOOL_FN u32 lowest_bit(u64 v) {
#ifdef __CUDA_ARCH__
  return static_cast<u32>(__ffsll(static_cast<long long>(v)) - 1);
#else
  return static_cast<u32>(__builtin_ctzll(v));
#endif
}

// Bits x0 <= x < x1 of a 160-pixel line.
struct SpanMask {
  u64 word[3];
};
ENVPOOL_FN u64 bits_below(i32 n) { return n <= 0 ? 0 : n >= 64 ? ~0ull : (1ull << n) - 1; }
ENVPOOL_FN SpanMask span_mask(i32 x0, i32 x1) {
  SpanMask span;
  for (i32 w = 0; w < 3; ++w) span.word[w] = bits_below(x1 - 64 * w) & ~bits_below(x0 - 64 * w);
  return span;
}

// Sets the latches of all pairs that overlap in the span.
ENVPOOL_FN void collide(Tia& t, const SpanMask& span) {
  u32 open = kLatches.of_enabled[t.enabled] & ~static_cast<u32>(t.collisions);
  u32 possible = 0;
  if (open != 0 && (t.stale & t.enabled) != 0) build_masks(t);
  for (; open != 0; open &= open - 1) {
    const u32 n = lowest_bit(open);
    const u64* a = t.mask[kLatchObjects[n][0]];
    const u64* b = t.mask[kLatchObjects[n][1]];
    const u64 o0 = a[0] & b[0], o1 = a[1] & b[1], o2 = a[2] & b[2];
    if ((o0 | o1 | o2) == 0) continue;
    if ((o0 & span.word[0]) | (o1 & span.word[1]) | (o2 & span.word[2])) {
      t.collisions |= static_cast<u16>(1u << n);
    } else {
      possible = 1;
    }
  }
  t.quiet = possible == 0;
}

// Fills pixels x0..x1-1 of a row with one colour.
ENVPOOL_FN void fill_row(u64* row, i32 x0, i32 x1, u8 colour) {
  const u64 value = colour * 0x0101010101010101ull;
  const i32 g0 = x0 >> 3, g1 = (x1 - 1) >> 3;
  const u64 first = ~0ull << 8 * (x0 & 7), last = ~0ull >> 8 * (7 - ((x1 - 1) & 7));
  if (g0 == g1) {
    row[g0] = (row[g0] & ~(first & last)) | (value & first & last);
    return;
  }
  row[g0] = (row[g0] & ~first) | (value & first);
  for (i32 g = g0 + 1; g < g1; ++g) row[g] = value;
  row[g1] = (row[g1] & ~last) | (value & last);
}

// Paints pixels x0..x1-1 with the present state, the three layers over the background.
ENVPOOL_FN void paint(Tia& t, u64* row, i32 x0, i32 x1, const SpanMask& span) {
  fill_row(row, x0, x1, t.colour[3]);
  if (t.enabled == 0) return;
  if (t.layers_stale) build_layers(t);
  u8 colours[3];
  layer_colours(t, colours);
  for (u32 k = 0; k < 3; ++k) {
    const u64 value = colours[k] * 0x0101010101010101ull;
    for (u32 w = 0; w < 3; ++w) {
      u64 bits = t.layer[k][w] & span.word[w];
      while (bits != 0) {
        const u32 shift = lowest_bit(bits) & 56;
        const u64 cells = kBytes.of[bits >> shift & 0xFF];
        u64& group = row[w * 8 + shift / 8];
        group = (group & ~cells) | (value & cells);
        bits &= ~(0xFFull << shift);
      }
    }
  }
}

ENVPOOL_FN u64* current_row(Console& c) { return c.pixels[c.buffer] + c.tia.row * (kWidth / 8); }

ENVPOOL_FN void draw_span(Console& c, const Rom& rom, i32 x0, i32 x1) {
  Tia& t = c.tia;
  const bool visible = c.drawing && t.row < rom.height;
  if (t.reg[kVblank] & 2) {
    if (visible) fill_row(current_row(c), x0, x1, 0);
    return;
  }
  if (t.quiet && !visible) return;
  const SpanMask span = span_mask(x0, x1);
  if (!t.quiet) collide(t, span);
  if (visible) paint(t, current_row(c), x0, x1, span);
}

ENVPOOL_FN void mark_changed(Tia& t, u32 object) {
  t.stale |= static_cast<u8>(1u << object);
  t.layers_stale = true;
  t.quiet = t.quiet && !(t.enabled >> object & 1);
}

// "Cosmic Ark" effect: an HMOVE cut short keeps moving missile 0 on every line.
ENVPOOL_FN void step_cosmic(Tia& t) {
  static constexpr u8 kMotion[4] = {18, 33, 0, 17};
  t.cosmic_step = (t.cosmic_step + 1) & 3;
  const i32 position = t.pos[kMissile0] - kMotion[t.cosmic_step];
  t.pos[kMissile0] = static_cast<u8>(position < 0 ? position + 160 : position);
  t.missile0_shape = t.cosmic_step == 1 ? 1 : t.cosmic_step == 2 ? 2 : 0;
  mark_changed(t, kMissile0);
}

// Work at the end of a line. Returns whether the next line can look different.
ENVPOOL_FN bool finish_line(Tia& t) {
  bool changed = false;
  t.line_start += kClocksPerLine;
  ++t.row;
  const bool mirror = t.reg[kCtrlpf] & 1;
  if (t.mirror != mirror) {
    t.mirror = mirror;
    mark_changed(t, kPlayfield);
    changed = true;
  }
  for (u32 i = 0; i < 2; ++i) {
    if (!t.suppressed[i]) continue;
    t.suppressed[i] = false;
    mark_changed(t, kPlayer0 + i);
    changed = true;
  }
  if (t.cosmic) {
    step_cosmic(t);
    changed = true;
  }
  return changed;
}

ENVPOOL_FN void blank_left_edge(Console& c, const Rom& rom, i32 from, i32 to) {
  const i32 edge = kBlankClocks + 8;
  const i32 x = from < kBlankClocks ? 0 : from - kBlankClocks;
  if (from < edge && c.drawing && c.tia.row < rom.height) fill_row(current_row(c), x, x + edge - from, 0);
  if (to >= edge) c.tia.hmove_blank = false;
}

// Repeats the line just finished for as long as nothing changes.
ENVPOOL_FN void repeat_line(Console& c, const Rom& rom, i32 clock) {
  Tia& t = c.tia;
  if (!c.drawing) {
    const i32 lines = (clock - t.line_start - 1) / kClocksPerLine;
    if (lines > 0) {
      t.line_start += lines * kClocksPerLine;
      t.row += lines;
    }
  }
  while (clock > t.line_start + kClocksPerLine) {
    if (c.drawing && t.row < rom.height && t.row > 0) {
      u64* row = current_row(c);
      for (i32 g = 0; g < kWidth / 8; ++g) row[g] = row[g - kWidth / 8];
    }
    t.line_start += kClocksPerLine;
    ++t.row;
  }
  t.drawn = t.line_start;
}

ENVPOOL_FN void draw_until(Console& c, const Rom& rom, i32 clock) {
  Tia& t = c.tia;
  if (clock > t.window_end) clock = t.window_end;
  do {
    const i32 from = t.drawn - t.line_start;
    const bool line_done = clock > t.line_start + kClocksPerLine;
    const i32 to = line_done ? kClocksPerLine : clock - t.line_start;
    t.drawn = t.line_start + to;
    const i32 visible = from >= kBlankClocks ? from : to < kBlankClocks ? to : kBlankClocks;
    if (to > visible) draw_span(c, rom, visible - kBlankClocks, to - kBlankClocks);
    const bool blanked = t.hmove_blank && to > from;  // not by the empty step that only ends a line
    if (blanked) blank_left_edge(c, rom, visible, to);
    if (line_done && !finish_line(t) && from == 0 && !blanked) repeat_line(c, rom, clock);
  } while (t.drawn < clock);
}

// Produces the picture up to the given clock with the present state.
ENVPOOL_ALWAYS_INLINE void flush(Console& c, const Rom& rom, i32 clock) {
  Tia& t = c.tia;
  if (clock <= t.drawn || clock < t.window_start || t.drawn >= t.window_end) return;
  if (t.quiet && !c.drawing && !t.hmove_blank && clock <= t.line_start + kClocksPerLine) {
    t.drawn = clock;  // nothing to see before the end of the line
    return;
  }
  draw_until(c, rom, clock);
}

}  // namespace envpool::atari
