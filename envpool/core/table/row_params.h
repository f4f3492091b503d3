// SPDX-License-Identifier: Apache-2.0
//
// The parameters of the rows of a call of a pure function (pure.h): the model's Params, with other values for the
// options that the call has columns of.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/table/made_params.h"
#include "envpool/core/table/model.h"

namespace envpool {

template <class Env>
class RowParams {
 public:
  using Params = typename Env::Params;
  static constexpr i64 kMostRows = 64;  // that are computed together

  struct Settings {
    Params params;
    i32 max_episode_steps;
  };

  RowParams(const Model<Env>& model, const abi::PureWork& work) : work_(work) {
    const Settings made{model.params, work.max_episode_steps};
    const std::vector<abi::Tunable>& tunables = tunables_of<Env>();
    for (i32 i = 0; i < work.num_options; ++i) {
      const abi::OptionColumn& column = work.options[i];
      if (column.number == abi::kTimeLimit) {
        static const abi::Tunable limit{"max_episode_steps", abi::kOptionInt, abi::kI32, 0, 0, kMostI32};
        add(column, limit, made.max_episode_steps, offset_of(&Settings::max_episode_steps));
        continue;
      }
      if (column.number < 0 || column.number >= i32(tunables.size())) {
        throw std::logic_error("options: expected the number of an option that can differ between environments");
      }
      const abi::Tunable& option = tunables[size_t(column.number)];
      const u8* const member = reinterpret_cast<const u8*>(&model.params) + option.at;
      add(column, option, read_number(member, option.dtype), offset_of(&Settings::params) + option.at);
    }
    rows_.assign(size_t(shared_ ? 1 : std::min(kMostRows, std::max<i64>(work.count, 1))), made);
    if (shared_ && !columns_.empty() && work.count > 0) compute(0, 1);
  }

  // Whether all rows of the call have the same parameters.
  bool shared() const { return shared_; }
  // Returns the parameters of row k. They stay valid until those of a row outside its block are computed.
  ENVPOOL_ALWAYS_INLINE const Settings& operator[](i64 k) const {
    if (shared_) return rows_[0];
    if (k < first_ || k >= end_) compute(k, std::min(work_.count - k, kMostRows));
    return rows_[size_t(k - first_)];
  }

 private:
  struct Column {
    const abi::OptionColumn* from;
    const abi::Tunable* option;
    TunableValue value;
    i64 at;  // in Settings
  };

  void add(const abi::OptionColumn& column, const abi::Tunable& option, f64 made, i64 at) {
    columns_.push_back({&column, &option, TunableValue(option, made, column.dtype), at});
    shared_ &= column.stride == 0;
  }

  // Computes the parameters of `count` rows, beginning with `first`.
  void compute(i64 first, i64 count) const {
    for (const Column& column : columns_) {
      f64 numbers[kMostRows];
      read(*column.from, first, count, numbers);
      bool good = true;
      for (i64 i = 0; i < count; ++i) good &= column.value.accepts(numbers[i]);
      if (!good) [[unlikely]]
        refuse(column, first, count, numbers);
      for (i64 i = 0; i < count; ++i) numbers[i] = column.value.used(numbers[i]);
      write(column, count, numbers);
    }
    for (i64 i = 0; i < count; ++i) derive<Env>(rows_[size_t(i)].params);
    first_ = first;
    end_ = first + count;
  }

  [[noreturn]] void refuse(const Column& column, i64 first, i64 count, const f64* numbers) const {
    i64 bad = 0;
    while (bad + 1 < count && column.value.accepts(numbers[bad])) ++bad;
    const std::string got = numbers[bad] == numbers[bad] ? to_text(numbers[bad]) : "nan";
    throw std::invalid_argument(expected_of(*column.option) + ", got " + got + " in row " +
                                std::to_string(work_.first + first + bad));
  }

  template <class T>
  static void read_as(const abi::OptionColumn& column, i64 first, i64 count, f64* numbers) {
    const u8* from = static_cast<const u8*>(column.data) + column.stride * first;
    for (i64 i = 0; i < count; ++i, from += column.stride) numbers[i] = f64(*reinterpret_cast<const T*>(from));
  }
  static void read(const abi::OptionColumn& column, i64 first, i64 count, f64* numbers) {
    switch (column.dtype) {
      case abi::kI32: return read_as<i32>(column, first, count, numbers);
      case abi::kI64: return read_as<i64>(column, first, count, numbers);
      case abi::kF32: return read_as<f32>(column, first, count, numbers);
      case abi::kF64: return read_as<f64>(column, first, count, numbers);
      default:
        for (i64 i = 0; i < count; ++i) {
          numbers[i] = read_number(static_cast<const u8*>(column.data) + column.stride * (first + i), column.dtype);
        }
    }
  }
  template <class T>
  void write_as(i64 at, i64 count, const f64* numbers) const {
    u8* to = reinterpret_cast<u8*>(rows_.data()) + at;
    for (i64 i = 0; i < count; ++i, to += sizeof(Settings)) *reinterpret_cast<T*>(to) = T(numbers[i]);
  }
  void write(const Column& column, i64 count, const f64* numbers) const {
    switch (column.option->dtype) {
      case abi::kBool: return write_as<bool>(column.at, count, numbers);
      case abi::kU8: return write_as<u8>(column.at, count, numbers);
      case abi::kI32: return write_as<i32>(column.at, count, numbers);
      case abi::kI64: return write_as<i64>(column.at, count, numbers);
      case abi::kF32: return write_as<f32>(column.at, count, numbers);
      case abi::kF64: return write_as<f64>(column.at, count, numbers);
    }
  }

  const abi::PureWork& work_;
  std::vector<Column> columns_{};
  bool shared_ = true;
  mutable std::vector<Settings> rows_{};
  mutable i64 first_ = 0, end_ = 0;
};

}  // namespace envpool
