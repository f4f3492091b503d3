// SPDX-License-Identifier: Apache-2.0
//
// The memory of arrays and states in the program that `envpool check` runs. Every row is a separate allocation, so that
// AddressSanitizer finds accesses next to it. Without the sanitizer, known bytes on both sides reveal writes there.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "envpool/core/check/report.h"
#include "envpool/core/math/rng.h"
#include "envpool/core/table/spec.h"

namespace envpool::check {

// Bytes with canaries on both sides, or, with AddressSanitizer, with inaccessible bytes.
class Guarded {
 public:
  Guarded(std::string name, i64 bytes) : name_(std::move(name)), bytes_(bytes) {
    const i64 margin = __asan_report_present != nullptr ? 0 : kMargin;
    void* memory = nullptr;
    if (posix_memalign(&memory, 16, size_t(bytes + 2 * margin)) != 0) mistake("spec", "there is too little memory");
    base_ = static_cast<u8*>(memory);
    std::memset(base_, kCanary, size_t(bytes + 2 * margin));
    begin_ = base_ + margin;
    regions.push_back({name_, begin_, bytes});
  }
  u8* data() const { return begin_; }
  i64 size() const { return bytes_; }
  void fill(u8 value) const { std::memset(begin_, value, size_t(bytes_)); }
  // Ends the process if the bytes on either side have changed.
  void check(SourceLine last) const {
    for (i64 i = 0; i < begin_ - base_; ++i) {
      const bool before = base_[i] != kCanary;
      if (!before && begin_[bytes_ + i] == kCanary) continue;
      mistake(last.file == nullptr ? call.function : to_text(last),
              std::string(call.function) + "() writes " + (before ? "before the begin" : "beyond the end") + " of " +
                  name_ + ", which has " + std::to_string(bytes_) + " bytes");
    }
  }

 private:
  static constexpr i64 kMargin = 64;
  static constexpr u8 kCanary = 0x5C;
  std::string name_;
  i64 bytes_;
  u8 *base_, *begin_;
};

inline std::string quoted(const std::string& name) {
  return "'" + (name.starts_with("obs:") ? name.substr(4) : name.starts_with("info:") ? name.substr(5) : name) + "'";
}

// One array of an environment: a row, or one row for each player.
struct GuardedArray {
  std::shared_ptr<const FieldSpec> spec;
  std::vector<Guarded> rows{};
  SourceLine last{};  // the last access
  std::string name{};

  GuardedArray(const FieldSpec& of, i32 players) : spec(std::make_shared<FieldSpec>(of)), name(quoted(of.name)) {
    for (i32 row = 0; row < (of.is_per_player ? players : 1); ++row)
      rows.emplace_back("a row of the array " + name, of.row_bytes());
  }
  // Returns an element as a number.
  f64 value(i32 row, i64 element) const {
    const u8* at = rows[size_t(row)].data() + element * dtype_size(spec->dtype);
    const auto read = [&]<class T>(T value) {
      std::memcpy(&value, at, sizeof(T));
      return f64(value);
    };
    switch (spec->dtype) {
      case abi::kI32: return read(i32{});
      case abi::kI64: return read(i64{});
      case abi::kF32: return read(f32{});
      case abi::kF64: return read(f64{});
      default: return *at;
    }
  }
  void set(i32 row, i64 element, f64 value) const {
    u8* at = rows[size_t(row)].data() + element * dtype_size(spec->dtype);
    const auto write = [&](auto number) { std::memcpy(at, &number, sizeof(number)); };
    switch (spec->dtype) {
      case abi::kI32: return write(i32(value));
      case abi::kI64: return write(i64(value));
      case abi::kF32: return write(f32(value));
      case abi::kF64: return write(value);
      default: *at = u8(value);
    }
  }
  f64 low(i64 element) const { return bound(spec->low, element); }
  f64 high(i64 element) const {
    return spec->discrete > 0 && spec->counts.empty() ? f64(spec->discrete - 1) : bound(spec->high, element);
  }
  // Returns an element's position, such as "element (2, 0) of 'obs'".
  std::string at(i64 element) const {
    if (spec->shape.empty()) return name;
    std::string position;
    for (size_t axis = spec->shape.size(); axis-- > 0; element /= spec->shape[axis])
      position = std::to_string(element % spec->shape[axis]) + (position.empty() ? "" : ", ") + position;
    return "element (" + position + ") of " + name;
  }
  // Writes random values within the bounds. About one row in eight has the smallest or largest values.
  void draw(i32 row, Rng& rng) const {
    const u32 extreme = rng.below(16);
    for (i64 i = 0; i < spec->elements(); ++i) {
      const bool real = spec->dtype == abi::kF32 || spec->dtype == abi::kF64;
      f64 least = low(i), most = high(i);
      if (least == -kInfinity) least = most == kInfinity ? -10 : most - 20;
      if (most == kInfinity) most = least + 20;
      const f64 drawn = real ? rng.uniform(least, most) : least + std::floor(rng.uniform() * (most - least + 1));
      set(row, i, extreme == 0 ? least : extreme == 1 ? most : drawn);
    }
  }

