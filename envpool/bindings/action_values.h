// SPDX-License-Identifier: Apache-2.0
//
// The values that an action field takes, and the words for one that it does not take. The arguments of a pool, XLA's
// calls of a pool and the pure functions check actions here. envpool/python/actions.py says the same words where Python
// has to check before anything is called.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "envpool/core/table/vtable.h"

namespace envpool {

// Whether all values are finite, or in 0..choices-1 where there are that many. In the width of T, by as many as a
// vector holds.
template <class T>
bool all_fit(const T* values, i64 count, i64 choices) {
  if constexpr (std::is_floating_point_v<T>) {
    bool good = true;
    for (i64 i = 0; i < count; ++i) good &= std::isfinite(values[i]);
    return good;
  } else {
    using Unsigned = std::make_unsigned_t<T>;
    constexpr u64 kAll = u64(std::numeric_limits<T>::max()) + 1;  // but those below 0
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
  // Returns how many values an element can have; 0: as many as its dtype has.
  i64 choices(i64 element) const {
    return field_.counts != nullptr ? field_.counts[element % per_row_] : i64(field_.discrete);
  }

  // Returns the index of the first of `count` elements, in the field's dtype T and in whole rows, that the field does
  // not take; -1 if it takes all.
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

  // Whether the field takes a value that is converted to its dtype To.
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

  // The error's text, without the environment's id: "action: expected an integer in 0..1, got 7 in row 3".
  std::string refusal(i64 element, const std::string& value, i64 row, const std::string& whose = "") const {
    std::string expected = "a value that fits its dtype";
    if (field_.dtype >= abi::kF32) expected = "finite numbers";
    if (field_.discrete > 0) expected = "an integer in 0.." + std::to_string(choices(element) - 1);
    return std::string(field_.name) + ": expected " + expected + ", got " + value + whose + " in row " +
           std::to_string(row);
  }

  // A value as Python writes it, if it is an integer or not finite.
  template <class T>
  static std::string text(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) return "nan";
      if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    }
    return std::to_string(value);
  }

 private:
  abi::Field field_;  // a copy, because arguments move
  i64 per_row_ = 1;
};

}  // namespace envpool
