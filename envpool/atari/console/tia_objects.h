// SPDX-License-Identifier: Apache-2.0
//
// Shapes of the six TIA objects on one line, as 160-bit masks.
#pragma once

#include "envpool/atari/console/state.h"

namespace envpool::atari {

enum TiaRegister : u8 {
  kVsync,
  kVblank,
  kWsync,
  kRsync,
  kNusiz0,
  kNusiz1,
  kColup0,
  kColup1,
  kColupf,
  kColubk,
  kCtrlpf,
  kRefp0,
  kRefp1,
  kPf0,
  kPf1,
  kPf2,
  kResp0,
  kResp1,
  kResm0,
  kResm1,
  kResbl,
  kAudio0,
  kGrp0 = 0x1B,
  kGrp1,
  kEnam0,
  kEnam1,
  kEnabl,
  kHmp0,
  kHmp1,
  kHmm0,
  kHmm1,
  kHmbl,
  kVdelp0,
  kVdelp1,
  kVdelbl,
  kResmp0,
  kResmp1,
  kHmove,
  kHmclr,
  kCxclr,
};

struct ReverseTable {
  u8 of[256];
};
constexpr ReverseTable make_reverse_table() {
  ReverseTable table{};
  for (u32 v = 0; v < 256; ++v) {
    for (u32 i = 0; i < 8; ++i) table.of[v] |= static_cast<u8>((v >> i & 1) << (7 - i));
  }
  return table;
}
constexpr ReverseTable kReverse = make_reverse_table();

ENVPOOL_FN u32 reverse8(u32 v) { return kReverse.of[v]; }

// Repeats every bit of a 16-bit number four times.
constexpr ENVPOOL_FN u64 widen4(u64 v) {
  v = (v | v << 24) & 0x000000FF000000FFull;
  v = (v | v << 12) & 0x000F000F000F000Full;
  v = (v | v << 6) & 0x0303030303030303ull;
  v = (v | v << 3) & 0x1111111111111111ull;
  return v * 15;
}

// Repeats every bit of a number of up to 32 bits twice.
ENVPOOL_FN u64 widen2(u64 v) {
  v = (v | v << 16) & 0x0000FFFF0000FFFFull;
  v = (v | v << 8) & 0x00FF00FF00FF00FFull;
  v = (v | v << 4) & 0x0F0F0F0F0F0F0F0Full;
  v = (v | v << 2) & 0x3333333333333333ull;
  v = (v | v << 1) & 0x5555555555555555ull;
  return v * 3;
}

// For each value of NUSIZ, the distances of an object's copies from its position, in pixels; 255 ends a list.
constexpr u8 kCopies[8][4] = {{0, 255, 255, 255}, {0, 16, 255, 255},  {0, 32, 255, 255}, {0, 16, 32, 255},
                              {0, 64, 255, 255},  {0, 255, 255, 255}, {0, 32, 64, 255},  {0, 255, 255, 255}};

// For each value of NUSIZ, the copies of an object as factors of its pattern of up to 8 pixels: `low` puts copies at
// distances 0, 16 and 32, and `high` at distance 64.
struct CopyFactors {
  u64 low, high;
};
struct CopyTable {
  CopyFactors of[8];
};
constexpr CopyTable make_copy_table() {
  CopyTable table{};
  for (u32 mode = 0; mode < 8; ++mode) {
    for (u32 i = 0; kCopies[mode][i] != 255; ++i) {
      const u32 distance = kCopies[mode][i];
      (distance < 64 ? table.of[mode].low : table.of[mode].high) |= 1ull << distance % 64;
    }
  }
  return table;
}
constexpr CopyTable kCopyFactors = make_copy_table();

// Computes the pixels of a pattern at a position of the line, which wraps around after 160 pixels. The pattern has 64
// pixels in `low` and up to 8 more in `high`.
ENVPOOL_ALWAYS_INLINE void place(u64 low, u64 high, u32 position, u64* to) {
  if (position >= 160) position -= 160;
  const u32 word = position >> 6, shift = position & 63;
  const u64 a = low << shift, b = low >> 1 >> (63 - shift) | high << shift, c = high >> 1 >> (63 - shift);
  const u64 second = word == 0 ? b : word == 1 ? a : 0, third = word == 0 ? c : word == 1 ? b : a;
  const u64 fourth = word == 0 ? 0 : word == 1 ? c : b;
  to[0] = (word == 0 ? a : 0) | third >> 32 | fourth << 32;
  to[1] = second | fourth >> 32;
  to[2] = third & 0xFFFFFFFFull;
}

constexpr u32 kShowable = 1u << kMissile0 | 1u << kMissile1 | 1u << kBall;  // the objects in Look::shown

// Returns the objects that are visible.
ENVPOOL_FN u32 objects_of(const Look& look) {
  const u32 field = look.playfield[0] | look.playfield[1] | look.playfield[2];
  return static_cast<u32>(look.graphics[0] != 0) << kPlayer0 | static_cast<u32>(look.graphics[1] != 0) << kPlayer1 |
         (look.shown & kShowable) | static_cast<u32>(field != 0) << kPlayfield;
}

// Computes the pixels that a player would have with these graphics. Bit 7 is the leftmost pixel, unless the player is
// reflected.
ENVPOOL_FN void place_player(const Look& look, u32 player, u32 graphics, u64* to) {
  const u32 mode = look.size[player] & 7;
  const u64 pattern = look.size[player] & kReflected ? graphics : reverse8(graphics);
  CopyFactors copies = kCopyFactors.of[mode];
  if (look.size[player] & kSuppressed) copies.low &= ~1ull;
  if (mode == 5 || mode == 7) {
    place((mode == 5 ? widen2(pattern) : widen4(pattern)) * copies.low, 0, look.pos[player] + 1u, to);
  } else {
    place(pattern * copies.low, pattern * copies.high, look.pos[player], to);
  }
}

// Return the pixels of a missile and of the ball, at the beginning of a word.
ENVPOOL_FN u64 missile_pattern(const Look& look, u32 missile) {
  u32 width_code = look.size[missile] >> 4 & 3;
  if (missile == 0 && (look.control & kWidened)) width_code |= 1;
  return missile == 0 && (look.control & kInvisible) ? 0 : (1ull << (1u << width_code)) - 1;
}
ENVPOOL_FN u64 ball_pattern(const Look& look) { return (1ull << (1u << (look.control >> 4 & 3))) - 1; }

ENVPOOL_FN void place_missile(const Look& look, u32 missile, u64* to) {
  const CopyFactors copies = kCopyFactors.of[look.size[missile] & 7];
  const u64 pattern = missile_pattern(look, missile);
  place(pattern * copies.low, pattern * copies.high, look.pos[kMissile0 + missile], to);
}

// Eight cells of the playfield, each of four pixels, for every value of a register. The lowest bit is the leftmost
// cell.
struct CellTable {
  u32 of[256];
};
constexpr CellTable make_cell_table() {
  CellTable table{};
  for (u32 v = 0; v < 256; ++v) table.of[v] = static_cast<u32>(widen4(v));
  return table;
}
constexpr CellTable kCells = make_cell_table();

// A half of the playfield has 4 cells of PF0, 8 of PF1, whose highest bit is the leftmost cell, and 8 of PF2. The right
// half repeats the left one, or mirrors it.
ENVPOOL_FN void place_playfield(const Look& look, u64* to) {
  const u8* const field = look.playfield;
  const u64 pf0 = kCells.of[field[0] >> 4], pf1 = kCells.of[reverse8(field[1])], pf2 = kCells.of[field[2]];
  to[0] = pf0 | pf1 << 16 | pf2 << 48;
  to[1] = pf2 >> 16;
  if (look.control & kMirrored) {
    const u64 first = kCells.of[reverse8(field[2])], second = kCells.of[field[1]];
    to[1] |= first << 16 | second << 48;
    to[2] = second >> 16 | static_cast<u64>(kCells.of[reverse8(field[0] & 0xF0u)]) << 16;
  } else {
    to[1] |= pf0 << 16 | pf1 << 32;
    to[2] = pf2;
  }
}

// Computes the pixels of an object; bit i of word w is pixel 64 w + i.
ENVPOOL_DEVICE_CALL void place_object(const Look& look, u32 object, u64* to) {
  switch (object) {
    case kPlayer0:
    case kPlayer1: place_player(look, object, look.graphics[object], to); break;
    case kMissile0:
    case kMissile1: place_missile(look, object - kMissile0, to); break;
    case kBall: place(ball_pattern(look), 0, look.pos[kBall], to); break;
    default: place_playfield(look, to);
  }
}

}  // namespace envpool::atari
