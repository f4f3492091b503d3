// SPDX-License-Identifier: Apache-2.0
//
// Computes the pixels and collisions of a line with AVX2, like tia_segments.h. A set of pixels is one vector, of which
// the lowest 160 bits are used.
#pragma once

#include "envpool/atari/console/tia_line.h"
#include "envpool/atari/console/tia_paint.h"

#if ENVPOOL_AVX2
#include <immintrin.h>

#include <cstring>

#define ENVPOOL_AVX2_FN static ENVPOOL_ALWAYS_INLINE __attribute__((target("avx2")))

namespace envpool::atari::avx2 {

using Pixels = __m256i;

ENVPOOL_AVX2_FN Pixels load(const void* from) { return _mm256_loadu_si256(static_cast<const Pixels*>(from)); }
ENVPOOL_AVX2_FN Pixels below(i32 x) { return load(kBelow.of[x]); }
ENVPOOL_AVX2_FN Pixels without(Pixels a, Pixels b) { return _mm256_andnot_si256(b, a); }

// Returns the bits of `word` in each element, moved by the distance of that element. Shifts by 64 or more give 0.
ENVPOOL_AVX2_FN Pixels shifted(u64 word, Pixels distance) {
  const Pixels copies = _mm256_set1_epi64x(static_cast<i64>(word));
  return _mm256_sllv_epi64(copies, distance) |
         _mm256_srlv_epi64(copies, _mm256_sub_epi64(_mm256_setzero_si256(), distance));
}

// Returns the pixels of a pattern at a position, like atari::place().
ENVPOOL_AVX2_FN Pixels place(u64 low, u64 high, u32 position) {
  if (position >= 160) position -= 160;
  const Pixels distance = _mm256_sub_epi64(_mm256_set1_epi64x(position), _mm256_setr_epi64x(0, 64, 128, 192));
  Pixels line = shifted(low, distance);
  if (high != 0) line |= shifted(high, _mm256_add_epi64(distance, _mm256_set1_epi64x(64)));
  // Moves pixels 160 to 255 to the beginning.
  const Pixels wrapped = _mm256_permutevar8x32_epi32(line, _mm256_setr_epi32(5, 6, 7, 7, 7, 7, 7, 7));
  return (line & _mm256_setr_epi32(-1, -1, -1, -1, -1, 0, 0, 0)) |
         (wrapped & _mm256_setr_epi32(-1, -1, -1, 0, 0, 0, 0, 0));
}

ENVPOOL_AVX2_FN Pixels place_player(const Look& look, u32 player) {
  const u32 mode = look.size[player] & 7, graphics = look.graphics[player];
  const u64 pattern = look.size[player] & kReflected ? graphics : reverse8(graphics);
  CopyFactors copies = kCopyFactors.of[mode];
  if (look.size[player] & kSuppressed) copies.low &= ~1ull;
  if (mode == 5 || mode == 7) {
    return place((mode == 5 ? widen2(pattern) : widen4(pattern)) * copies.low, 0, look.pos[player] + 1u);
  }
  return place(pattern * copies.low, pattern * copies.high, look.pos[player]);
}

ENVPOOL_AVX2_FN Pixels place_missile(const Look& look, u32 missile) {
  const CopyFactors copies = kCopyFactors.of[look.size[missile] & 7];
  const u64 pattern = missile_pattern(look, missile);
  return place(pattern * copies.low, pattern * copies.high, look.pos[kMissile0 + missile]);
}

ENVPOOL_AVX2_FN Pixels place_playfield(const Look& look) {
  u64 words[3];
  atari::place_playfield(look, words);
  return _mm256_set_epi64x(0, static_cast<i64>(words[2]), static_cast<i64>(words[1]), static_cast<i64>(words[0]));
}

// Returns the pixels in which an object is visible.
ENVPOOL_AVX2_FN Pixels place_visible(const Look& look, u32 object) {
  if ((kShowable & ~look.shown) >> object & 1) return _mm256_setzero_si256();
  switch (object) {
    case kPlayer0:
    case kPlayer1: return place_player(look, object);
    case kMissile0:
    case kMissile1: return place_missile(look, object - kMissile0);
    case kBall: return place(ball_pattern(look), 0, look.pos[kBall]);
    default: return place_playfield(look);
  }
}

struct Shapes {
  Pixels of[kObjects];
  bool apart;  // no two objects overlap; if false, that is unknown
};

ENVPOOL_AVX2_FN void place_all(const Look& look, u32 objects, Shapes& shapes) {
  Pixels occupied = _mm256_setzero_si256(), overlap = occupied;
#pragma GCC unroll 6
  for (u32 n = 0; n < kObjects; ++n) {
    shapes.of[n] = _mm256_setzero_si256();
    if ((objects >> n & 1) == 0) continue;
    shapes.of[n] = place_visible(look, n);
    overlap |= occupied & shapes.of[n];
    occupied |= shapes.of[n];
  }
  shapes.apart = _mm256_testz_si256(overlap, overlap);
}

ENVPOOL_AVX2_FN u32 overlapping(const Shapes& shapes, u32 latches, i32 x0, i32 x1) {
  if (shapes.apart) return 0;
  const Pixels within = without(below(x1), below(x0));
  u32 result = 0;
  for (; latches != 0; latches &= latches - 1) {
    const u32 n = lowest_bit(latches);
    const Pixels both = shapes.of[kLatchObjects[n][0]] & shapes.of[kLatchObjects[n][1]];
    if (!_mm256_testz_si256(both, within)) result |= 1u << n;
  }
  return result;
}

// Calls visit.segment(look, shapes, x0, x1) as atari::for_each_segment() does. Lambdas cannot contain AVX2.
template <class Visit>
ENVPOOL_AVX2_FN void for_each_segment(const Console& c, u32 objects, const SegmentEnds& ends, i32 from, i32 to,
                                      Visit& visit) {
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
      visit.segment(look, shapes, x, to);
      to = x;
    }
    field = e.before;
    const u32 shaped = objects & kShaped.of[e.field];
    if (shaped == 0) continue;
    shapes.apart = false;
    for (u32 rest = shaped; rest != 0; rest &= rest - 1) {
      const u32 n = lowest_bit(rest);
      shapes.of[n] ^= (shapes.of[n] ^ place_visible(look, n)) & below(x);
    }
  }
  visit.segment(look, shapes, from, to);
}

