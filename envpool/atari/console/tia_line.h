// SPDX-License-Identifier: Apache-2.0
//
// The contents of a line. A line is known from its Look at the end and its events, which are the changes of the Look
// while the beam was in the visible part. To compute pixels or collisions, for_each_part() goes back in time: it visits
// the last part, undoes the last event, and so on.
#pragma once

#include "envpool/atari/console/rom.h"
#include "envpool/atari/console/tia_paint.h"

namespace envpool::atari {

constexpr u32 kAllObjects = (1u << kObjects) - 1;
constexpr u32 kWithScore = 1u << kObjects;  // in a set of objects: the playfield may have the players' colours
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
  return table;
}
constexpr ShapedTable kShaped = make_shaped_table();

// Returns the pixel that the beam has reached; it is at most 0 in horizontal blank and after the window.
ENVPOOL_FN i32 beam_x(const Tia& t) { return t.drawn - t.line_start - kBlankClocks; }

ENVPOOL_ALWAYS_INLINE u8* bytes_of(Look& look) { return reinterpret_cast<u8*>(&look); }

// The events of the current line.
ENVPOOL_ALWAYS_INLINE Event* current_events(Console& c) { return c.memory.event + c.memory.kept_events; }
ENVPOOL_ALWAYS_INLINE const Event* current_events(const Console& c) { return c.memory.event + c.memory.kept_events; }

// Makes room for another event by forgetting the painted lines that have any.
ENVPOOL_NOINLINE void make_room(Console& c) {
  for (u32 screen = 0; screen < 2; ++screen) {
    for (i32 row = 0; row < kMaxHeight; ++row) {
      if (c.memory.painted[screen][row].events != 0) c.memory.rows[row].known &= ~(1u << screen);
    }
  }
  for (u32 i = 0; i < c.tia.line.events; ++i) c.memory.event[i] = c.memory.event[c.memory.kept_events + i];
  c.memory.kept_events = 0;
}

// Sets a field of the current Look. Everything that the beam has passed keeps the old value, so call flush() first.
ENVPOOL_ALWAYS_INLINE void change(Console& c, u8& field, u32 value) {
  Tia& t = c.tia;
  const u8 before = field;
  if (before == static_cast<u8>(value)) return;
  field = static_cast<u8>(value);
  const i32 x = beam_x(t);
  if (x <= t.finished) return;
  if (c.memory.kept_events + t.line.events == kEvents) make_room(c);
  current_events(c)[t.line.events++] = {static_cast<u8>(x), static_cast<u8>(&field - bytes_of(t.line.look)), before};
}

// Sets some bits of a field.
ENVPOOL_ALWAYS_INLINE void change_bits(Console& c, u8& field, u32 bits, u32 value) {
  change(c, field, (field & ~bits) | value);
}

// Returns the objects that were visible at any time on this line, and kWithScore if kScore was set at any time.
ENVPOOL_ALWAYS_INLINE u32 seen_on_line(const Console& c) {
  const Line& line = c.tia.line;
  const auto score = [](u32 control) { return (control & kScore) != 0 ? kWithScore : 0; };
  u32 seen = objects_of(line.look) | score(line.look.control);
  for (u32 i = 0; i < line.events; ++i) {
    const Event e = current_events(c)[i];
    const auto object = [&](u32 n) { return static_cast<u32>(e.before != 0) << n; };
    switch (e.field) {
      case kGraphicsAt: seen |= object(kPlayer0); break;
      case kGraphicsAt + 1: seen |= object(kPlayer1); break;
      case kPlayfieldAt:
      case kPlayfieldAt + 1:
      case kPlayfieldAt + 2: seen |= object(kPlayfield); break;
      case kShownAt: seen |= e.before & kShowable; break;
      case kControlAt: seen |= score(e.before); break;
      default: break;
    }
  }
  return seen;
}

// The pixels of the objects of a Look. On a CPU, they have a fourth word for AVX2.
constexpr u32 kShapeWords = ENVPOOL_HOST ? 4 : 3;
struct Shapes {
  u64 of[kObjects][kShapeWords];
  u32 valid;  // the objects whose pixels are up to date
};

