// SPDX-License-Identifier: Apache-2.0
//
// Draws lazily, one line at a time. flush(clock) only records how far the beam has come. Before an object changes, the
// pixels that it has covered so far on this line are saved (before_change). At the end of the line the pixels of all
// objects are known, and collisions and screen are computed from them at once. Some events concern more than one
// object: a change of colours or blanking, and a read or clear of the collisions. Such an event splits the line: it
// ends the current segment early (end_segment).
#pragma once

#include "envpool/atari/console/rom.h"
#include "envpool/atari/console/tia_paint.h"

namespace envpool::atari {

// The two objects of each collision latch, by its bit number in Tia::collisions.
constexpr u8 kLatchObjects[16][2] = {
    {kMissile0, kPlayer0}, {kMissile0, kPlayer1},   {kMissile1, kPlayer1},  {kMissile1, kPlayer0},
    {kPlayer0, kBall},     {kPlayer0, kPlayfield},  {kPlayer1, kBall},      {kPlayer1, kPlayfield},
    {kMissile0, kBall},    {kMissile0, kPlayfield}, {kMissile1, kBall},     {kMissile1, kPlayfield},
    {kBall, kBall},        {kBall, kPlayfield},     {kMissile0, kMissile1}, {kPlayer0, kPlayer1}};

struct LatchTable {
  u16 both[64];    // latches whose objects are both in a set
  u16 either[64];  // latches with at least one object in a set
};

constexpr LatchTable make_latch_table() {
  LatchTable table{};
  for (u32 set = 0; set < 64; ++set) {
    for (u32 n = 0; n < 16; ++n) {
      const u32 a = kLatchObjects[n][0], b = kLatchObjects[n][1];
      if (a == b) continue;
      if ((set >> a & 1) && (set >> b & 1)) table.both[set] |= static_cast<u16>(1u << n);
      if ((set >> a & 1) || (set >> b & 1)) table.either[set] |= static_cast<u16>(1u << n);
    }
  }
  return table;
}
constexpr LatchTable kLatches = make_latch_table();

ENVPOOL_FN u32 lowest_bit(u64 v) {
#ifdef __CUDA_ARCH__
  return static_cast<u32>(__ffsll(static_cast<long long>(v)) - 1);
#else
  return static_cast<u32>(__builtin_ctzll(v));
#endif
}

constexpr u32 kAllObjects = (1u << kObjects) - 1;
constexpr u32 kColours = 1u << kObjects;  // bit of Tia::changed for colours and priorities
constexpr u8 kNoBlank = 8;
constexpr i32 kEdgeClocks = kBlankClocks + kNoBlank;

// Returns the pixel that the beam has reached; it is at most 0 in horizontal blank.
ENVPOOL_FN i32 beam_x(const Tia& t) { return t.drawn - t.line_start - kBlankClocks; }

// Adds to t.line[object] the pixels that the object has covered up to pixel x.
ENVPOOL_NOINLINE void accumulate_line(Console& c, u32 object, i32 x) {
  Tia& t = c.tia;
  const u32 bit = 1u << object;
  u64* line = t.line[object];
  if ((t.changed_in_segment & bit) == 0) {
    t.line_end[object] = static_cast<u8>(t.segment);
    line[0] = line[1] = line[2] = 0;
    t.changed_in_segment |= static_cast<u8>(bit);
  }
  const u32 from = t.line_end[object];
  if (x <= static_cast<i32>(from)) return;
  t.line_end[object] = static_cast<u8>(x);
  if ((t.enabled & bit) == 0) return;
  if ((t.stale & bit) != 0) build_mask(t, object);
  for (u32 w = 0; w < 3; ++w) line[w] |= t.mask[object][w] & kBelow.of[x][w] & ~kBelow.of[from][w];
}

// Returns whether the pixels of an object have to be saved. In a frame that is not drawn, they matter only for a latch
// that is not set yet and whose other object is enabled or has changed in this segment. An object that is enabled later
// has no pixels left of the beam, so nothing that is saved now can collide with it.
ENVPOOL_FN bool pixels_matter(const Console& c, u32 object) {
  const Tia& t = c.tia;
  const u32 bit = 1u << object;
  const u32 latches = kLatches.both[t.enabled | t.changed_in_segment | bit] & kLatches.either[bit];
  return c.drawing || (latches & ~static_cast<u32>(t.collisions)) != 0;
}

// Call this before changing anything that determines an object's pixels.
ENVPOOL_ALWAYS_INLINE void before_change(Console& c, u32 object) {
  Tia& t = c.tia;
  const u8 bit = static_cast<u8>(1u << object);
  t.changed |= bit;
  const i32 x = beam_x(t);
  if (x <= 0) return;
  t.changed_midline |= bit;
  if (pixels_matter(c, object)) accumulate_line(c, object, x);
}

// Like before_change(), for changes after which the object's mask has to be rebuilt.
ENVPOOL_ALWAYS_INLINE void before_reshape(Console& c, u32 object) {
  before_change(c, object);
  c.tia.stale |= static_cast<u8>(1u << object);
}

// Returns the pixels of an object that is in t.enabled or t.changed_in_segment.
ENVPOOL_FN const u64* segment_pixels(Tia& t, u32 object) {
  if (t.changed_in_segment >> object & 1) return t.line[object];
  if (t.stale >> object & 1) build_mask(t, object);
  return t.mask[object];
}

// Returns the latches that this segment may set.
ENVPOOL_FN u32 settable_latches(const Tia& t) {
  if (t.reg[kVblank] & 2) return 0;
  const u32 open = kLatches.both[t.enabled | t.changed_in_segment] & kLatches.either[t.changed & kAllObjects];
  return open & ~static_cast<u32>(t.collisions);
}

// Sets each of the given latches whose two objects overlap in this segment before pixel x.
ENVPOOL_FN void set_collisions(Tia& t, u32 open, i32 x) {
  u64 within[3];
  for (u32 w = 0; w < 3; ++w) within[w] = kBelow.of[x][w] & ~kBelow.of[t.segment][w];
  for (; open != 0; open &= open - 1) {
    const u32 n = lowest_bit(open);
    const u64* a = segment_pixels(t, kLatchObjects[n][0]);
    const u64* b = segment_pixels(t, kLatchObjects[n][1]);
    u64 both = 0;
    for (u32 w = 0; w < 3; ++w) both |= a[w] & b[w] & within[w];
    if (both != 0) t.collisions |= static_cast<u16>(1u << n);
  }
}

// Returns the content of the current segment. With both score and priority set, the playfield has the players' colours
// only if nothing else is enabled.
ENVPOOL_FN Scene make_scene(Tia& t) {
  static constexpr u64 kNothing[4] = {0, 0, 0, 0};
  const u32 control = t.reg[kCtrlpf];
  const u32 present = t.enabled | t.changed_in_segment;
  Scene scene;
  for (u32 i = 0; i < kObjects; ++i) scene.pixels[i] = present >> i & 1 ? segment_pixels(t, i) : kNothing;
  for (u32 i = 0; i < 4; ++i) scene.colour[i] = t.colour[i];
  scene.score = (control & 2) && (!(control & 4) || t.enabled == 1 << kPlayfield);
  scene.priority = (control & 4) && !scene.score;
  return scene;
}

ENVPOOL_FN u64* current_row(Console& c) { return c.pixels[c.buffer] + c.tia.row * (kWidth / 8); }

// Ends the segment at pixel x: computes collisions and screen up to there from the current state.
ENVPOOL_NOINLINE void end_segment(Console& c, const Rom& rom, i32 x) {
  Tia& t = c.tia;
  if (x <= t.segment) return;
  const bool visible = c.drawing && t.row < rom.height;
  const bool whole = t.segment == 0 && x == kWidth;
  if (t.reg[kVblank] & 2) {
    if (visible) fill_row(current_row(c), t.segment, x, 0);
  } else if (t.changed == 0 && !visible) {
    // The objects are the same as on the line above, so there are no new collisions.
  } else if (t.changed == 0 && whole && t.row > 0 && t.blank_left == t.blank_left_last) {
    u64* row = current_row(c);
    for (i32 g = 0; g < kWidth / 8; ++g) row[g] = row[g - kWidth / 8];
  } else {
    const u32 open = settable_latches(t);
    if (open != 0 || visible) {
      for (u32 rest = t.changed_in_segment; rest != 0; rest &= rest - 1) accumulate_line(c, lowest_bit(rest), x);
      if (open != 0) set_collisions(t, open, x);
    }
    if (visible) {
      paint(make_scene(t), current_row(c), t.segment, x);
      if (t.blank_left < kNoBlank && t.segment < kNoBlank) {
        fill_row(current_row(c), t.blank_left > t.segment ? t.blank_left : t.segment, kNoBlank, 0);
      }
    }
  }
  t.segment = x;
  t.changed_in_segment = 0;
}

// Call this before a change that affects several objects or the colours.
ENVPOOL_FN void split_line(Console& c, const Rom& rom, u32 changing) {
  Tia& t = c.tia;
  const i32 x = beam_x(t);
  if (x > 0) {
    end_segment(c, rom, x);
    t.changed_midline |= static_cast<u8>(changing);
  }
  t.changed |= static_cast<u8>(changing);
}

// Brings the collision registers up to date.
ENVPOOL_FN void update_collisions(Console& c, const Rom& rom) { end_segment(c, rom, beam_x(c.tia)); }

ENVPOOL_FN void start_line(Tia& t, i32 clock, i32 row) {
  t.line_start = clock;
  t.row = row;
  t.segment = 0;
  t.changed_in_segment = 0;
  t.blank_left_last = t.blank_left;
  t.blank_left = kNoBlank;
  t.changed = t.changed_midline;
  t.changed_midline = 0;
}

ENVPOOL_FN void start_screen(Tia& t) {
  start_line(t, t.window_start, 0);
  t.drawn = t.window_start;
  t.changed = kAllObjects | kColours;
}

// Completes the screen at the end of a frame, which may be in the middle of a line.
ENVPOOL_FN void end_screen(Console& c, const Rom& rom) {
  update_collisions(c, rom);
  c.tia.changed = c.tia.changed_midline = kAllObjects | kColours;
}

// Advances the "Cosmic Ark" effect: an interrupted HMOVE keeps moving missile 0 on every line.
ENVPOOL_FN void step_cosmic(Console& c) {
  Tia& t = c.tia;
  static constexpr u8 kMotion[4] = {18, 33, 0, 17};
  before_reshape(c, kMissile0);
  t.cosmic_step = (t.cosmic_step + 1) & 3;
  const i32 position = t.pos[kMissile0] - kMotion[t.cosmic_step];
  t.pos[kMissile0] = static_cast<u8>(position < 0 ? position + 160 : position);
  t.missile0_shape = t.cosmic_step == 1 ? 1 : t.cosmic_step == 2 ? 2 : 0;
}

ENVPOOL_FN void end_line(Console& c, const Rom& rom) {
  Tia& t = c.tia;
  end_segment(c, rom, kWidth);
  start_line(t, t.line_start + kClocksPerLine, t.row + 1);
  t.drawn = t.line_start;
  const bool mirror = t.reg[kCtrlpf] & 1;
  if (t.mirror != mirror) {
    before_reshape(c, kPlayfield);
    t.mirror = mirror;
  }
  for (u32 i = 0; i < 2; ++i) {
    if (!t.suppressed[i]) continue;
    before_reshape(c, kPlayer0 + i);
    t.suppressed[i] = false;
  }
  if (t.cosmic) step_cosmic(c);
}

// HMOVE blanks the first 8 pixels of the line or, in the last cycle of a line, the first 8 pixels of the next line.
// If the beam is still in horizontal blank, more than 8 pixels are set to 0. The end of the line draws over the
// surplus. It therefore remains only if the frame is cut off before the end of the line.
ENVPOOL_FN void blank_left_edge(Console& c, const Rom& rom, i32 from, i32 to) {
  Tia& t = c.tia;
  if (from >= kEdgeClocks) return;
  const i32 start = from >= kBlankClocks ? from : to < kBlankClocks ? to : kBlankClocks;
  const i32 x = start < kBlankClocks ? 0 : start - kBlankClocks;
  if (c.drawing && t.row < rom.height) fill_row(current_row(c), x, x + kEdgeClocks - start, 0);
  if (to > start && x < t.blank_left) t.blank_left = static_cast<u8>(x);
  if (to >= kEdgeClocks) t.hmove_blank = false;
}

ENVPOOL_NOINLINE void draw_until(Console& c, const Rom& rom, i32 clock) {
  Tia& t = c.tia;
  if (t.drawn >= t.window_end) return;
  if (clock > t.window_end) clock = t.window_end;
  while (clock > t.line_start + kClocksPerLine) {
    if (t.hmove_blank) blank_left_edge(c, rom, t.drawn - t.line_start, kClocksPerLine);
    end_line(c, rom);
    if (!c.drawing && t.changed == 0) {  // skip lines that equal this one
      const i32 lines = (clock - t.line_start - 1) / kClocksPerLine;
      t.drawn = t.line_start += lines * kClocksPerLine;
      t.row += lines;
      if (lines != 0) t.hmove_blank = false;
    }
  }
  if (t.hmove_blank) blank_left_edge(c, rom, t.drawn - t.line_start, clock - t.line_start);
  t.drawn = clock;
  if (clock == t.window_end) update_collisions(c, rom);
}

// Advances the beam to the given clock with the current state.
ENVPOOL_ALWAYS_INLINE void flush(Console& c, const Rom& rom, i32 clock) {
  Tia& t = c.tia;
  if (clock <= t.drawn) return;
  if (clock >= t.line_start + kClocksPerLine) return draw_until(c, rom, clock);
  if (t.hmove_blank) {
    if (c.drawing) return draw_until(c, rom, clock);
    const i32 edge = t.line_start + kEdgeClocks;
    if (t.drawn < edge && clock >= edge) t.hmove_blank = false;
  }
  t.drawn = clock;  // the rest is done at the end of the line
}

}  // namespace envpool::atari
