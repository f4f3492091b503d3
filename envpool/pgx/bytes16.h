// SPDX-License-Identifier: Apache-2.0
//
// The functions of bits.h that write arrays, for all CPUs: they write 16 bytes at a time.
#pragma once

#include "envpool/core/types.h"
#include "envpool/pgx/constants.h"

namespace envpool::pgx {

typedef u8 Bytes16 __attribute__((vector_size(16)));
typedef u16 Pairs8 __attribute__((vector_size(16)));
typedef u64 Words2 __attribute__((vector_size(16)));
typedef i32 FourNumbers __attribute__((vector_size(16)));

// Returns the elements of two vectors with these numbers.
template <i32... kAt, class V>
ENVPOOL_ALWAYS_INLINE V shuffled(V one, V two) {
#ifdef __clang__
  return __builtin_shufflevector(one, two, kAt...);
#else
  return __builtin_shuffle(one, two, V{kAt...});
#endif
}
// Return the bytes of one and two in turn, of the lower half and of the upper half.
ENVPOOL_ALWAYS_INLINE Bytes16 lower_of(Bytes16 one, Bytes16 two) {
  return shuffled<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(one, two);
}
ENVPOOL_ALWAYS_INLINE Bytes16 upper_of(Bytes16 one, Bytes16 two) {
  return shuffled<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(one, two);
}
// The same with pairs of bytes.
ENVPOOL_ALWAYS_INLINE Bytes16 lower_pairs_of(Bytes16 one, Bytes16 two) {
  return Bytes16(shuffled<0, 8, 1, 9, 2, 10, 3, 11>(Pairs8(one), Pairs8(two)));
}
ENVPOOL_ALWAYS_INLINE Bytes16 upper_pairs_of(Bytes16 one, Bytes16 two) {
  return Bytes16(shuffled<4, 12, 5, 13, 6, 14, 7, 15>(Pairs8(one), Pairs8(two)));
}
// Writes the first of 16 bytes, as many as are left of an array.
template <i32 kLeft>
ENVPOOL_ALWAYS_INLINE void write_bytes(void* to, Bytes16 bytes) {
  if constexpr (kLeft > 0) __builtin_memcpy(to, &bytes, kLeft < 16 ? kLeft : 16);
}
// Writes 16 bytes as signed numbers, as many as are left of an array.
template <i32 kLeft>
ENVPOOL_ALWAYS_INLINE void write_numbers(i32* to, Bytes16 bytes) {
  // A shift extends the sign of a byte that is the upper byte of a number.
  const Bytes16 lower = lower_of(bytes, bytes), upper = upper_of(bytes, bytes);
  write_bytes<4 * kLeft>(to, Bytes16(FourNumbers(lower_pairs_of(lower, lower)) >> 24));
  write_bytes<4 * kLeft - 16>(to + 4, Bytes16(FourNumbers(upper_pairs_of(lower, lower)) >> 24));
  write_bytes<4 * kLeft - 32>(to + 8, Bytes16(FourNumbers(lower_pairs_of(upper, upper)) >> 24));
  write_bytes<4 * kLeft - 48>(to + 12, Bytes16(FourNumbers(upper_pairs_of(upper, upper)) >> 24));
}

namespace bytes16 {

// The bytes of eight cells.
inline constexpr auto kBytesOf = [] {
  struct {
    u64 set[256];
  } bytes{};
  for (u64 set = 0; set < 256; ++set) {
    for (i32 cell = 0; cell < 8; ++cell) bytes.set[set] |= (set >> cell & 1) << 8 * cell;
  }
  return bytes;
}();

// Returns the lowest 16 bits as bytes of 0 and 1.
ENVPOOL_ALWAYS_INLINE Bytes16 bytes_of(u64 bits) {
  return Bytes16(Words2{kBytesOf.set[bits & 0xFF], kBytesOf.set[bits >> 8 & 0xFF]});
}

template <i32 kCells>
ENVPOOL_ALWAYS_INLINE void write_set(bool* to, u64 set) {
  constexpr i32 kEnd = kCells / 8 * 8;
  for (i32 cell = 0; cell < kEnd; cell += 8) __builtin_memcpy(to + cell, &kBytesOf.set[set >> cell & 0xFF], 8);
  if constexpr (kEnd < kCells) __builtin_memcpy(to + kEnd, &kBytesOf.set[set >> kEnd & 0xFF], kCells - kEnd);
}

template <i32 kCells>
ENVPOOL_ALWAYS_INLINE void write_channels(bool* to, u64 one, u64 two) {
  for_constants<0, (kCells + 15) / 16>([&](auto constant) {
    constexpr i32 kAt = 16 * decltype(constant)::value, kLeft = 2 * (kCells - kAt);
    const Bytes16 ones = bytes_of(one >> kAt), twos = bytes_of(two >> kAt);
    write_bytes<kLeft>(to + 2 * kAt, lower_of(ones, twos));
    write_bytes<kLeft - 16>(to + 2 * kAt + 16, upper_of(ones, twos));
  });
}
template <i32 kCells>
ENVPOOL_ALWAYS_INLINE void write_both_channels(bool* to, bool* other, u64 one, u64 two) {
  for_constants<0, (kCells + 15) / 16>([&](auto constant) {
    constexpr i32 kAt = 16 * decltype(constant)::value, kLeft = 2 * (kCells - kAt);
    const Bytes16 ones = bytes_of(one >> kAt), twos = bytes_of(two >> kAt);
    write_bytes<kLeft>(to + 2 * kAt, lower_of(ones, twos));
    write_bytes<kLeft>(other + 2 * kAt, lower_of(twos, ones));
    write_bytes<kLeft - 16>(to + 2 * kAt + 16, upper_of(ones, twos));
    write_bytes<kLeft - 16>(other + 2 * kAt + 16, upper_of(twos, ones));
  });
}

// Writes the four channels of a group of 16 cells, as many as are left. `rest` has the pair that all cells have.
template <i32 kLeft>
ENVPOOL_ALWAYS_INLINE void write_four_channels(bool* to, Bytes16 ones, Bytes16 twos, Bytes16 rest) {
  const Bytes16 lower = lower_of(ones, twos), upper = upper_of(ones, twos);
  write_bytes<4 * kLeft>(to, lower_pairs_of(lower, rest));
  write_bytes<4 * kLeft - 16>(to + 16, upper_pairs_of(lower, rest));
  write_bytes<4 * kLeft - 32>(to + 32, lower_pairs_of(upper, rest));
  write_bytes<4 * kLeft - 48>(to + 48, upper_pairs_of(upper, rest));
}
template <i32 kCells>
ENVPOOL_ALWAYS_INLINE void write_both_four_channels(bool* to, bool* other, u64 one, u64 two, u32 rest,
                                                    u32 others_rest) {
  const Bytes16 rests = Bytes16(Pairs8{} + u16(rest)), other_rests = Bytes16(Pairs8{} + u16(others_rest));
  for_constants<0, (kCells + 15) / 16>([&](auto constant) {
    constexpr i32 kAt = 16 * decltype(constant)::value;
    const Bytes16 ones = bytes_of(one >> kAt), twos = bytes_of(two >> kAt);
    write_four_channels<kCells - kAt>(to + 4 * kAt, ones, twos, rests);
    write_four_channels<kCells - kAt>(other + 4 * kAt, twos, ones, other_rests);
  });
}

template <i32 kCells, i32 kOne, i32 kTwo, i32 kEmpty>
ENVPOOL_ALWAYS_INLINE void write_board(i32* to, u64 one, u64 two) {
  for_constants<0, (kCells + 15) / 16>([&](auto constant) {
    constexpr i32 kAt = 16 * decltype(constant)::value;
    const Bytes16 ones = bytes_of(one >> kAt), twos = bytes_of(two >> kAt);
    write_numbers<kCells - kAt>(to + kAt, ones * u8(kOne) + twos * u8(kTwo) + u8(kEmpty));
  });
}

// Returns a row of a set that has bit row * 8 + column for each cell, as bytes of 0 and 1.
ENVPOOL_ALWAYS_INLINE Bytes16 row_of(u64 set, i32 row) {
  return Bytes16(Words2{kBytesOf.set[set >> 8 * row & 0xFF], 0});
}

template <i32 kRows, i32 kColumns>
ENVPOOL_ALWAYS_INLINE void write_both_channels_by_rows(bool* to, bool* other, u64 one, u64 two) {
  for_constants<0, kRows>([&](auto constant) {
    constexpr i32 kRow = decltype(constant)::value, kAt = 2 * kColumns * kRow, kLeft = 2 * kColumns * (kRows - kRow);
    const Bytes16 ones = row_of(one, kRow), twos = row_of(two, kRow);
    write_bytes<kLeft>(to + kAt, lower_of(ones, twos));
    write_bytes<kLeft>(other + kAt, lower_of(twos, ones));
  });
}
template <i32 kRows, i32 kColumns, i32 kOne, i32 kTwo, i32 kEmpty>
ENVPOOL_ALWAYS_INLINE void write_board_by_rows(i32* to, u64 one, u64 two) {
  for_constants<0, kRows>([&](auto constant) {
    constexpr i32 kRow = decltype(constant)::value, kLeft = kColumns * (kRows - kRow);
    constexpr i32 kWritten = kLeft < 8 ? kLeft : 8;
    const Bytes16 bytes = row_of(one, kRow) * u8(kOne) + row_of(two, kRow) * u8(kTwo) + u8(kEmpty);
    write_numbers<kWritten>(to + kColumns * kRow, bytes);
  });
}

}  // namespace bytes16
}  // namespace envpool::pgx
