// SPDX-License-Identifier: Apache-2.0
//
// The parameters of the rows of a call of a pure function (pure.h): the model's Params, with other values for the
// options of which the call has columns.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/core/table/made_params.h"
#include "envpool/core/table/model.h"
#include "envpool/core/table/option_numbers.h"

namespace envpool {

template <class Env>
class RowParams {
 public:
  using Params = typename Env::Params;
  static constexpr i64 kMostRows = 64;  // that are computed together; a multiple of 4

  struct Settings {
    Params params;
    i32 max_episode_steps;
  };

  RowParams(const Model<Env>& model, const abi::PureWork& work, std::span<const abi::OptionColumn> options)
      : work_(work), made_(model.params), rows_(1, Settings{model.params, work.max_episode_steps}) {
    std::vector<Column> repeated;  // columns with one value for all rows
    for (const abi::OptionColumn& option : options) {
      const Column column = column_of(option);
      (column.from->stride == 0 ? repeated : columns_).push_back(column);
    }
    if (work.count == 0) return;
    if (!repeated.empty()) compute(repeated, 0, 1);
    if (!columns_.empty()) rows_.assign(size_t(std::min(kMostRows, work.count)), Settings(rows_[0]));
  }

  struct Column {
    const abi::OptionColumn* from;
    const abi::Tunable* option;
    TunableValue value;  // of a number
    i64 at;              // in Settings
  };

  // Whether all rows of the call have the same parameters.
  bool shared() const { return columns_.empty(); }
  const Settings& common() const { return rows_[0]; }              // the parameters of all rows if they are the same
  const std::vector<Column>& columns() const { return columns_; }  // whose values differ from row to row
  // Returns the parameters of row k, and computes those of the rows until `end`, but at most kMostRows. They stay valid
  // until those of a row that was not computed with them are asked for.
  ENVPOOL_ALWAYS_INLINE const Settings& in_block(i64 k, i64 end) const {
    if (k < first_ || k >= end_) prepare(k, std::min(end, k + kMostRows));
    return rows_[size_t(k - first_)];
  }
  // Returns the parameters of row k, without computing those of other rows. They stay valid as those of in_block() do.
  const Settings& only(i64 k) const { return shared() ? common() : in_block(k, k + 1); }
  // Writes the numbers that `count` rows, beginning with `first`, use of an option. Those of each four rows are `step`
  // numbers apart.
  void write_numbers(const Column& column, i64 first, i64 count, f64* numbers, i64 step = 4) const {
    if (!read_numbers(*column.from, column.value, first, count, numbers, step)) [[unlikely]]
      refuse(column, first, count);
  }
  // Writes an option that is an array into the parameters of row k.
  void compute_array(const Column& column, i64 k, Settings& row) const {
    const abi::Tunable& option = *column.option;
    const abi::Dtype dtype = column.from->dtype;
    const u8* const from = static_cast<const u8*>(column.from->data) + column.from->stride * k;
    u8* const to = reinterpret_cast<u8*>(&row) + column.at;
    if (dtype == abi::kBool && option.dtype == abi::kBool) {
      for (i32 e = 0; e < option.elements; e += option.one_in) to[e / option.one_in] = from[e] != 0;
      return;
    }
    const u8* const made = reinterpret_cast<const u8*>(&made_) + option.at;
    for (i32 e = 0; e < option.elements; ++e) {
      const i64 at = e / option.one_in * dtype_size(option.dtype);
      const bool is_kept = e % option.one_in == 0;
      const TunableValue value(option, is_kept ? read_number(made + at, option.dtype) : 0, dtype);
      const f64 number = read_number(from + e * dtype_size(dtype), dtype);
      if (!value.accepts(number)) [[unlikely]]
        refuse(option, number, k);
      if (is_kept) write_number(to + at, option.dtype, value.used(number));
    }
  }

 private:
  // Returns a column of an option whose value in rows_[0] is that of the model.
  Column column_of(const abi::OptionColumn& from) const {
    const bool is_limit = from.number == abi::kTimeLimit;
    const abi::Tunable& option = tunable_numbered<Env>(from.number);
    const i64 at = is_limit ? offset_of(&Settings::max_episode_steps) : offset_of(&Settings::params) + option.at;
    const u8* const member = reinterpret_cast<const u8*>(rows_.data()) + at;
    return {&from, &option, TunableValue(option, read_number(member, option.dtype), from.dtype), at};
  }

  void prepare(i64 first, i64 end) const {
    compute(columns_, first, end - first);
    first_ = first;
    end_ = end;
  }
  // Computes the parameters of `count` rows, beginning with `first`, with the values of these columns.
  void compute(const std::vector<Column>& columns, i64 first, i64 count) const {
    for (const Column& column : columns) {
      if (column.option->dimensions > 0) {
        for (i64 i = 0; i < count; ++i) compute_array(column, first + i, rows_[size_t(i)]);
        continue;
      }
      f64 numbers[kMostRows];
      write_numbers(column, first, count, numbers);
      write(column, count, numbers);
    }
    derive_rows(count);
  }
  void derive_rows(i64 count) const {
#if ENVPOOL_SIMD
    if constexpr (requires(Params* const* params) { Env::derive_group(params, 1); }) {
      if (has_simd()) {
        Params* params[kMostRows];
        for (i64 i = 0; i < count; ++i) params[i] = &rows_[size_t(i)].params;
        return Env::derive_group(params, static_cast<int>(count));
      }
    }
#endif
    for (i64 i = 0; i < count; ++i) derive<Env>(rows_[size_t(i)].params);
  }

  [[noreturn]] void refuse(const Column& column, i64 first, i64 count) const {
    i64 bad = first;
    while (bad + 1 < first + count && column.value.accepts(number_in_row(*column.from, bad))) ++bad;
    refuse(*column.option, number_in_row(*column.from, bad), bad);
  }
  [[noreturn]] void refuse(const abi::Tunable& option, f64 number, i64 k) const {
    const std::string got = number == number ? to_text(number) : "nan";
    throw std::invalid_argument(expected_of(option) + ", got " + got + " in row " + std::to_string(work_.first + k));
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
  const Params& made_;             // of the model
  std::vector<Column> columns_{};  // whose values differ from row to row
  mutable std::vector<Settings> rows_;
  mutable i64 first_ = 0, end_ = 0;  // the rows whose parameters are in rows_
};

}  // namespace envpool
