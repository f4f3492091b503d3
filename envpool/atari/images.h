// SPDX-License-Identifier: Apache-2.0
//
// The parts of the images that learners see, which the games of one and of several players share.
#pragma once

#include "envpool/atari/console/console.h"
#include "envpool/atari/resize.h"

namespace envpool::atari {

// Notes that an image is resized from a set of screens. Returns whether the newest image is of the same screens; sets
// `changed` to 1 for the rows that may have changed since then, and to 0 for the others. Without screens, nothing is
// known.
ENVPOOL_FN bool note_resized(Console& console, i32 rows, u32 screens, u8* changed) {
  ScreenMemory& memory = console.memory;
  for (i32 row = 0; row < rows; ++row) {
    changed[row] = (memory.dirty[row] & screens) != 0;
    memory.dirty[row] &= static_cast<u8>(~screens);
  }
  const bool same = screens != 0 && memory.resized == screens;
  memory.resized = static_cast<u8>(screens);
  return same;
}

ENVPOOL_FN void copy(u8* to, const u8* from, i64 bytes) {
#if ENVPOOL_HOST
  if (bytes > 0) std::memcpy(to, from, size_t(bytes));
#else
  // Four loads of 16 bytes at a time hide the latency of memory. Arrays that the host passes to a kernel may have any
  // address.
  struct alignas(16) Quad {
    u32 words[4];
  };
  i64 i = 0;
  if (((reinterpret_cast<u64>(to) | reinterpret_cast<u64>(from)) & 15) == 0) {
    for (; i + 64 <= bytes; i += 64) {
      const Quad* const source = reinterpret_cast<const Quad*>(from + i);
      Quad* const target = reinterpret_cast<Quad*>(to + i);
      const Quad a = source[0], b = source[1], c = source[2], d = source[3];
      target[0] = a, target[1] = b, target[2] = c, target[3] = d;
    }
    for (; i + 16 <= bytes; i += 16) *reinterpret_cast<Quad*>(to + i) = *reinterpret_cast<const Quad*>(from + i);
  }
  for (; i < bytes; ++i) to[i] = from[i];
#endif
}

}  // namespace envpool::atari
