// SPDX-License-Identifier: Apache-2.0
//
// Random lines of a screen, with up to four events.
#pragma once

#include <cstddef>

#include "envpool/atari/console/tia_rows.h"
#include "envpool/core/math/rng.h"

namespace envpool::atari {

struct RandomLine {
  Line line{};
  Event event[4];
};

inline u8 random_field(Rng& rng, u32 field) {
  const auto within = [&](u64 begin, u64 count) { return field >= begin && field < begin + count; };
  if (within(offsetof(Look, pos), 5)) return u8(rng.below(160));
  if (within(offsetof(Look, graphics), 2) || within(offsetof(Look, playfield), 3)) {
    return rng.below(2) == 0 ? 0 : u8(rng.bits());
  }
  if (field == offsetof(Look, shown)) return u8(rng.bits() & (rng.below(4) == 0 ? kShowable | kBlack : kShowable));
  if (field == offsetof(Look, control)) {
    return u8((rng.bits() & (0x30 | kScore | kPriority | kMirrored)) | (rng.below(3) << 6));
  }
  if (field == offsetof(Look, blank_left)) return u8(rng.below(9));
  return u8(rng.bits());
}

inline RandomLine random_line(Rng& rng) {
  RandomLine result;
  u8* const bytes = bytes_of(result.line.look);
  for (u32 i = 0; i < sizeof(Look); ++i) bytes[i] = random_field(rng, i);
  result.line.events = u8(rng.below(5));
  for (u32 i = 0; i < 4; ++i) {
    const u32 field = rng.below(offsetof(Look, blank_left));
    result.event[i] = {u8(1 + 40 * i + rng.below(40)), u8(field), random_field(rng, field)};
  }
  return result;
}

// Makes this the current line of a console. Frames that are not drawn have no events of colours.
inline void set_line(Console& c, const RandomLine& line, bool with_colours = true) {
  Tia& t = c.tia;
  t.line = line.line;
  t.line.events = t.seen = 0;
  for (u32 i = 0; i < line.line.events; ++i) {
    const Event e = line.event[i];
    if (e.field >= kColourAt && !with_colours) continue;
    t.seen |= u8(shown_by(e.field, e.before));
    current_events(c)[t.line.events++] = e;
  }
}

}  // namespace envpool::atari
