// SPDX-License-Identifier: Apache-2.0
//
// Defines the Row and ActionRow that replace those of env.h in the program that `envpool check` compiles. They compare
// each access with spec(), and remember the caller's line for error messages. This file is included before env.h, and
// is for the host only.
#pragma once

#include "envpool/core/types.h"

namespace envpool::check {

// A line of the user's code.
struct SourceLine {
  const char* file = nullptr;
  i32 line = 0;
};

// A call of at<T, kElements>(field): the type that it names, and its place in the code.
struct Access {
  enum Kind { kInteger, kReal, kStruct };
  Kind kind;
  i64 bytes;     // of an element
  i64 elements;  // 0: not named
  const char* function;
  SourceLine place;

  template <class T>
  static constexpr Access of(i64 elements, const char* function, SourceLine place) {
    Kind kind = kStruct;
    if constexpr (__is_enum(T)) kind = kInteger;
    if constexpr (requires(T value) { value & value; }) kind = kInteger;
    if constexpr (requires(T value) { value / value; } && !requires(T value) { value & value; }) kind = kReal;
    return {kind, i64(sizeof(T)), elements, function, place};
  }
};

// Return the memory of a row, or end the process with a message. Defined in game.h.
void* result_row(i64 row, i32 field, const Access& access);
const void* action_row(i64 row, i32 field, const Access& access);

}  // namespace envpool::check

namespace envpool {

struct Row {
  void* const* fields;
  const i64* row_bytes;
  i64 row;

  template <class T, int kElements>
  T* at(int field, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    static_assert(kElements >= 0, "at<T, kElements>: the number of elements must not be negative");
    return static_cast<T*>(
        check::result_row(row, field, check::Access::of<T>(kElements == 0 ? -1 : kElements, "at", {file, line})));
  }
  template <class T>
  T* at(int field, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return static_cast<T*>(check::result_row(row, field, check::Access::of<T>(0, "at", {file, line})));
  }
};

struct ActionRow {
  const void* const* fields;
  const i64* row_bytes;
  i64 row;

  template <class T, int kElements = 1>
  const T* at(int field, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return static_cast<const T*>(
        check::action_row(row, field, check::Access::of<T>(kElements == 0 ? -1 : kElements, "at", {file, line})));
  }
  template <class T>
  const T* row_of(int field, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    return static_cast<const T*>(check::action_row(row, field, check::Access::of<T>(0, "row_of", {file, line})));
  }
};

}  // namespace envpool
