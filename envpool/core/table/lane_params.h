// SPDX-License-Identifier: Apache-2.0
//
// The parameters of rows that are stepped in lanes (in_lanes.h). If they differ from row to row, each four rows have
// one ParamsOf<Lanes>, in which every member has the values of the four. The size and alignment of each member are four
// times those of the member of Params, and so is its offset.
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

#include "envpool/core/table/in_lanes.h"
#include "envpool/core/table/row_params.h"

namespace envpool {

// Parameters that all rows share. Both versions of this class have the same functions.
template <class Env, bool kShared>
class LaneParams {
 public:
  struct Limits {
    i32 shared;
    i32 operator[](i64) const { return shared; }
  };

  LaneParams(const RowParams<Env>& rows, i64) : settings_(rows.common()) {}
  // Computes the parameters of `count` rows, a multiple of four, beginning with `first`. There are at most
  // RowParams::kMostRows. Returns whether all of these rows can be stepped in lanes.
  bool prepare(i64, i64) const { return InLanes<Env>::available(settings_.params); }
  // The following functions count rows from `first`.
  const typename Env::Params& groups() const { return settings_.params; }        // for InLanes
  const typename Env::Params& group_of(i64) const { return settings_.params; }   // of four rows, of which this is one
  Limits limits() const { return {settings_.max_episode_steps}; }                // the time limits of the rows
  const typename RowParams<Env>::Settings& row(i64) const { return settings_; }  // of one row, until the next call

 private:
  const typename RowParams<Env>::Settings settings_;
};

#if ENVPOOL_SIMD
template <HasLaneParams Env>
class LaneParams<Env, false> {
 public:
  using Params = typename Env::template ParamsOf<Lanes>;
  using Settings = typename RowParams<Env>::Settings;

  LaneParams(const RowParams<Env>& rows, i64 most_rows) : rows_(rows), row_(rows.common()) {
    groups_.resize(1);
    for (const OptionSpec& option : specs_of<Env>().list) {
      if (option.member_at < 0) continue;
      for (i64 lane = 0; lane < 4; ++lane) take(option.member_at, option.elements_of_member(), option.member, lane);
    }
    groups_.resize(size_t(most_rows + 3) / 4, groups_[0]);
    for (i32& limit : limits_) limit = row_.max_episode_steps;
    for (const Column& column : rows.columns()) {
      if (column.from->number == abi::kTimeLimit) continue;
      const abi::Tunable& option = *column.option;
      for (i64 e = 0; e < option.elements / option.one_in; ++e) {
        members_.push_back({option.at + e * size_of(option.dtype), option.dtype});
      }
    }
  }

  bool prepare(i64 first, i64 count) { return has_simd() && compute(first, count); }
  const Params* groups() const { return groups_.data(); }
  const Params& group_of(i64 i) const { return groups_[size_t(i / 4)]; }
  const i32* limits() const { return limits_; }
  const Settings& row(i64 i) {
    for (const auto& [at, dtype] : members_) copy(dtype, place(i, at, dtype), place_in_row(at));
    derive<Env>(row_.params);
    row_.max_episode_steps = limits_[i];
    return row_;
  }

 private:
  using Column = typename RowParams<Env>::Column;
  using SingleParams = typename Env::Params;
  static_assert(std::is_same_v<SingleParams, typename Env::template ParamsOf<Single>>);
  static_assert(sizeof(Params) == 4 * sizeof(SingleParams) && alignof(Params) == 4 * alignof(SingleParams),
                "each member of ParamsOf<Of> must be of a type Of<...>");
  static_assert(
      !requires(const OptionValues& values) { Env::params(values); },
      "options must set all members of ParamsOf that derive does not compute");
  // A function that accepts Params only would be taken for one that does not exist.
  template <class P>
  static constexpr bool kDerives = requires(P& params) { Env::derive(params); };
  template <class P>
  static constexpr bool kRepairs =
      requires(typename Env::State& state, const P& params) { Env::repair(state, params); };
  template <class P>
  static constexpr bool kChooses = requires(const P& params) { Env::in_lanes(params); };
  static_assert(kDerives<Params> == kDerives<SingleParams> && kRepairs<Params> == kRepairs<SingleParams> &&
                    kChooses<Params> == kChooses<SingleParams>,
                "derive, repair and in_lanes must accept ParamsOf<Lanes>");