 private:
  f64 bound(const std::vector<f64>& bounds, i64 element) const {
    const f64 value = bounds[bounds.size() == 1 ? 0 : size_t(element)];
    return spec->dtype == abi::kF32 ? f64(f32(value)) : value;
  }
};

// The arrays of the results or of the actions.
class Arrays {
 public:
  Arrays(const std::vector<FieldSpec>& specs, i32 players) : players_(players) {
    for (const FieldSpec& spec : specs) list.emplace_back(spec, players);
  }

  // Returns the memory of a row. Ends the process if an access does not fit the array.
  void* row_of(i64 row, i32 field, const Access& access, const char* owner) {
    call.last = access.place;
    const std::string place = to_text(access.place), function = access.function;
    if (field < 0 || field >= i32(list.size())) {
      std::string names;
      for (size_t i = 0; i < list.size(); ++i)
        names += (i == 0 ? "" : ", ") + std::to_string(i) + " is " + list[i].name;
      mistake(place, std::string(call.function) + "() accesses array " + std::to_string(field) + " of the " + owner +
                         ", but spec() declares " +
                         (list.empty() ? "none" : std::to_string(list.size()) + ": " + names));
    }
    GuardedArray& array = list[size_t(field)];
    const FieldSpec& spec = *array.spec;
    const bool real = spec.dtype == abi::kF32 || spec.dtype == abi::kF64;
    const bool fits = access.kind == Access::kStruct ||
                      (access.bytes == dtype_size(spec.dtype) && (access.kind == Access::kReal) == real);
    const std::string declared = "spec() declares " + array.name + " with ";
    if (!fits) {
      mistake(place, std::string(call.function) + "() accesses array " + std::to_string(field) + " as " +
                         type_of(access) + ", but " + declared + "elements of type " + dtype_name(spec.dtype));
    }
    const i64 elements = access.elements < 0 ? 0 : access.elements;
    if (access.elements != 0 && elements * access.bytes != spec.row_bytes()) {
      mistake(place, std::string(call.function) + "() accesses array " + std::to_string(field) + " with " + function +
                         "<..., " + std::to_string(elements) + ">, but " + declared + std::to_string(spec.elements()) +
                         (spec.elements() == 1 ? " element" : " elements"));
    }
    if (!spec.is_per_player && players_ > 1 && row >= players_) {
      mistake(place, std::string(call.function) + "() of a player accesses " + array.name +
                         ", which belongs to the world: declare it with per_player(), or write it in observe_world()");
    }
    if (spec.is_per_player && players_ > 1 && row < players_) {
      mistake(place, std::string(call.function) + "() accesses " + array.name +
                         ", which has a row for each player and must be written in observe()");
    }
    array.last = access.place;
    return array.rows[spec.is_per_player ? size_t(row - players_) : 0].data();
  }
  void fill(u8 value) const {
    for (const GuardedArray& array : list)
      for (const Guarded& row : array.rows) row.fill(value);
  }
  void check_margins() const {
    for (const GuardedArray& array : list)
      for (const Guarded& row : array.rows) row.check(array.last);
  }

  std::vector<GuardedArray> list;

 private:
  static std::string type_of(const Access& access) {
    return access.kind == Access::kReal
               ? (access.bytes == 4 ? "f32" : "f64")
               : "integers of " + std::to_string(access.bytes) + (access.bytes == 1 ? " byte" : " bytes");
  }
  i32 players_;
};

}  // namespace envpool::check
