// SPDX-License-Identifier: Apache-2.0
//
// The tiles of play2048.h, and how they slide.
#pragma once

#include "envpool/core/math/math.h"
#include "envpool/core/math/simd.h"
#include "envpool/core/types.h"
#include "envpool/pgx/bits.h"
#if ENVPOOL_AVX2
#include <immintrin.h>
#elif ENVPOOL_NEON
#include <arm_neon.h>
#endif

namespace envpool::pgx::tiles {

inline constexpr i32 kSide = 4, kCells = kSide * kSide, kPowers = 31, kActions = 4;

// The tiles of the upper and of the lower half of the board. Each cell has a byte: the power of two of its tile, or 0
// if it is empty.
struct Tiles {
  u64 half[2];

  ENVPOOL_FN u32 power(i32 cell) const { return u32(half[cell >> 3] >> 8 * (cell & 7)) & 0xFF; }
};

// This code is for GPUs, and for CPUs without SIMD code.
namespace plain {

// Returns a row, or with kColumn a column, whose first cell is the lowest byte.
template <bool kColumn>
ENVPOOL_FN u32 line_of(const Tiles& t, i32 line) {
  if constexpr (!kColumn) return u32(t.half[line >> 1] >> 32 * (line & 1));
  const u32 shift = 8 * u32(line);
  return (u32(t.half[0]) >> shift & 0xFF) | (u32(t.half[0] >> 32) >> shift & 0xFF) << 8 |
         (u32(t.half[1]) >> shift & 0xFF) << 16 | (u32(t.half[1] >> 32) >> shift & 0xFF) << 24;
}
// Exchanges rows and columns.
ENVPOOL_FN Tiles transposed(const Tiles& t) {
  return {{line_of<true>(t, 0) | u64{line_of<true>(t, 1)} << 32, line_of<true>(t, 2) | u64{line_of<true>(t, 3)} << 32}};
}

// Returns the highest bit of each byte that is not 0. Bytes are less than 128.
ENVPOOL_FN u64 filled(u64 cells) { return (cells + 0x7F7F7F7F7F7F7F7F) & 0x8080808080808080; }

// Returns whether tiles of two lines slide towards the first cells (bit 0) and towards the last ones (bit 1).
ENVPOOL_FN u32 slides(u64 lines) {
  constexpr u64 kAllButLast = 0x00FFFFFF00FFFFFF;
  const u64 cells = lines & kAllButLast, next = lines >> 8 & kAllButLast;
  const u64 here = filled(cells), there = filled(next), different = filled(cells ^ next);
  return u32((there & ~(here & different)) != 0) | u32((here & ~(there & different)) != 0) << 1;
}
ENVPOOL_FN u8 legal_actions(const Tiles& t) {
  const Tiles across = transposed(t);
  const u32 rows = slides(t.half[0]) | slides(t.half[1]), columns = slides(across.half[0]) | slides(across.half[1]);
  return u8((rows & 1) | (columns & 1) << 1 | (rows & 2) << 1 | (columns & 2) << 2);
}

// Moves the tiles of a line to its first cells. There are no branches, which would be mispredicted.
ENVPOOL_FN u32 packed(u32 line) {
  u64 found = 0;
  u32 shift = 0;
  for (i32 k = 0; k < kSide; ++k, line >>= 8) {
    found |= u64{line & 0xFF} << shift;
    shift += (line & 0xFF) != 0 ? 8 : 0;
  }
  return u32(found);
}
// Slides a line to its first cell. Adds the tiles that are made to `sum`.
ENVPOOL_FN u32 slid(u32 line, u32& sum) {
  line = packed(line);
  for (i32 shift = 0; shift + 8 < 8 * kSide; shift += 8) {
    const u32 tile = line >> shift & 0xFF, next = line >> (shift + 8) & 0xFF;
    const u32 merges = u32(tile != 0) & u32(tile == next), made = min(tile + merges, u32{kPowers - 1});
    sum += merges << made;
    line = (line & ~(0xFFu << shift) & ~((0u - merges) & 0xFFu << (shift + 8))) | made << shift;
  }
  return packed(line);
}
ENVPOOL_FN u32 reversed(u32 line) { return line >> 24 | (line >> 8 & 0xFF00) | (line << 8 & 0xFF0000) | line << 24; }
ENVPOOL_FN u32 slide(Tiles& t, i32 action) {
  Tiles lines{};  // the lines along which the tiles slide
  u32 sum = 0;
  for (i32 line = 0; line < kSide; ++line) {
    u32 found = action % 2 == 0 ? line_of<false>(t, line) : line_of<true>(t, line);
    found = slid(action < 2 ? found : reversed(found), sum);
    found = action < 2 ? found : reversed(found);
    lines.half[line >> 1] |= u64{found} << 32 * (line & 1);
  }
  t = action % 2 == 0 ? lines : transposed(lines);
  return sum;
}

// Returns a byte of 1 for each cell that is empty.
ENVPOOL_FN u64 empty(u64 cells) { return (~(cells + 0x7F7F7F7F7F7F7F7F) & 0x8080808080808080) >> 7; }

ENVPOOL_FN u32 count_empty(const Tiles& t) {
  constexpr u64 kOnes = 0x0101010101010101;
  return u32((empty(t.half[0]) + empty(t.half[1])) * kOnes >> 56);
}
ENVPOOL_FN void put(Tiles& t, u32 n, u32 power) {
  constexpr u64 kOnes = 0x0101010101010101, kHighest = 0x8080808080808080;
  // For each cell, the number of empty cells up to it, in its half of the board.
  const u64 lower = empty(t.half[0]) * kOnes, upper = empty(t.half[1]) * kOnes;
  const u32 in_lower = u32(lower >> 56);
  const bool is_upper = n >= in_lower;
  const u64 reached =
      (((is_upper ? upper : lower) | kHighest) - kOnes * (n + 1 - (is_upper ? in_lower : 0))) & kHighest;
  t.half[is_upper] |= u64{power} << (lowest(reached) - 7);
}

ENVPOOL_FN void write_channels(const Tiles& t, bool* obs) {
  const Tiles copy = t;  // The compiler would load `t` again after each write to `obs`.
  for (i32 i = 0; i < kCells * kPowers; ++i) obs[i] = false;
  for (i32 cell = 0; cell < kCells; ++cell) obs[cell * kPowers + i32(copy.power(cell))] = true;
}

}  // namespace plain

#if ENVPOOL_SIMD
namespace simd {

typedef u32 FourWords __attribute__((vector_size(16)));
typedef u8 Bytes32 __attribute__((vector_size(32), aligned(1), may_alias));

// For each set of cells in two lines: how reorder() moves these to the beginning of their lines, and clears the rest.
inline constexpr auto kPacking = [] {
  struct {
    u64 order[256];
  } table{};
  for (i32 set = 0; set < 256; ++set) {
    for (i32 line = 0; line < 8; line += kSide) {
      i32 end = line;
      for (i32 cell = line; cell < line + kSide; ++cell) {
        if ((set >> cell & 1) != 0) table.order[set] |= u64(cell) << 8 * end++;
      }
      for (; end < line + kSide; ++end) table.order[set] |= u64{0x80} << 8 * end;
    }
  }
  return table;
}();

// For each action: how reorder() makes rows, whose tiles slide to the left, of the lines along which tiles slide, and
// how it puts them back.
inline constexpr auto kLines = [] {
  struct {
    alignas(16) u8 taken[kActions][kCells], put_back[kActions][kCells];
  } orders{};
  for (i32 action = 0; action < kActions; ++action) {
    for (i32 row = 0; row < kSide; ++row) {
      for (i32 k = 0; k < kSide; ++k) {
        const i32 at = action < 2 ? k : kSide - 1 - k, cell = action % 2 == 0 ? row * kSide + at : at * kSide + row;
        orders.taken[action][row * kSide + k] = u8(cell);
        orders.put_back[action][cell] = u8(row * kSide + k);
      }
    }
  }
  return orders;
}();

// The 32 bytes from kOneHot.bytes + kPowers - power on begin with the channels of a tile.
inline constexpr auto kOneHot = [] {
  struct {
    u8 bytes[kPowers + 32];
  } table{};
  table.bytes[kPowers] = 1;
  return table;
}();

// Returns the bytes with these numbers; 0 for numbers above 127.
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE Bytes16 reorder(Bytes16 bytes, Bytes16 order) {
#if ENVPOOL_AVX2
  return Bytes16(_mm_shuffle_epi8(__m128i(bytes), __m128i(order)));
#else
  return Bytes16(vqtbl1q_u8(uint8x16_t(bytes), uint8x16_t(order)));
#endif
}
// Returns a bit for each byte; all bits of a byte are equal.
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE u32 bits_of(Bytes16 bytes) {
#if ENVPOOL_AVX2
  return u32(_mm_movemask_epi8(__m128i(bytes)));
#else
  const Words2 bits = Words2(bytes & Bytes16{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128});
  return u32(bits[0] * 0x0101010101010101 >> 56 | bits[1] * 0x0101010101010101 >> 56 << 8);
#endif
}
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE Bytes16 load(const u8 (&from)[kCells]) {
  Bytes16 bytes;
  __builtin_memcpy(&bytes, from, sizeof(bytes));
  return bytes;
}
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE Bytes16 cells_of(const Tiles& t) {
  return Bytes16(Words2{t.half[0], t.half[1]});  // as they are written: a CPU cannot forward stores to wider loads
}

// Moves the tiles of each row to its first cells.
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE Bytes16 packed(Bytes16 rows) {
  const u32 filled = ~bits_of(Bytes16(rows == 0));
  constexpr u64 kLower = 0x0808080808080808;  // where the cells of the lower half begin
  return reorder(rows, Bytes16(Words2{kPacking.order[filled & 0xFF], kPacking.order[filled >> 8 & 0xFF] + kLower}));
}

ENVPOOL_SIMD_TARGET inline u8 legal_actions(const Tiles& t) {
  u32 first[2], last[2];  // where tiles slide towards the first, or last, cells of rows [0] and of columns [1]
  const Bytes16 board = cells_of(t);
  for (i32 across = 0; across < 2; ++across) {
    const Bytes16 rows = reorder(board, load(kLines.taken[across]));
    const FourWords kAllButLast = FourWords{} + 0xFFFFFF;
    const Bytes16 cells = Bytes16(FourWords(rows) & kAllButLast), next = Bytes16(FourWords(rows) >> 8);
    const Bytes16 free = Bytes16(cells == 0), none = Bytes16(next == 0), same = Bytes16(cells == next);
    first[across] = bits_of(~none & (free | same));
    last[across] = bits_of(~free & (none | same));
  }
  return u8(u32(first[0] != 0) | u32(first[1] != 0) << 1 | u32(last[0] != 0) << 2 | u32(last[1] != 0) << 3);
}

ENVPOOL_SIMD_TARGET inline u32 slide(Tiles& t, i32 action) {
  const Bytes16 rows = packed(reorder(cells_of(t), load(kLines.taken[action])));
  const Bytes16 equal = Bytes16(rows == Bytes16(FourWords(rows) >> 8)) & ~Bytes16(rows == 0);
  // A tile merges with the next one, unless the tile before merges with it.
  const FourWords before = FourWords(equal) << 8;
  const Bytes16 merges = equal & ~Bytes16(before & ~(before << 8));
  const Bytes16 made = rows - merges, most = Bytes16{} + u8(kPowers - 1), tiles = made < most ? made : most;
  const Bytes16 slid = reorder(packed(tiles & ~Bytes16(FourWords(merges) << 8)), load(kLines.put_back[action]));
  t = {{Words2(slid)[0], Words2(slid)[1]}};
  // At most one of two neighbours merges, so that a pair of bytes has one power.
  const FourWords merged = FourWords(tiles & merges), none{}, one = none + 1;
  const FourWords first = (merged | merged >> 8) & 0xFF, second = (merged | merged >> 8) >> 16 & 0xFF;
  const FourWords sums = ((one << first) & ~one) + ((one << second) & ~one);
  return sums[0] + sums[1] + sums[2] + sums[3];
}

ENVPOOL_SIMD_TARGET inline u32 count_empty(const Tiles& t) {
  return u32(__builtin_popcount(bits_of(Bytes16(cells_of(t) == 0))));
}
ENVPOOL_SIMD_TARGET inline void put(Tiles& t, u32 n, u32 power) {
  const Bytes16 board = cells_of(t), empty = Bytes16(board == 0), none{};
  // For each cell, minus the number of empty cells up to it.
  Bytes16 up_to = empty + shuffled<0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30>(none, empty);
  up_to += shuffled<0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29>(none, up_to);
  up_to += shuffled<0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27>(none, up_to);
  up_to += shuffled<0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23>(none, up_to);
  const Bytes16 there = Bytes16(up_to == none - u8(n + 1)) & empty, after = board | (there & (none + u8(power)));
  t = {{Words2(after)[0], Words2(after)[1]}};
}

ENVPOOL_SIMD_TARGET inline void write_channels(const Tiles& t, bool* obs) {
  const Tiles copy = t;  // The compiler would load `t` again after each write to `obs`.
#pragma GCC unroll 16
  for (i32 cell = 0; cell < kCells; ++cell, obs += kPowers) {
    const u8* const from = kOneHot.bytes + kPowers - copy.power(cell);
    if (cell + 1 < kCells) {
      *reinterpret_cast<Bytes32*>(obs) = *reinterpret_cast<const Bytes32*>(from);  // also the next one's first byte
    } else {
      __builtin_memcpy(obs, from, kPowers);
    }
  }
}

}  // namespace simd
#else
namespace simd = plain;
#endif

// Returns a bit for each action with which a tile slides.
ENVPOOL_FN u8 legal_actions(const Tiles& t) { return has_simd() ? simd::legal_actions(t) : plain::legal_actions(t); }
// Slides all tiles. Returns the sum of the tiles that are made.
ENVPOOL_FN u32 slide(Tiles& t, i32 action) { return has_simd() ? simd::slide(t, action) : plain::slide(t, action); }
// Returns the number of empty cells.
ENVPOOL_FN u32 count_empty(const Tiles& t) { return has_simd() ? simd::count_empty(t) : plain::count_empty(t); }
// Puts a tile into the empty cell with this number.
ENVPOOL_FN void put(Tiles& t, u32 n, u32 power) {
  return has_simd() ? simd::put(t, n, power) : plain::put(t, n, power);
}
// Writes whether the tile of each cell is 2 to the power of n, bool[kCells][kPowers].
ENVPOOL_FN void write_channels(const Tiles& t, bool* obs) {
  return has_simd() ? simd::write_channels(t, obs) : plain::write_channels(t, obs);
}

}  // namespace envpool::pgx::tiles
