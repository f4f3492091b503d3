// SPDX-License-Identifier: Apache-2.0
//
// The pixels and collisions of a line. To compute them, for_each_segment() goes back in time: it places the objects as
// the Look shows them at the end, and undoes one event after the other. tia_avx2.h does the same with vectors.
#pragma once

#include "envpool/atari/console/tia_avx2.h"
#include "envpool/atari/console/tia_line.h"
#include "envpool/atari/console/tia_paint.h"

namespace envpool::atari {

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

ENVPOOL_NOINLINE u32 find_collisions_in_words(const Console& c, u32 latches, i32 from, i32 to) {
  u32 found = 0;
  for_each_segment(c, objects_of_latches(latches), kCollidedEnds, from, to,
                   [&](const Look& look, const Shapes& shapes, i32 x0, i32 x1) {
                     if ((look.shown & kBlack) == 0) found |= overlapping(shapes, latches & ~found, x0, x1);
                   });
  return found;
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

ENVPOOL_NOINLINE Painting paint_line_in_words(const Console& c, u64* row, i32 from, i32 to) {
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

// Copies a whole row. Returns whether one of its pixels has changed.
ENVPOOL_FN bool copy_row(u64* to, const u64* from) {
#if ENVPOOL_AVX2
  if (has_simd()) return avx2::copy_row(to, from);
#endif
  u64 changes = 0;
  for (i32 g = 0; g < kWidth / 8; ++g) {
    changes |= to[g] ^ from[g];
    to[g] = from[g];
  }
  return changes != 0;
}

// Returns those of the given latches that pixels from..to-1 of this line set.
ENVPOOL_FN u32 find_collisions(const Console& c, u32 latches, i32 from, i32 to) {
#if ENVPOOL_AVX2
  if (has_simd()) return avx2::find_collisions(c, latches, from, to);
#endif
  return find_collisions_in_words(c, latches, from, to);
}

// Paints pixels from..to-1 of this line. The pixels that HMOVE blanks are painted only once, because the row would
// otherwise seem to change.
ENVPOOL_FN Painting paint_line(const Console& c, u64* row, i32 from, i32 to) {
#if ENVPOOL_AVX2
  if (has_simd()) return avx2::paint_line(c, row, from, to);
#endif
  return paint_line_in_words(c, row, from, to);
}

// Brings the collisions of this line up to date before pixel x.
ENVPOOL_FN void collide(Console& c, i32 x) {
  Tia& t = c.tia;
  if (x <= t.collided) return;
  if (const u32 open = open_latches(c)) t.collisions |= static_cast<u16>(find_collisions(c, open, t.collided, x));
  t.collided = static_cast<u8>(x);
}

}  // namespace envpool::atari
