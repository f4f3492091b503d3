// SPDX-License-Identifier: Apache-2.0
//
// The contents of a line. A line is known from its Look at the end and its events, which are the changes of the Look
// while the beam was in the visible part. To compute pixels or collisions, for_each_segment() goes back in time: it
// places the objects as the Look shows them at the end, and undoes one event after the other.
#pragma once

#include "envpool/atari/console/rom.h"
#include "envpool/atari/console/tia_paint.h"

namespace envpool::atari {

constexpr u8 kNoBlank = 8;

// The two objects of each collision latch, by its bit number in Tia::collisions.
constexpr u8 kLatchObjects[16][2] = {
    {kMissile0, kPlayer0}, {kMissile0, kPlayer1},   {kMissile1, kPlayer1},  {kMissile1, kPlayer0},
    {kPlayer0, kBall},     {kPlayer0, kPlayfield},  {kPlayer1, kBall},      {kPlayer1, kPlayfield},
    {kMissile0, kBall},    {kMissile0, kPlayfield}, {kMissile1, kBall},     {kMissile1, kPlayfield},
    {kBall, kBall},        {kBall, kPlayfield},     {kMissile0, kMissile1}, {kPlayer0, kPlayer1}};

struct LatchTable {
  u16 of[1 << kObjects];  // the latches whose objects are both in a set
};
constexpr LatchTable make_latch_table() {
  LatchTable table{};
  for (u32 set = 0; set < 1 << kObjects; ++set) {
    for (u32 n = 0; n < 16; ++n) {
      const u32 a = kLatchObjects[n][0], b = kLatchObjects[n][1];
      if (a != b && (set >> a & 1) && (set >> b & 1)) table.of[set] |= static_cast<u16>(1u << n);
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

ENVPOOL_FN u32 count_bits(u64 v) {
#ifdef __CUDA_ARCH__
  return static_cast<u32>(__popcll(v));
#else
  return static_cast<u32>(__builtin_popcountll(v));
#endif
}

ENVPOOL_FN u32 objects_of_latches(u32 latches) {
  u32 objects = 0;
  for (; latches != 0; latches &= latches - 1) {
    const u8* pair = kLatchObjects[lowest_bit(latches)];
    objects |= 1u << pair[0] | 1u << pair[1];
  }
  return objects;
}

// The objects that each byte of a Look shapes.
struct ShapedTable {
  u8 of[sizeof(Look)];
};
constexpr ShapedTable make_shaped_table() {
  ShapedTable table{};
  for (u32 i = 0; i < 2; ++i) {
    table.of[kGraphicsAt + i] = static_cast<u8>(1u << (kPlayer0 + i));
    table.of[kSizeAt + i] = static_cast<u8>(1u << (kPlayer0 + i) | 1u << (kMissile0 + i));
  }
  for (u32 i = 0; i < 5; ++i) table.of[kPosAt + i] = static_cast<u8>(1u << i);
  for (u32 i = 0; i < 3; ++i) table.of[kPlayfieldAt + i] = 1u << kPlayfield;
  table.of[kControlAt] = 1u << kMissile0 | 1u << kBall | 1u << kPlayfield;
  table.of[kShownAt] = kShowable;
  return table;
}
constexpr ShapedTable kShaped = make_shaped_table();

// Returns the pixel that the beam has reached; it is at most 0 in horizontal blank and after the window.
ENVPOOL_FN i32 beam_x(const Tia& t) { return t.drawn - t.line_start - kBlankClocks; }

ENVPOOL_ALWAYS_INLINE u8* bytes_of(Look& look) { return reinterpret_cast<u8*>(&look); }

// The events of the current line.
ENVPOOL_ALWAYS_INLINE Event* current_events(Console& c) { return c.memory.event + c.memory.kept_events; }
ENVPOOL_ALWAYS_INLINE const Event* current_events(const Console& c) { return c.memory.event + c.memory.kept_events; }

// Returns the objects that a byte of a Look shows if it has this value, and kWithScore if it sets kScore.
ENVPOOL_ALWAYS_INLINE u32 shown_by(u32 field, u32 value) {
  const auto object = [&](u32 n) { return static_cast<u32>(value != 0) << n; };
  switch (field) {
    case kGraphicsAt: return object(kPlayer0);
    case kGraphicsAt + 1: return object(kPlayer1);
    case kPlayfieldAt:
    case kPlayfieldAt + 1:
    case kPlayfieldAt + 2: return object(kPlayfield);
    case kShownAt: return value & kShowable;
    case kControlAt: return value & kScore ? kWithScore : 0;
    default: return 0;
  }
}

// Returns whether an object has been visible on this line.
ENVPOOL_ALWAYS_INLINE bool was_visible(const Tia& t, u32 object) {
  const Look& look = t.line.look;
  const u32 now = object <= kPlayer1     ? look.graphics[object]
                  : object == kPlayfield ? look.playfield[0] | look.playfield[1] | look.playfield[2]
                                         : look.shown >> object & 1;
  return now != 0 || (t.seen >> object & 1) != 0;
}

// Returns whether a byte of the Look may have had an effect on this line. The position of an object that has been
// invisible has none.
ENVPOOL_ALWAYS_INLINE bool had_effect(const Tia& t, u32 field) {
  switch (field) {
    case kPosAt:
    case kPosAt + 1:
    case kPosAt + 2:
    case kPosAt + 3:
    case kPosAt + 4: return was_visible(t, field - kPosAt);
    case kSizeAt:
    case kSizeAt + 1: return was_visible(t, field - kSizeAt) || was_visible(t, kMissile0 + field - kSizeAt);
    case kColourAt:
    case kColourAt + 1:
      return was_visible(t, field - kColourAt) || was_visible(t, kMissile0 + field - kColourAt) ||
             ((t.seen | shown_by(kControlAt, t.line.look.control)) & kWithScore) != 0;
    case kColourAt + 2: return was_visible(t, kPlayfield) || was_visible(t, kBall);
    default: return true;
  }
}

// Sets a byte of the current Look. Everything that the beam has passed keeps the old value, so call flush() first.
ENVPOOL_ALWAYS_INLINE void change(Console& c, u32 field, u32 value) {
  Tia& t = c.tia;
  u8& byte = bytes_of(t.line.look)[field];
  const u8 before = byte;
  if (before == static_cast<u8>(value)) return;
  const i32 x = beam_x(t);
  const bool is_event = x > t.finished && had_effect(t, field);
  byte = static_cast<u8>(value);
  if (!is_event) return;
  t.seen |= static_cast<u8>(shown_by(field, before));
  current_events(c)[t.line.events++] = {static_cast<u8>(x), static_cast<u8>(field), before};
}

// Sets some bits of a byte of the current Look.
ENVPOOL_ALWAYS_INLINE void change_bits(Console& c, u32 field, u32 bits, u32 value) {
  change(c, field, (bytes_of(c.tia.line.look)[field] & ~bits) | value);
}

// Returns the objects that were visible at any time on this line, and kWithScore if kScore was set at any time.
ENVPOOL_ALWAYS_INLINE u32 seen_on_line(const Console& c) {
  const Look& look = c.tia.line.look;
  return c.tia.seen | objects_of(look) | shown_by(kControlAt, look.control);
}

// Computes the pixels in which an object is visible.
ENVPOOL_FN void place_visible(const Look& look, u32 object, u64* to) {
  if ((kShowable & ~look.shown) >> object & 1) {
    for (u32 w = 0; w < 3; ++w) to[w] = 0;
  } else {
    place_object(look, object, to);
  }
}

// Computes the pixels in which each of the given objects is visible; the others have none. On a CPU, the loop is
// unrolled, because branches of their own are predicted better.
ENVPOOL_ALWAYS_INLINE void place_all(const Look& look, u32 objects, Shapes& shapes) {
  u64 occupied[3] = {}, overlap = 0;
#if ENVPOOL_HOST
#pragma GCC unroll 6
#endif
  for (u32 n = 0; n < kObjects; ++n) {
    u64* const to = shapes.of[n];
    if (objects >> n & 1) {
      place_visible(look, n, to);
      for (u32 w = 0; w < 3; ++w) {
        overlap |= occupied[w] & to[w];
        occupied[w] |= to[w];
      }
    } else {
      for (u32 w = 0; w < 3; ++w) to[w] = 0;
    }
  }
  shapes.apart = overlap == 0;
}

// Returns those of the given latches whose two objects overlap in pixels x0..x1-1.
ENVPOOL_FN u32 overlapping(const Shapes& shapes, u32 latches, i32 x0, i32 x1) {
  if (shapes.apart) return 0;
  u64 within[3];
  for (u32 w = 0; w < 3; ++w) within[w] = kBelow.of[x1][w] & ~kBelow.of[x0][w];
  u32 result = 0;
  for (; latches != 0; latches &= latches - 1) {
    const u32 n = lowest_bit(latches);
    const u64* a = shapes.of[kLatchObjects[n][0]];
    const u64* b = shapes.of[kLatchObjects[n][1]];
    u64 both = 0;
    for (u32 w = 0; w < 3; ++w) both |= a[w] & b[w] & within[w];
    if (both != 0) result |= 1u << n;
  }
  return result;
}

// The changes of a Look that end a segment of a line.
struct SegmentEnds {
  u8 bits[sizeof(Look)];  // a change of any of these bits
  bool objects;           // any change while kScore and kPriority are set, because their effect depends on all objects
};
constexpr SegmentEnds make_painted_ends() {
  SegmentEnds ends{};
  for (u32 i = 0; i < 4; ++i) ends.bits[kColourAt + i] = 0xFF;
  ends.bits[kControlAt] = kScore | kPriority;
  ends.bits[kShownAt] = kBlack;
  ends.objects = true;
  return ends;
}
constexpr SegmentEnds make_collided_ends() {
  SegmentEnds ends{};
  ends.bits[kShownAt] = kBlack;
  return ends;
}
constexpr SegmentEnds kPaintedEnds = make_painted_ends(), kCollidedEnds = make_collided_ends();

// Calls visit(look, shapes, x0, x1) for the segments of pixels from..to-1 of this line, from right to left. The shapes
// are those of the given objects. They may change within a segment, unlike the colours.
template <class Visit>
ENVPOOL_ALWAYS_INLINE void for_each_segment(const Console& c, u32 objects, const SegmentEnds& ends, i32 from, i32 to,
                                            Visit visit) {
  constexpr u32 kBoth = kScore | kPriority;
  Look look = c.tia.line.look;
  Shapes shapes;
  place_all(look, objects, shapes);
  const Event* const events = current_events(c);
  for (u32 i = c.tia.line.events; i > 0 && events[i - 1].x > from; --i) {
    const Event e = events[i - 1];
    const i32 x = e.x < to ? e.x : to;
    u8& field = bytes_of(look)[e.field];
    if (x < to && (((field ^ e.before) & ends.bits[e.field]) || (ends.objects && (look.control & kBoth) == kBoth))) {
      visit(look, shapes, x, to);
      to = x;
    }
    field = e.before;
    shapes.apart = false;
    for (u32 rest = objects & kShaped.of[e.field]; rest != 0; rest &= rest - 1) {
      const u32 n = lowest_bit(rest);
      u64 left[3];
      place_visible(look, n, left);
      for (u32 w = 0; w < 3; ++w) shapes.of[n][w] ^= (shapes.of[n][w] ^ left[w]) & kBelow.of[x][w];
    }
  }
  visit(look, shapes, from, to);
}

// Returns those of the given latches that pixels from..to-1 of this line set.
ENVPOOL_NOINLINE u32 find_collisions(const Console& c, u32 latches, i32 from, i32 to) {
  u32 found = 0;
  for_each_segment(c, objects_of_latches(latches), kCollidedEnds, from, to,
                   [&](const Look& look, const Shapes& shapes, i32 x0, i32 x1) {
                     if ((look.shown & kBlack) == 0) found |= overlapping(shapes, latches & ~found, x0, x1);
                   });
  return found;
}

// Returns the latches that are not set yet, but that this line may have set.
ENVPOOL_ALWAYS_INLINE u32 open_latches(const Console& c) {
  return kLatches.of[seen_on_line(c) & kAllObjects] & ~u32{c.tia.collisions};
}

// Brings the collisions of this line up to date before pixel x.
ENVPOOL_FN void collide(Console& c, i32 x) {
  Tia& t = c.tia;
  if (x <= t.collided) return;
  if (const u32 open = open_latches(c)) t.collisions |= static_cast<u16>(find_collisions(c, open, t.collided, x));
  t.collided = static_cast<u8>(x);
}

// Paints a part of a segment. Returns whether one of its pixels has changed. With both score and priority set, the
// playfield has the players' colours only if nothing else is visible.
ENVPOOL_FN bool paint_part(const Look& look, const Shapes& shapes, u64* row, i32 x0, i32 x1) {
  if (look.shown & kBlack) return fill_row(row, x0, x1, 0);
  Scene scene{shapes, look.colour, (look.control & kScore) != 0, (look.control & kPriority) != 0};
  if (scene.score && scene.priority) {
    scene.score = objects_of(look) == 1u << kPlayfield;
    scene.priority = !scene.score;
  }
  return paint(scene, row, x0, x1);
}

struct Painting {
  bool changed;  // a pixel has another colour than before
  u32 collisions;
};

// Paints pixels from..to-1 of this line. The pixels that HMOVE blanks are painted only once, because the row would
// otherwise seem to change.
ENVPOOL_NOINLINE Painting paint_line(const Console& c, u64* row, i32 from, i32 to) {
  const i32 blank = c.tia.line.look.blank_left;
  const u32 objects = seen_on_line(c) & kAllObjects;
  Painting result{false, 0};
  if (blank < kNoBlank && from < kNoBlank) {
    result.changed = fill_row(row, blank > from ? blank : from, kNoBlank, 0);
  }
  for_each_segment(c, objects, kPaintedEnds, from, to, [&](const Look& look, const Shapes& shapes, i32 x0, i32 x1) {
    if ((look.shown & kBlack) == 0) result.collisions |= overlapping(shapes, kLatches.of[objects], x0, x1);
    if (x0 < kNoBlank && blank < kNoBlank) {
      if (x0 < blank) result.changed |= paint_part(look, shapes, row, x0, x1 < blank ? x1 : blank);
      x0 = kNoBlank;
    }
    if (x0 < x1) result.changed |= paint_part(look, shapes, row, x0, x1);
  });
  return result;
}

}  // namespace envpool::atari
