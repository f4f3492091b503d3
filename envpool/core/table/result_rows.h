// SPDX-License-Identifier: Apache-2.0
//
// The rows into which a pool's environments write their results: the columns of a batch, and which row belongs to which
// environment.
#pragma once

#include <utility>

#include "envpool/core/table/episode.h"
#include "envpool/core/table/vtable.h"

namespace envpool {

// The columns into which rows are written: the common fields by name, the environment's own by number.
struct RowColumns : ResultColumns {
  void* const* own;
  void* const* own_final;  // null unless autoreset is same-step

  explicit RowColumns(const abi::ResultRows& rows)
      : ResultColumns{static_cast<f32*>(rows.fields[abi::kReward]),    static_cast<f32*>(rows.fields[abi::kDiscount]),
                      static_cast<u8*>(rows.fields[abi::kTerminated]), static_cast<u8*>(rows.fields[abi::kTruncated]),
                      static_cast<i32*>(rows.fields[abi::kStepType]),  static_cast<i32*>(rows.fields[abi::kEnvId]),
                      static_cast<i32*>(rows.fields[abi::kElapsed]),   static_cast<i32*>(rows.fields[abi::kPlayers])},
        own(rows.fields + abi::kCommonFields),
        own_final(rows.final_fields == nullptr ? nullptr : rows.final_fields + abi::kCommonFields) {}
};

// The result row of each environment: consecutive rows (synchronous), or a row that is claimed when the results are
// ready (asynchronous).
struct ConsecutiveRows {
  static constexpr bool kConsecutive = true;
  RowColumns columns;
  i64 first;
  // Returns a reference: a copy for each environment would be stored on the stack and loaded again.
  std::pair<const RowColumns&, i64> operator()(i32 k) const { return {columns, first + k}; }
};
struct ClaimedRows {
  static constexpr bool kConsecutive = false;
  const abi::Work& work;
  std::pair<RowColumns, i64> operator()(i32 k) const {
    const abi::ResultRows rows = work.claim(work.context, work.env_ids[k]);
    return {RowColumns(rows), i64(rows.row)};
  }
};

}  // namespace envpool
