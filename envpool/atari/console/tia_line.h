// SPDX-License-Identifier: Apache-2.0
//
// The contents of a line. A line is known from its Look at the end and its events, which are the changes of the Look
// while the beam was in the visible part.
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

// The objects of each set of the lower or the upper eight latches.
struct LatchObjectsTable {
  u8 of[2][256];
};
constexpr LatchObjectsTable make_latch_objects_table() {
  LatchObjectsTable table{};
  for (u32 n = 0; n < 16; ++n) {
    for (u32 set = 0; set < 256; ++set) {
      if (set >> n % 8 & 1)
        table.of[n / 8][set] |= static_cast<u8>(1u << kLatchObjects[n][0] | 1u << kLatchObjects[n][1]);
    }
  }
  return table;
}
constexpr LatchObjectsTable kObjectsOfLatches = make_latch_objects_table();

ENVPOOL_FN u32 objects_of_latches(u32 latches) {
  return kObjectsOfLatches.of[0][latches & 0xFF] | kObjectsOfLatches.of[1][latches >> 8];
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

// What painting a part of a line finds.
struct Painting {
  bool changed;  // a pixel has another colour than before
  u32 collisions;
};

// Returns the latches that are not set yet, but that this line may have set.
ENVPOOL_ALWAYS_INLINE u32 open_latches(const Console& c) {
  return kLatches.of[seen_on_line(c) & kAllObjects] & ~u32{c.tia.collisions};
}

}  // namespace envpool::atari