ENVPOOL_FN void update_shapes(Shapes& shapes, const Look& look, u32 objects) {
  for (u32 rest = objects & ~shapes.valid; rest != 0; rest &= rest - 1) {
    const u32 n = lowest_bit(rest);
    place_object(look, n, shapes.of[n]);
    for (u32 w = 3; w < kShapeWords; ++w) shapes.of[n][w] = 0;
  }
  shapes.valid |= objects;
}

// Returns those of the given latches whose two objects overlap in pixels x0..x1-1.
ENVPOOL_FN u32 overlapping(const Shapes& shapes, u32 latches, i32 x0, i32 x1) {
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

// Calls visit(look, shapes, x0, x1) for the parts of pixels from..to-1 of this line, from right to left. The visitor
// updates the shapes that it needs; those that an event does not affect remain valid.
template <class Visit>
ENVPOOL_ALWAYS_INLINE void for_each_part(const Console& c, i32 from, i32 to, Visit visit) {
  Look look = c.tia.line.look;
  const Event* events = current_events(c);
  Shapes shapes;
  shapes.valid = 0;
  for (u32 n = c.tia.line.events; to > from; --n) {
    const i32 begin = n == 0 ? 0 : events[n - 1].x;
    if (begin < to) {
      const i32 x0 = begin > from ? begin : from;
      visit(look, shapes, x0, to);
      to = x0;
    }
    if (n == 0) return;
    const Event e = events[n - 1];
    bytes_of(look)[e.field] = e.before;
    shapes.valid &= ~u32{kShaped.of[e.field]};
  }
}

// Brings the collisions of this line up to date before pixel x.
ENVPOOL_NOINLINE void collide(Console& c, i32 x) {
  Tia& t = c.tia;
  if (x <= t.collided) return;
  for_each_part(c, t.collided, x, [&](const Look& look, Shapes& shapes, i32 x0, i32 x1) {
    const u32 open = look.shown & kBlack ? 0 : kLatches.of[objects_of(look)] & ~u32{t.collisions};
    if (open == 0) return;
    update_shapes(shapes, look, objects_of_latches(open));
    t.collisions |= static_cast<u16>(overlapping(shapes, open, x0, x1));
  });
  t.collided = static_cast<u8>(x);
}

// Paints a part of a line. Returns whether one of its pixels has changed. With both score and priority set, the
// playfield has the players' colours only if nothing else is visible.
ENVPOOL_NOINLINE bool paint_part(const Look& look, const Shapes& shapes, u64* row, i32 x0, i32 x1) {
  static constexpr u64 kNothing[4] = {0, 0, 0, 0};
  if (look.shown & kBlack) return fill_row(row, x0, x1, 0);
  const u32 objects = objects_of(look);
  Scene scene;
  for (u32 i = 0; i < kObjects; ++i) scene.pixels[i] = objects >> i & 1 ? shapes.of[i] : kNothing;
  for (u32 i = 0; i < 4; ++i) scene.colour[i] = look.colour[i];
  scene.score = (look.control & kScore) && (!(look.control & kPriority) || objects == 1u << kPlayfield);
  scene.priority = (look.control & kPriority) && !scene.score;
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
  Painting result{false, 0};
  if (blank < kNoBlank && from < kNoBlank) {
    result.changed = fill_row(row, blank > from ? blank : from, kNoBlank, 0);
  }
  for_each_part(c, from, to, [&](const Look& look, Shapes& shapes, i32 x0, i32 x1) {
    if ((look.shown & kBlack) == 0) {
      const u32 objects = objects_of(look);
      update_shapes(shapes, look, objects);
      result.collisions |= overlapping(shapes, kLatches.of[objects], x0, x1);
    }
    if (x0 < kNoBlank && blank < kNoBlank) {
      if (x0 < blank) result.changed |= paint_part(look, shapes, row, x0, x1 < blank ? x1 : blank);
      x0 = kNoBlank;
    }
    if (x0 < x1) result.changed |= paint_part(look, shapes, row, x0, x1);
  });
  return result;
}

}  // namespace envpool::atari