struct Collider {
  u32 latches, found;

  ENVPOOL_ALWAYS_INLINE __attribute__((target("avx2"))) void segment(const Look& look, const Shapes& shapes, i32 x0,
                                                                     i32 x1) {
    if ((look.shown & kBlack) == 0) found |= overlapping(shapes, latches & ~found, x0, x1);
  }
};

__attribute__((target("avx2"))) ENVPOOL_NOINLINE u32 find_collisions(const Console& c, u32 latches, i32 from, i32 to) {
  Collider collider{latches, 0};
  for_each_segment(c, objects_of_latches(latches), kCollidedEnds, from, to, collider);
  return collider.found;
}

// Whether each pixel of a segment has another colour than the first and the third of a Look, and another colour than
// the first two: the lower and the upper bit of the number of its colour.
struct ColourNumbers {
  Pixels not_0_or_2, not_0_or_1;
};

ENVPOOL_AVX2_FN ColourNumbers number_colours(const Shapes& shapes, bool score, bool priority) {
  const Pixels ones = _mm256_set1_epi32(-1);
  Pixels pair0 = shapes.of[kPlayer0] | shapes.of[kMissile0];
  Pixels pair1 = shapes.of[kPlayer1] | shapes.of[kMissile1];
  Pixels field = shapes.of[kBall];
  if (score) {
    const Pixels left = below(kWidth / 2);
    pair0 |= shapes.of[kPlayfield] & left;
    pair1 |= without(shapes.of[kPlayfield], left);
  } else {
    field |= shapes.of[kPlayfield];
  }
  const Pixels pairs = pair0 | pair1;
  if (priority) return {(pair0 | field) ^ ones, without(pairs, field) ^ ones};
  return {(pair0 | without(field, pair1)) ^ ones, pairs ^ ones};
}

// Returns `bit` in each byte whose pixel of pixels 32 b to 32 b + 31 is in a set, and 0 in the others.
ENVPOOL_AVX2_FN __m256i bytes_of_pixels(Pixels pixels, i32 b, char bit) {
  const __m256i byte_of = _mm256_setr_epi64x(0, 0x0101010101010101ll, 0x0202020202020202ll, 0x0303030303030303ll);
  const __m256i bit_of = _mm256_set1_epi64x(static_cast<i64>(0x8040201008040201ull));
  const __m256i copies = _mm256_permutevar8x32_epi32(pixels, _mm256_set1_epi32(b));
  return _mm256_cmpeq_epi8(_mm256_shuffle_epi8(copies, byte_of) & bit_of, bit_of) & _mm256_set1_epi8(bit);
}

