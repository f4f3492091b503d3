// SPDX-License-Identifier: Apache-2.0
//
// The rows into which the environments of a call write their results: the columns of a batch, and which row belongs to
// which environment.
#pragma once

#include "envpool/core/table/episode.h"
#include "envpool/core/table/vtable.h"

namespace envpool {

// The columns into which rows are written: the common fields by name, the environment's own by number.
struct RowColumns : ResultColumns {
  // The arrays into which an environment is observed: after a step, after a step that ends an episode which restarts
  // (null: none restarts), and after a reset or restart.
  void *const *stepped, *const *ended, *const *begun;

  static RowColumns of_pool(const abi::ResultRows& rows) {
    void* const* const own = rows.fields + abi::kCommonFields;
    return {{static_cast<f32*>(rows.fields[abi::kReward]), static_cast<f32*>(rows.fields[abi::kDiscount]),
             static_cast<u8*>(rows.fields[abi::kTerminated]), static_cast<u8*>(rows.fields[abi::kTruncated]),
             static_cast<i32*>(rows.fields[abi::kStepType]), static_cast<i32*>(rows.fields[abi::kEnvId]),
             static_cast<i32*>(rows.fields[abi::kElapsed]), static_cast<i32*>(rows.fields[abi::kPlayers])},
            own,
            rows.final_fields == nullptr ? nullptr : rows.final_fields + abi::kCommonFields,
            own};
  }
};

// Environment k of a call writes row `first` + k. All rows are known before the call, so no environment has to keep
// anything in its `Row`.
struct ConsecutiveRows {
  static constexpr bool kConsecutive = true;
  struct Row {};
  RowColumns all;
  i64 first;

  void claim(i64, Row&) const {}
  // Returns a reference: a copy for each environment would be stored on the stack and loaded again.
  ENVPOOL_ALWAYS_INLINE const RowColumns& columns(const Row&) const { return all; }
  ENVPOOL_ALWAYS_INLINE i64 row(i64 k, const Row&) const { return first + k; }
};

// Each environment of a pool claims a row when its results are ready (asynchronous mode).
struct ClaimedRows {
  static constexpr bool kConsecutive = false;
  struct Row {
    RowColumns columns;
    i64 row;
  };
  const abi::Work& work;

  void claim(i64 k, Row& at) const {
    const abi::ResultRows rows = work.claim(work.context, work.env_ids[k]);
    at = {RowColumns::of_pool(rows), rows.row};
  }
  const RowColumns& columns(const Row& at) const { return at.columns; }
  i64 row(i64, const Row& at) const { return at.row; }
};

}  // namespace envpool
