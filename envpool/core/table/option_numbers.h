// SPDX-License-Identifier: Apache-2.0
//
// Reads and checks the values of an option in the rows of a call, on the host.
#pragma once

#include <cstring>

#include "envpool/core/math/lanes.h"
#include "envpool/core/table/tunables.h"

namespace envpool {

#if ENVPOOL_SIMD
// Loads four rows as f64.
template <class T>
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE f64x4 load_f64(const T* rows) {
  return to_f64(load(rows));
}
#if ENVPOOL_AVX2 && !defined(__clang__)
template <>  // g++ 12 would convert the halves one after the other
ENVPOOL_SIMD_TARGET ENVPOOL_ALWAYS_INLINE f64x4 load_f64<f32>(const f32* rows) {
  return __builtin_ia32_cvtps2pd256(load(rows));
}
#endif

// Does what use_rows() does, for a multiple of four rows.
template <class T>
ENVPOOL_SIMD_TARGET ENVPOOL_NOINLINE bool use_rows_in_lanes(const T* rows, const TunableValue& value, i64 count,
                                                            f64* numbers, i64 step) {
  const f64x4 low = in_all_lanes(value.low), high = in_all_lanes(value.high), made = in_all_lanes(value.made);
  const f64x4 held_low = in_all_lanes(value.held_low), held_high = in_all_lanes(value.held_high);
  const f64x4 held_made = in_all_lanes(value.held_made);
  i64x4 good = ~i64x4{};
  for (i64 i = 0; i < count; i += 4, numbers += step) {
    const f64x4 number = load_f64(rows + i);
    good &= (number >= held_low) & (number <= held_high);
    const f64x4 at_least = select(low > number, low, number);
    const f64x4 used = select(number == held_made, made, select(high < at_least, high, at_least));
    std::memcpy(numbers, &used, sizeof(used));
  }
  return !any(~good);
}
#endif

// Writes the numbers that the environment uses for these rows. Those of each four rows are `step` numbers apart.
// Returns whether all are accepted.
template <class T>
bool use_rows(const T* rows, const TunableValue& value, i64 count, f64* numbers, i64 step) {
  bool good = true;
  i64 i = 0;
#if ENVPOOL_SIMD
  if (count >= 4 && has_simd()) {
    i = count / 4 * 4;
    good = use_rows_in_lanes(rows, value, i, numbers, step);
  }
#endif
  for (; i < count; ++i) {
    const f64 number = f64(rows[i]);
    good &= value.accepts(number);
    numbers[i / 4 * step + i % 4] = value.used(number);
  }
  return good;
}

inline f64 number_in_row(const abi::OptionColumn& column, i64 row) {
  return read_number(static_cast<const u8*>(column.data) + column.stride * row, column.dtype);
}

// Writes the numbers that the environment uses for an option in `count` rows, beginning with `first`. Those of each
// four rows are `step` numbers apart. Returns false if one of them is not accepted.
inline bool read_numbers(const abi::OptionColumn& column, const TunableValue& value, i64 first, i64 count, f64* numbers,
                         i64 step) {
  const void* const rows = static_cast<const u8*>(column.data) + column.stride * first;
  if (column.stride == size_of(column.dtype)) {
    switch (column.dtype) {
      case abi::kI32: return use_rows(static_cast<const i32*>(rows), value, count, numbers, step);
      case abi::kI64: return use_rows(static_cast<const i64*>(rows), value, count, numbers, step);
      case abi::kF32: return use_rows(static_cast<const f32*>(rows), value, count, numbers, step);
      case abi::kF64: return use_rows(static_cast<const f64*>(rows), value, count, numbers, step);
      default: break;
    }
  }
  bool good = true;
  for (i64 i = 0; i < count; i += 4, numbers += step) {
    f64 four[4];
    const i64 some = count - i < 4 ? count - i : 4;
    for (i64 k = 0; k < some; ++k) four[k] = number_in_row(column, first + i + k);
    good &= use_rows(four, value, some, numbers, 4);
  }
  return good;
}

}  // namespace envpool
