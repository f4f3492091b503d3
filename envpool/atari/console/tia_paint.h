// SPDX-License-Identifier: Apache-2.0
//
// Converts pixels and colours of objects to palette indices. Screen rows have 160 bytes, with eight pixels per word.
#pragma once

#include "envpool/atari/console/tia_objects.h"
#include "envpool/core/math/simd.h"

#if ENVPOOL_NEON
#include <arm_neon.h>

#include <cstring>
#endif

namespace envpool::atari {

// Byte masks: byte i of of[n] is 0xFF if bit i of n is 1, else 0.
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

// of[n] is the set of pixels x < n of a 160-pixel line. The fourth word makes a vector of it.
struct BelowTable {
  u64 of[kWidth + 1][4];
};
constexpr BelowTable make_below_table() {
  BelowTable table{};
  for (u32 n = 0; n <= kWidth; ++n) {
    for (u32 x = 0; x < n; ++x) table.of[n][x >> 6] |= 1ull << (x & 63);
  }
  return table;
}
constexpr BelowTable kBelow = make_below_table();

// The pixels of the objects.
struct Shapes {
  u64 of[kObjects][3];
  bool apart;  // no two objects overlap; if false, that is unknown
};

// The contents of a span of a line, and the rules for its colours.
struct Scene {
  const Shapes& shapes;
  const u8* colour;  // of player 0 and missile 0; of player 1 and missile 1; of playfield and ball; of the background
  bool score;        // the playfield has player 0's colour on the left half, and player 1's on the right
  bool priority;     // playfield and ball are in front
};

// For each of the first three colours of a Scene, the set of pixels that have it. A pixel is in at most one set.
struct Layers {
  u64 of[3][3];
};

ENVPOOL_ALWAYS_INLINE Layers make_layers(const Scene& scene) {
  Layers layers;
  for (u32 w = 0; w < 3; ++w) {
    const auto pixels = [&](u32 object) { return scene.shapes.of[object][w]; };
    u64 pair0 = pixels(kPlayer0) | pixels(kMissile0);
    u64 pair1 = pixels(kPlayer1) | pixels(kMissile1);
    u64 field = pixels(kBall);
    if (scene.score) {
      const u64 left = kBelow.of[kWidth / 2][w];
      pair0 |= pixels(kPlayfield) & left;
      pair1 |= pixels(kPlayfield) & ~left;
    } else {
      field |= pixels(kPlayfield);
    }
    if (scene.priority) {
      pair0 &= ~field;
    } else {
      field &= ~(pair0 | pair1);
    }
    layers.of[0][w] = pair0;
    layers.of[1][w] = pair1 & ~(pair0 | field);
    layers.of[2][w] = field;
  }
  return layers;
}

// Sets the pixels x0..x1-1 of a group of 8 pixels, and returns which bits have changed.
ENVPOOL_ALWAYS_INLINE u64 set_group(u64* row, i32 group, i32 x0, i32 x1, u64 value) {
  u64 inside = ~0ull;
  if (group == x0 >> 3) inside &= ~0ull << 8 * (x0 & 7);
  if (group == (x1 - 1) >> 3) inside &= ~0ull >> 8 * (7 - ((x1 - 1) & 7));
  const u64 changes = (row[group] ^ value) & inside;
  row[group] ^= changes;
  return changes;
}

// Fills pixels x0..x1-1 of a row with one colour. Returns whether one of them has changed.
ENVPOOL_FN bool fill_row(u64* row, i32 x0, i32 x1, u8 colour) {
  const u64 value = colour * 0x0101010101010101ull;
  u64 changes = 0;
  for (i32 g = x0 >> 3; g <= (x1 - 1) >> 3; ++g) changes |= set_group(row, g, x0, x1, value);
  return changes != 0;
}

// Paints pixels x0..x1-1 of a row. Returns whether one of them has changed.
ENVPOOL_FN bool paint_words(const Scene& scene, u64* row, i32 x0, i32 x1) {
  constexpr u64 kEverywhere = 0x0101010101010101ull;
  const Layers layers = make_layers(scene);
  const u64 background = scene.colour[3] * kEverywhere;
  u64 colour[3];
  for (u32 k = 0; k < 3; ++k) colour[k] = background ^ scene.colour[k] * kEverywhere;
  u64 changes = 0;
  for (i32 g = x0 >> 3; g <= (x1 - 1) >> 3; ++g) {
    u64 value = background;
    for (u32 k = 0; k < 3; ++k) value ^= kBytes.of[layers.of[k][g >> 3] >> 8 * (g & 7) & 0xFF] & colour[k];
    changes |= set_group(row, g, x0, x1, value);
  }
  return changes != 0;
}

#if ENVPOOL_NEON

// Like paint_words(), but paints 16 pixels at a time.
inline bool paint_simd(const Scene& scene, u64* row, i32 x0, i32 x1) {
  const Layers layers = make_layers(scene);
  uint8x16_t colour[3];
  for (u32 k = 0; k < 3; ++k) colour[k] = vdupq_n_u8(scene.colour[k]);
  const uint8x16_t background = vdupq_n_u8(scene.colour[3]);
  const uint8x16_t byte_of = vcombine_u8(vdup_n_u8(0), vdup_n_u8(1));
  const uint8x16_t bit_of = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201ull));
  const auto pixels = [&](i32 b) {
    uint8x16_t value = background;
    for (u32 k = 0; k < 3; ++k) {
      u16 set;
      std::memcpy(&set, reinterpret_cast<const u8*>(layers.of[k]) + 2 * b, sizeof(set));
      const uint8x16_t bytes = vqtbl1q_u8(vreinterpretq_u8_u16(vdupq_n_u16(set)), byte_of);
      value = vbslq_u8(vtstq_u8(bytes, bit_of), colour[k], value);
    }
    return value;
  };
  u8* const to = reinterpret_cast<u8*>(row);
  uint8x16_t changes = vdupq_n_u8(0);
  const auto put = [&](i32 b, uint8x16_t before, uint8x16_t value) {
    changes = vorrq_u8(changes, veorq_u8(before, value));
    vst1q_u8(to + 16 * b, value);
  };
  const auto paint_part = [&](i32 b, i32 from, i32 end) {
    constexpr u8 kIndices[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint8x16_t x = vld1q_u8(kIndices);
    const uint8x16_t inside = vandq_u8(vcgeq_u8(x, vdupq_n_u8(u8(from))), vcltq_u8(x, vdupq_n_u8(u8(end))));
    const uint8x16_t before = vld1q_u8(to + 16 * b);
    put(b, before, vbslq_u8(inside, pixels(b), before));
  };
  const i32 first = x0 >> 4, last = (x1 - 1) >> 4;
  i32 b = first;
  if ((x0 & 15) != 0) {
    paint_part(b, x0 & 15, first == last ? x1 - 16 * last : 16);
    ++b;
  }
  for (; b < x1 >> 4; ++b) put(b, vld1q_u8(to + 16 * b), pixels(b));
  if (b == last) paint_part(b, 0, x1 - 16 * last);
  return vmaxvq_u8(changes) != 0;
}

#endif

ENVPOOL_FN bool paint(const Scene& scene, u64* row, i32 x0, i32 x1) {
#if ENVPOOL_NEON
  if (has_simd()) return paint_simd(scene, row, x0, x1);
#endif
  return paint_words(scene, row, x0, x1);
}

}  // namespace envpool::atari