ENVPOOL_AVX2_FN __m256i colours_of(__m256i colours, const ColourNumbers& numbers, i32 b) {
  return _mm256_shuffle_epi8(colours,
                             bytes_of_pixels(numbers.not_0_or_2, b, 1) | bytes_of_pixels(numbers.not_0_or_1, b, 2));
}

// Returns the bytes from..end-1 of a vector, where `from` may be negative and `end` more than 32.
ENVPOOL_AVX2_FN __m256i span(i32 from, i32 end) {
  if (from < 0) from = 0;
  if (end > 32) end = 32;
  const __m256i x = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                                     23, 24, 25, 26, 27, 28, 29, 30, 31);
  return _mm256_cmpgt_epi8(x, _mm256_set1_epi8(static_cast<char>(from - 1))) &
         _mm256_cmpgt_epi8(_mm256_set1_epi8(static_cast<char>(end)), x);
}

struct Painter {
  u8* row;
  __m256i blanked;  // those of the first 32 pixels that HMOVE blanks
  u32 latches;
  u32 collisions;
  __m256i changes;

  // Paints pixels x0..x1-1, 32 pixels at a time. With both score and priority set, the playfield has the players'
  // colours only if nothing else is visible.
  ENVPOOL_ALWAYS_INLINE __attribute__((target("avx2"))) void segment(const Look& look, const Shapes& shapes, i32 x0,
                                                                     i32 x1) {
    if ((look.shown & kBlack) == 0) collisions |= overlapping(shapes, latches, x0, x1);
    u32 four = 0;
    bool score = (look.control & kScore) != 0, priority = (look.control & kPriority) != 0;
    if (score && priority) {
      score = objects_of(look) == 1u << kPlayfield;
      priority = !score;
    }
    if ((look.shown & kBlack) == 0) std::memcpy(&four, look.colour, sizeof(four));
    const __m256i colours = _mm256_set1_epi32(static_cast<i32>(four));
    const ColourNumbers numbers = number_colours(shapes, score, priority);
    if (x0 == 0 && x1 == kWidth) {
      put(0, without(colours_of(colours, numbers, 0), blanked));
#pragma GCC unroll 4
      for (i32 b = 1; b < kWidth / 32; ++b) put(b, colours_of(colours, numbers, b));
      return;
    }
    for (i32 b = x0 >> 5; b <= (x1 - 1) >> 5; ++b) {
      __m256i value = colours_of(colours, numbers, b);
      if (b == 0) value = without(value, blanked);
      put(b, _mm256_blendv_epi8(load(row + 32 * b), value, span(x0 - 32 * b, x1 - 32 * b)));
    }
  }

  ENVPOOL_ALWAYS_INLINE __attribute__((target("avx2"))) void put(i32 b, __m256i value) {
    __m256i* const to = reinterpret_cast<__m256i*>(row + 32 * b);
    changes |= load(to) ^ value;
    _mm256_storeu_si256(to, value);
  }
};

__attribute__((target("avx2"))) ENVPOOL_NOINLINE Painting paint_line(const Console& c, u64* row, i32 from, i32 to) {
  const i32 blank = c.tia.line.look.blank_left;
  const u32 objects = seen_on_line(c) & kAllObjects;
  Painter painter{reinterpret_cast<u8*>(row), _mm256_setzero_si256(), kLatches.of[objects], 0, _mm256_setzero_si256()};
  bool changed = false;
  if (blank < kNoBlank) {
    painter.blanked = span(blank, kNoBlank);
    if (to < kNoBlank) changed = fill_row(row, blank > from ? blank : from, kNoBlank, 0);
  }
  for_each_segment(c, objects, kPaintedEnds, from, to, painter);
  return {changed || !_mm256_testz_si256(painter.changes, painter.changes), painter.collisions};
}

// Copies a whole row. Returns whether one of its pixels has changed.
__attribute__((target("avx2"))) ENVPOOL_NOINLINE bool copy_row(u64* to, const u64* from) {
  __m256i changes = _mm256_setzero_si256();
#pragma GCC unroll 5
  for (i32 b = 0; b < kWidth / 32; ++b) {
    const __m256i pixels = load(from + 4 * b);
    changes |= load(to + 4 * b) ^ pixels;
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 4 * b), pixels);
  }
  return !_mm256_testz_si256(changes, changes);
}

}  // namespace envpool::atari::avx2

#undef ENVPOOL_AVX2_FN
#endif