  ENVPOOL_SIMD_TARGET __attribute__((flatten)) bool compute(i64 first, i64 count) {
    for (const Column& column : rows_.columns()) {
      if (column.option->dimensions > 0) {
        write_array(column, first, count);
      } else if (column.option->dtype == abi::kF64) {  // the numbers need no conversion
        f64* const to = reinterpret_cast<f64*>(place(0, column.option->at, abi::kF64));
        rows_.write_numbers(column, first, count, to, sizeof(Params) / sizeof(f64));
      } else {
        f64 numbers[RowParams<Env>::kMostRows];
        rows_.write_numbers(column, first, count, numbers);
        write(column, count, numbers);
      }
    }
    bool in_lanes = true;
    for (i64 i = 0; i < count; i += 4) {
      Params& group = groups_[size_t(i / 4)];
      derive<Env>(group);
      if constexpr (kChooses<Params>) in_lanes &= Env::in_lanes(group);
    }
    return in_lanes;
  }

  void write_array(const Column& column, i64 first, i64 count) {
    const abi::Tunable& option = *column.option;
    for (i64 i = 0; i < count; ++i) {
      rows_.compute_array(column, first + i, row_);
      take(option.at, option.elements / option.one_in, option.dtype, i);
    }
  }
  // Writes the values of an option in the first `count` rows.
  void write(const Column& column, i64 count, const f64* numbers) {
    if (column.from->number == abi::kTimeLimit) {
      for (i64 i = 0; i < count; ++i) limits_[i] = i32(numbers[i]);
      return;
    }
    const i64 at = column.option->at;
    switch (column.option->dtype) {
      case abi::kBool: return write_as<bool>(at, count, numbers);
      case abi::kU8: return write_as<u8>(at, count, numbers);
      case abi::kI32: return write_as<i32>(at, count, numbers);
      case abi::kI64: return write_as<i64>(at, count, numbers);
      case abi::kF32: return write_as<f32>(at, count, numbers);
      case abi::kF64: return;
    }
  }
  template <class T>
  void write_as(i64 at, i64 count, const f64* numbers) {
    u8* to = place(0, at, dtype_of<T>());
    for (i64 i = 0; i < count; i += 4, to += sizeof(Params)) {
      const f64x4 values = load(numbers + i);
      Lanes<T> lanes;
      if constexpr (std::is_same_v<T, bool>) {
        lanes = to_bools(values != 0.0);
      } else {
        lanes = __builtin_convertvector(values, Lanes<T>);
      }
      std::memcpy(to, &lanes, sizeof(lanes));
    }
  }

  // Returns the place of a member, which is at `at` in Params, for row i.
  u8* place(i64 i, i64 at, abi::Dtype dtype) {
    return reinterpret_cast<u8*>(groups_.data() + i / 4) + 4 * at + i % 4 * size_of(dtype);
  }
  // Copies a member, or an array, from row_ to row i.
  void take(i64 at, i64 elements, abi::Dtype dtype, i64 i) {
    for (i64 e = 0; e < elements; ++e, at += size_of(dtype)) copy(dtype, place_in_row(at), place(i, at, dtype));
  }
  u8* place_in_row(i64 at) { return reinterpret_cast<u8*>(&row_.params) + at; }
  static void copy(abi::Dtype dtype, const u8* from, u8* to) {
    switch (size_of(dtype)) {
      case 1: std::memcpy(to, from, 1); return;
      case 4: std::memcpy(to, from, 4); return;
      default: std::memcpy(to, from, 8); return;
    }
  }

  struct Member {
    i64 at;  // in Params
    abi::Dtype dtype;
  };

  const RowParams<Env>& rows_;
  Settings row_;
  std::vector<Params> groups_{};
  std::vector<Member> members_{};  // whose values differ from row to row
  i32 limits_[RowParams<Env>::kMostRows];
};
#endif  // ENVPOOL_SIMD

}  // namespace envpool
