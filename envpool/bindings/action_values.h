// SPDX-License-Identifier: Apache-2.0
//
// Checks the values of action fields, and formats the error message for a value that a field does not accept. Pools,
// XLA's calls to pools and the pure functions all use this file. envpool/python/actions.py uses the same message for
// the checks that Python makes before it calls the extension.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "envpool/core/table/vtable.h"
#include "envpool/core/text.h"

namespace envpool {

// Returns whether all floats are finite, or all integers are in 0..choices-1 if `choices` is positive. Comparisons use
// the width of T and no branches, so that the compiler vectorizes the loops.
template <class T>
bool all_fit(const T* values, i64 count, i64 choices) {
  if constexpr (std::is_floating_point_v<T>) {
    bool good = true;
    for (i64 i = 0; i < count; ++i) good &= std::isfinite(values[i]);
    return good;
  } else {
    using Unsigned = std::make_unsigned_t<T>;
    constexpr u64 kAll = u64(std::numeric_limits<T>::max()) + 1;  // the number of non-negative values
    if (choices <= 0 || (std::is_unsigned_v<T> && u64(choices) >= kAll)) return true;
    const auto end = Unsigned(std::min(u64(choices), kAll));
    Unsigned bad = 0;
    for (i64 i = 0; i < count; ++i) bad |= Unsigned(Unsigned(values[i]) >= end);
    return bad == 0;
  }
}

class ActionValues {
 public:
  explicit ActionValues(const abi::Field& field) : field_(field) {
    for (i32 i = 0; i < field.dimensions; ++i) per_row_ *= field.shape[i];
    per_row_ = std::max<i64>(per_row_, 1);
  }

  i64 per_row() const { return per_row_; }
  // Returns the number of values that an element can have; 0 means all values of its dtype.
  i64 choices(i64 element) const {
    return field_.counts != nullptr ? field_.counts[element % per_row_] : i64(field_.discrete);
  }

  // Returns the index of the first element that the field does not accept, or -1. `values` has whole rows of the
  // field's dtype T.
  template <class T>
  i64 first_wrong(const T* values, i64 count) const {
    if constexpr (!std::is_same_v<T, bool>) {
      if (field_.counts == nullptr || std::is_floating_point_v<T>) {
        if (all_fit(values, count, field_.discrete)) return -1;
      } else {
        bool good = true;
        for (i64 i = 0; i < count; i += per_row_) {
          for (i64 j = 0; j < per_row_; ++j) good &= u64(i64(values[i + j])) < u64(field_.counts[j]);
        }
        if (good) return -1;
      }
      for (i64 i = 0; i < count; ++i) {
        if (!all_fit(values + i, 1, choices(i))) return i;
      }
    }
    return -1;
  }

  // Returns whether the field accepts a value after conversion to its dtype, To.
  template <class To, class From>
  bool fits(i64 element, From value) const {
    if constexpr (std::is_same_v<To, bool>) {
      return true;
    } else if constexpr (std::is_floating_point_v<To>) {
      return std::isfinite(To(value));
    } else {
      const i64 end = choices(element);
      if (end > 0) return u64(i64(value)) < u64(end);
      return i64(value) >= i64(std::numeric_limits<To>::min()) && i64(value) <= i64(std::numeric_limits<To>::max());
    }
  }

  // Returns the error message without the environment's id: "action: expected an integer in 0..1, got 7 in row 3".
  std::string refusal(i64 element, const std::string& value, i64 row, const std::string& suffix = "") const {
    std::string expected = "a value that fits its dtype";
    if (field_.dtype == abi::kBool) expected = "True or False";
    if (field_.dtype >= abi::kF32) expected = "finite numbers";
    if (field_.discrete > 0) expected = "an integer in 0.." + std::to_string(choices(element) - 1);
    return std::string(field_.name) + ": expected " + expected + ", got " + value + suffix + " in row " +
           std::to_string(row);
  }

  // Formats a value. Integers, infinities and NaN look as in Python.
  template <class T>
  static std::string text(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::isnan(value) ? "nan" : to_text(value);
    } else {
      return std::to_string(value);
    }
  }

 private:
  abi::Field field_;  // a copy, so that objects of this class can be moved
  i64 per_row_ = 1;
};

}  // namespace envpool
