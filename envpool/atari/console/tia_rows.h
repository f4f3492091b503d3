// SPDX-License-Identifier: Apache-2.0
//
// Most rows of a screen look as they did in the frame before, although the program writes them again.
// ScreenMemory::painted therefore holds the line that each row of the two screens shows. A line that equals the one
// that is there needs no painting, and has the same collisions. A line often equals the row above, or the same row of
// the other screen, which are copied. The comparison is exact. It ignores only fields that cannot matter, such as the
// position of a player without graphics.
#pragma once

#include "envpool/atari/console/tia_segments.h"

namespace envpool::atari {

// The contents of a line decide which of its bits matter. They are 1 plus the set of the objects that the line shows,
// with or without kWithScore, or kBlackLine if VBLANK blanks the line.
constexpr u32 kBlackLine = 1 + (2 << kObjects);

// The bits of a Line that matter.
struct LineMask {
  u64 word[sizeof(Line) / 8];
};
struct RelevanceTable {  // by contents
  LineMask pixels[kBlackLine + 1];
  LineMask collisions[kBlackLine + 1];
};
constexpr RelevanceTable make_relevance_table() {
  RelevanceTable table{};
  for (u32 set = 0; set < 2 << kObjects; ++set) {
    const auto has = [&](u32 object) { return (set >> object & 1) != 0; };
    const bool field = has(kPlayfield), ball = has(kBall), score = field && (set & kWithScore);
    LineMask mask{};
    const auto need = [&](bool condition, u64 at, u64 bits) {
      if (condition) mask.word[at / 8] |= bits << 8 * (at % 8);
    };
    // Whether an object is visible always matters.
    need(true, kShownAt, kShowable | kBlack);
    for (u32 i = 0; i < 3; ++i) need(true, kPlayfieldAt + i, 0xFF);
    for (u32 i = 0; i < 2; ++i) {
      need(true, kGraphicsAt + i, 0xFF);
      need(has(kPlayer0 + i), kSizeAt + i, 7 | kReflected | kSuppressed);
      need(has(kMissile0 + i), kSizeAt + i, 0x37);
    }
    for (u32 i = 0; i < 5; ++i) need(has(i), kPosAt + i, 0xFF);
    need(has(kMissile0), kControlAt, kWidened | kInvisible);
    need(ball, kControlAt, 0x30);
    need(field, kControlAt, kMirrored);
    table.collisions[1 + set] = mask;
    need(field || ball, kControlAt, kScore | kPriority);
    for (u32 i = 0; i < 2; ++i) {
      need(has(kPlayer0 + i) || has(kMissile0 + i) || score, kColourAt + i, 0xFF);
    }
    need(field || ball, kColourAt + 2, 0xFF);
    need(true, kColourAt + 3, 0xFF);
    need(true, kBlankLeftAt, 0xFF);
    table.pixels[1 + set] = mask;
  }
  LineMask black{};
  black.word[kShownAt / 8] = u64{kBlack} << 8 * (kShownAt % 8);
  table.pixels[kBlackLine] = table.collisions[kBlackLine] = black;
  return table;
}
constexpr RelevanceTable kRelevance = make_relevance_table();

ENVPOOL_FN bool equal(const Event& a, const Event& b) {
  return a.x == b.x && a.field == b.field && a.before == b.before;
}

#if ENVPOOL_HOST
// Returns the eight bytes at an offset from an address.
ENVPOOL_ALWAYS_INLINE u64 load_word(const void* from, u32 offset) {
  u64 word;
  __builtin_memcpy(&word, static_cast<const u8*>(from) + offset, sizeof(word));
  return word;
}
#endif

// Returns whether VBLANK blanks this whole line.
ENVPOOL_ALWAYS_INLINE bool is_black(const Line& line) { return (line.look.shown & kBlack) && line.events == 0; }

// Returns whether this line cannot set a latch that is not set yet.
ENVPOOL_ALWAYS_INLINE bool has_no_new_collisions(const Console& c) {
  return is_black(c.tia.line) || open_latches(c) == 0;
}

// Returns the contents of this line.
ENVPOOL_ALWAYS_INLINE u32 contents_of_line(const Console& c) {
  return is_black(c.tia.line) ? kBlackLine : 1 + seen_on_line(c);
}

// Returns whether this line and a painted one have the same events. The painted line may come from a user's state, with
// any bytes.
ENVPOOL_ALWAYS_INLINE bool equal_events(const Console& c, const Line& painted) {
  const u32 count = c.tia.line.events;
  if (count != painted.events) return false;
  if (count == 0) return true;
  if (painted.first_event + count > c.memory.kept_events) return false;
  const Event *a = current_events(c), *b = c.memory.event + painted.first_event;
#if ENVPOOL_HOST  // compares eight bytes at a time
  u32 at = 0;
  const auto differ = [&] { return load_word(a, at) ^ load_word(b, at); };
  for (; at + 8 <= count * sizeof(Event); at += 8) {
    if (differ() != 0) return false;
  }
  const u32 rest = count * sizeof(Event) - at;
  return rest == 0 || differ() << (64 - 8 * rest) == 0;
#else
  for (u32 i = 0; i < count; ++i) {
    if (!equal(a[i], b[i])) return false;
  }
  return true;
#endif
}

// Returns whether this line, which is not drawn and thus lacks events of colours, and a painted one have the same
// events otherwise.
ENVPOOL_FN bool equal_events_but_colours(const Console& c, const Line& painted) {
  if (u32{painted.first_event} + painted.events > c.memory.kept_events) return false;
  const Event *a = current_events(c), *b = c.memory.event + painted.first_event;
  const Event *const a_end = a + c.tia.line.events, *const b_end = b + painted.events;
  for (; b != b_end; ++b) {
    if (b->field >= kColourAt) continue;
    if (a == a_end || !equal(*a, *b)) return false;
    ++a;
  }
  return a == a_end;
}

ENVPOOL_ALWAYS_INLINE bool is_known(const Console& c, u32 screen, i32 row) {
  return c.memory.contents[screen][row] != 0;
}

ENVPOOL_ALWAYS_INLINE u64 word_of(const Line& line, u32 index) {
#if ENVPOOL_HOST
  return load_word(&line, 8 * index);
#else
  return reinterpret_cast<const u64*>(&line)[index];  // NVRTC has no memcpy
#endif
}

// Returns the bits that matter and differ, in one word.
ENVPOOL_ALWAYS_INLINE u64 differences(const Line& a, const Line& b, const LineMask& mask) {
  u64 result = 0;
  for (u32 w = 0; w < 3; ++w) result |= (word_of(a, w) ^ word_of(b, w)) & mask.word[w];
  return result;
}

// Return whether this line has the pixels, or at least the collisions, of the line that is painted in a row of a
// screen. Both lines then have the same contents, so that the mask of either one is right for both.
ENVPOOL_ALWAYS_INLINE bool is_painted(const Console& c, u32 screen, i32 row, const LineMask& pixels) {
  const Line& painted = c.memory.painted[screen][row];
  return is_known(c, screen, row) && differences(c.tia.line, painted, pixels) == 0 && equal_events(c, painted);
}
ENVPOOL_FN bool collides_as_painted(const Console& c, u32 screen, i32 row, const LineMask& collisions) {
  const Line& painted = c.memory.painted[screen][row];
  return is_known(c, screen, row) && differences(c.tia.line, painted, collisions) == 0 &&
         equal_events_but_colours(c, painted);
}

ENVPOOL_FN u64* row_of(Console& c, u32 screen, i32 row) { return screen_of(c, screen) + row * kWordsPerRow; }
ENVPOOL_FN u64* current_row(Console& c) { return row_of(c, c.buffer, c.tia.row); }

// Call this after changing pixels of a row of the current screen.
ENVPOOL_FN void forget_row(Console& c, i32 row) {
  c.memory.contents[c.buffer][row] = 0;
  c.memory.dirty[row] |= static_cast<u8>(1u << c.buffer);
}

ENVPOOL_FN void clear_screens(Console& c) {
  u64* const words = screen_of(c, 0);
  for (u32 i = 0, count = kScreens * c.screen_words; i < count; ++i) words[i] = 0;
}

ENVPOOL_FN void forget_all_rows(Console& c) {
  for (auto& screen : c.memory.contents) {
    for (u8& contents : screen) contents = 0;
  }
  for (u8& dirty : c.memory.dirty) dirty = 3;
  c.memory.resized = 0;
  c.memory.kept_events = 0;
}

// Calls visit(line, screen, row) for the known lines that have events. A line of a user's state may claim events that
// do not exist.
template <class Visit>
ENVPOOL_ALWAYS_INLINE void for_each_line_with_events(Console& c, Visit visit) {
  for (i32 row = 0; row < kMaxHeight; ++row) {
    for (u32 screen = 0; screen < 2; ++screen) {
      Line& line = c.memory.painted[screen][row];
      if (line.events == 0 || !is_known(c, screen, row)) continue;
      if (u32{line.first_event} + line.events <= c.memory.kept_events) visit(line, screen, row);
    }
  }
}

// Removes the events that no painted line has any more. If too many are left, forgets the lines that have them.
ENVPOOL_NOINLINE void collect_events(Console& c) {
  constexpr u32 kWords = (kEvents + 63) / 64;
  u64 used[kWords] = {};
  for_each_line_with_events(c, [&](const Line& line, u32, i32) {
    const u32 end = u32{line.first_event} + line.events;
    for (u32 i = line.first_event, next; i < end; i = next) {
      const u32 word_end = (i / 64 + 1) * 64;
      next = end < word_end ? end : word_end;
      used[i / 64] |= ~0ull >> (64 - (next - i)) << (i % 64);
    }
  });
  u16 before[kWords], count = 0;  // the number of used events before each word
  for (u32 w = 0; w < kWords; ++w) {
    before[w] = count;
    for (u64 rest = used[w]; rest != 0; rest &= rest - 1)
      c.memory.event[count++] = c.memory.event[64 * w + lowest_bit(rest)];
  }
  const bool fits = count <= kKeptEvents / 4 * 3;
  for_each_line_with_events(c, [&](Line& line, u32 screen, i32 row) {
    if (!fits) c.memory.contents[screen][row] = 0;
    const u32 word = line.first_event / 64, bit = line.first_event % 64;
    line.first_event = static_cast<u16>(before[word] + count_bits(used[word] & ((1ull << bit) - 1)));
  });
  c.memory.kept_events = fits ? count : 0;
}

// Adds the first `count` events of the current line to those that are kept, and returns their place. Shares the events
// of a painted line nearby if they are the same. That is often the case, because sprites move in front of a playfield
// that changes in every line in the same way.
ENVPOOL_FN u32 keep_events(Console& c, u32 count) {
  constexpr i32 kNear = 3;
  if (count == 0) return 0;
  const Event* const events = current_events(c);
  for (i32 row = c.tia.row; row >= 0 && row > c.tia.row - kNear; --row) {
    for (u32 screen = 0; screen < 2; ++screen) {
      const Line& line = c.memory.painted[screen][row];
      if (line.events != count || !is_known(c, screen, row) || line.first_event + count > c.memory.kept_events)
        continue;
      u32 same = 0;
      while (same < count && equal(c.memory.event[line.first_event + same], events[same])) ++same;
      if (same == count) return line.first_event;
    }
  }
  c.memory.kept_events += count;
  return c.memory.kept_events - count;
}

// Notes that this line is painted in its row.
ENVPOOL_FN void remember_row(Console& c, u32 contents, u32 collisions) {
  const Tia& t = c.tia;
  Line& painted = c.memory.painted[c.buffer][t.row];
  painted.look = t.line.look;
  painted.events = t.line.events;
  painted.first_event = static_cast<u16>(keep_events(c, t.line.events));
  painted.collisions = static_cast<u16>(collisions);
  c.memory.contents[c.buffer][t.row] = static_cast<u8>(contents);
  if (c.memory.kept_events > kKeptEvents) collect_events(c);
}

// Copies a row that equals this line, with all that is known of it.
ENVPOOL_FN void copy_painted(Console& c, u32 screen, i32 row) {
  const u32 to = c.buffer;
  if (copy_row(current_row(c), row_of(c, screen, row))) c.memory.dirty[c.tia.row] |= static_cast<u8>(1u << to);
  c.memory.painted[to][c.tia.row] = c.memory.painted[screen][row];
  c.memory.contents[to][c.tia.row] = c.memory.contents[screen][row];
}

// Rows that often show the same line as the current one. Each is `above` rows higher, on this screen or on the other
// one, which holds the frame before. Pictures that scroll move by a few rows from frame to frame.
struct Neighbour {
  u8 other, above;
};
constexpr u32 kNeighbourCount = 6;
constexpr Neighbour kNeighbours[kNeighbourCount] = {{0, 1}, {1, 0}, {1, 1}, {1, 2}, {1, 3}, {0, 2}};

// Calls take(screen, row) for the neighbours whose line may equal this one, until it returns true. Returns whether it
// has done so.
template <class Take>
ENVPOOL_ALWAYS_INLINE bool take_neighbour(const Console& c, const LineMask& mask, Take take) {
  const i32 row = c.tia.row;
  const Line* const here[2] = {&c.memory.painted[c.buffer][row], &c.memory.painted[c.buffer ^ 1][row]};
  const u64 first = word_of(c.tia.line, 0);
  u32 candidates = 0;
#if ENVPOOL_HOST
#pragma GCC unroll 6
#endif
  for (u32 n = 0; n < kNeighbourCount; ++n) {
    const Neighbour neighbour = kNeighbours[n];
    if (row < neighbour.above) continue;
    if (((word_of(*(here[neighbour.other] - neighbour.above), 0) ^ first) & mask.word[0]) == 0) candidates |= 1u << n;
  }
  for (; candidates != 0; candidates &= candidates - 1) {
    const Neighbour neighbour = kNeighbours[lowest_bit(candidates)];
    if (take(c.buffer ^ neighbour.other, row - neighbour.above)) return true;
  }
  return false;
}

// Makes the current row of the screen show this line. Afterwards, the line has lost its events.
ENVPOOL_NOINLINE void paint_row(Console& c, u32 contents) {
  const LineMask& mask = kRelevance.pixels[contents];
  const bool copied = take_neighbour(c, mask, [&](u32 screen, i32 row) {
    if (!is_painted(c, screen, row, mask)) return false;
    copy_painted(c, screen, row);
    return true;
  });
  if (copied) return;
  const Painting painting = paint_line(c, current_row(c), 0, kWidth);
  if (painting.changed) c.memory.dirty[c.tia.row] |= static_cast<u8>(1u << c.buffer);
  remember_row(c, contents, painting.collisions);
}

// Adds the collisions of a line that is painted. Returns false if it cannot, because the latches have been cleared in
// the middle of the line.
ENVPOOL_ALWAYS_INLINE bool add_collisions(Tia& t, const Line& painted) {
  const u32 added = painted.collisions & ~u32{t.collisions};
  if (added != 0 && t.collided != 0) return false;
  t.collisions |= static_cast<u16>(added);
  return true;
}

// Completes a whole line if that is simple: there is nothing to paint, and its collisions are known. Returns false if
// more work is needed. The mask of the painted line takes fewer instructions to find than that of this line.
ENVPOOL_ALWAYS_INLINE bool finish_simple_row(Console& c) {
  Tia& t = c.tia;
  if (t.finished != 0) return false;
  if (!c.drawing && has_no_new_collisions(c)) return true;
  const u32 contents = c.memory.contents[c.buffer][t.row];
  const bool same = c.drawing ? is_painted(c, c.buffer, t.row, kRelevance.pixels[contents])
                              : collides_as_painted(c, c.buffer, t.row, kRelevance.collisions[contents]);
  return same && add_collisions(t, c.memory.painted[c.buffer][t.row]);
}

// Completes a whole line of a frame that is drawn, if finish_simple_row() could not.
ENVPOOL_FN void draw_row(Console& c) {
  Tia& t = c.tia;
  const Line& painted = c.memory.painted[c.buffer][t.row];
  const u32 contents = contents_of_line(c);
  if (t.collided != 0) {
    collide(c, kWidth);
    if (!is_painted(c, c.buffer, t.row, kRelevance.pixels[contents])) paint_row(c, contents);
  } else {
    paint_row(c, contents);
    t.collisions |= painted.collisions;
  }
}

// Completes a whole line of a frame that is not drawn, if finish_simple_row() could not. Its collisions are known if a
// row nearby shows the line.
ENVPOOL_FN void skip_row(Console& c) {
  Tia& t = c.tia;
  const LineMask& mask = kRelevance.collisions[contents_of_line(c)];
  const auto take = [&](u32 screen, i32 row) {
    return collides_as_painted(c, screen, row, mask) && add_collisions(t, c.memory.painted[screen][row]);
  };
  if (t.collided == 0 ? take_neighbour(c, mask, take) : take(c.buffer ^ 1, t.row)) return;
  collide(c, kWidth);
}

// Completes the part of a line that precedes pixel x, or the rest of a line of which a part was completed.
ENVPOOL_NOINLINE void finish_part(Console& c, i32 x) {
  Tia& t = c.tia;
  if (x <= t.finished) return;
  collide(c, x);
  if (!c.drawing) return;
  paint_line(c, current_row(c), t.finished, x);
  forget_row(c, t.row);
}

// Completes the current line if finish_simple_row() could not.
ENVPOOL_NOINLINE void finish_other_row(Console& c) {
  if (c.tia.finished != 0) {
    finish_part(c, kWidth);
  } else if (c.drawing) {
    draw_row(c);
  } else {
    skip_row(c);
  }
}

// Completes this line, or the part of it that precedes pixel x.
ENVPOOL_FN void finish_row(Console& c, i32 x) {
  Tia& t = c.tia;
  if (x != kWidth) {
    finish_part(c, x);
  } else if (!finish_simple_row(c)) {
    finish_other_row(c);
  }
  t.line.events = t.seen = 0;
  t.finished = static_cast<u8>(x);
}

}  // namespace envpool::atari
