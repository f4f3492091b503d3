// SPDX-License-Identifier: Apache-2.0
//
// The arguments of the kernel (kernel.h), which the host fills in. A launch takes one turn (turn.h) of each row of a
// batch. Its states belong to a pool, or they are rows of bytes that the caller holds: those of the pure functions, for
// JAX.
#pragma once

#include "envpool/core/env.h"
#include "envpool/core/table/device_rows.h"
#include "envpool/core/table/episode.h"
#include "envpool/core/table/turn.h"
#include "envpool/core/table/vtable.h"

namespace envpool::device {

inline constexpr int kMostActions = 8;
// The most dimensions of a batch in one launch, after dimensions that can be treated as one have been merged.
inline constexpr int kMostAxes = 4;
// The most columns of options in one launch.
inline constexpr int kMostOptions = 64;

// An operand of the batch: rows that are contiguous along some of the batch's axes, and broadcast along the others.
struct Operand {
  const u8* data;
  u32 row_bytes;
  u8 axes;     // a bit for each axis along which the rows advance
  u8 dtype;    // of an option
  i16 number;  // of an option, as in abi::OptionColumn
};
inline constexpr u8 kFirstAxis = 1;  // the axes of an operand with a row for each environment of a pool's launch

// One field of the actions. If its dtype or row stride differs from the environment's, the thread that uses a row
// converts it first. All values are checked.
struct ActionInput {
  const u8* data;
  i64 row_stride;     // bytes from the row of one player to the next player's
  u8* converted;      // rows in the environment's dtype; null if `data` is used directly
  const i64* counts;  // number of categories of each element; null: `discrete` for all
  i64 discrete;       // 0: any number
  i32 elements;       // of a row
  abi::Dtype from, to;
  u8 axes;        // as of an operand whose rows contain those of all players
  u8 per_player;  // whether there is a row for each player; otherwise, the first player reads the row of its world
};

// Reports a row that was not stepped: the reason, the row, and the element of the row's action.
struct Fault {
  // kOver: the episode of an environment in a pool is over. kState: the state passed to a pure function belongs to
  // another model. kOption: a value of an option that is out of range; `element` is the option's number plus 1.
  // kEnvId: the id that jitted code passed for a row is not the id of the row's environment.
  static constexpr u64 kNone = 0, kOver = 0xFF, kState = 0xFE, kOption = 0xFD, kEnvId = 0xFC;

  u64 why;      // one of these, or 1 plus the index of the action field with the bad value
  i64 row;      // below 2^32
  i64 element;  // of the actions of all players of the row; below 2^24

  ENVPOOL_FN u64 packed() const { return why << 56 | u64(element) << 32 | u64(row); }
  ENVPOOL_FN static Fault unpacked(u64 word) {
    return {word >> 56, i64(word & 0xFFFFFFFF), i64(word >> 32 & 0xFFFFFF)};
  }
};

// The rows of a launch: a batch with one or more axes.
struct Batch {
  i64 rows;  // the product of the extents; below 2^31
  i32 extents[kMostAxes];
  i32 axes;
};

struct Launch {
  // The rows, and what their environments do.
  Batch batch;
  i64 first_row;  // the number of the first row, for faults
  i32 lanes;      // how many lanes of each warp have a row, if rows have one player
  Rules rules;
  bool held;    // the caller holds the states: a reset makes new ones, and a step checks their tags
  bool repair;  // the caller may have written into the states, so bring them into range first
  u32 tag;      // if held
  abi::Keyed keyed;
  Operand keys, streams;  // unless keyed is kKeepKey

  // The environments.
  u8* slots;  // EnvSlot and extra bytes of each environment
  i64 slot_bytes;
  const i32* env_ids;  // of the rows; null: row k is environment first_env + k
  const i32* named;    // ids that jitted code passed for the rows, or null; must equal the environments' ids
  i32 first_env;
  i32 limit;    // steps until an episode is truncated; 0: no limit
  i32* limits;  // the same for each environment; null: `limit`
  u8* params;   // of each environment (ENVPOOL_PARAMS_EACH), or those that make() got (ENVPOOL_TUNED)
  u8* next;     // NextParams of each environment (ENVPOOL_PARAMS_EACH); null: no options have changed
  volatile u64* fault;

  // The results. Null if the caller does not want them.
  i32 max_players, num_own, num_actions;
  ResultColumns columns;
  u8* done;            // terminated or truncated
  u8* over_now;        // of each environment of a pool: whether its last step ended the episode
  i32* players_now;    // the same: the number of players
  i32* player_env_id;  // of each player's row: the environment, or -1 if there is no player
  // The arrays for observations: of rows that step, of those whose episode ended and that restart, and of the episodes
  // that begin. If the states are not held, the first and the last are the same.
  void *stepped[kMostFields], *ended[kMostFields], *begun[kMostFields];
  i64 row_bytes[kMostFields];
  u8 per_player[kMostFields];
  Staging staging;

  // The actions.
  i64 action_bytes[kMostActions];  // of a row in the environment's dtype
  ActionInput actions[kMostActions];
};

// Returns the columns of a batch of a pool, whose first fields they are.
ENVPOOL_FN ResultColumns columns_of(void* const* fields) {
  return {static_cast<f32*>(fields[abi::kReward]),    static_cast<f32*>(fields[abi::kDiscount]),
          static_cast<u8*>(fields[abi::kTerminated]), static_cast<u8*>(fields[abi::kTruncated]),
          static_cast<i32*>(fields[abi::kStepType]),  static_cast<i32*>(fields[abi::kEnvId]),
          static_cast<i32*>(fields[abi::kElapsed]),   static_cast<i32*>(fields[abi::kPlayers])};
}

// The options with which an environment of a pool begins its next episode.
template <class Params>
struct alignas(16) NextParams {
  Params params;
  i32 limit;
  i32 changed;  // whether they differ from those of the current episode
};
// The place of `limit` in it, which `changed` follows, and its size, on the host.
constexpr i64 limit_at(i64 params_bytes) { return (params_bytes + 3) / 4 * 4; }
constexpr i64 next_params_bytes(i64 params_bytes) { return (limit_at(params_bytes) + 8 + 15) / 16 * 16; }

// The arguments of a kernel that is compiled with ENVPOOL_TUNED: options can differ from row to row. Other kernels
// only read its base.
struct TunedLaunch : Launch {
  i32 num_options;
  i32 num_next_options;  // in `options`, after those of the step; -1: the episodes that begin have the same options
  const abi::Tunable* tunables;
  Operand options[kMostOptions];
};

// The maximum size of Params. With every driver and GPU, a kernel's arguments may take 4,096 bytes in all, so Params
// are no argument of kernels that are compiled with ENVPOOL_TUNED.
inline constexpr u64 kMostParamsBytes = 2048;
static_assert(sizeof(Launch) + kMostParamsBytes <= 4096);

}  // namespace envpool::device

#ifdef __CUDACC__

namespace envpool::device {

// A row of the batch. It keeps its number, rather than its place along each axis, because registers are scarce, and
// most batches have one axis.
class BatchIndex {
 public:
  BatchIndex(const Batch& batch, i64 row) : batch_(batch), row_(i32(row)) {}

  // Returns the number of the row that an operand with these axes has here.
  i32 row(u8 axes) const {
    i32 rest = row_, number = 0, scale = 1;
#pragma unroll 1
    for (i32 axis = batch_.axes - 1; axis > 0; --axis) {
      const i32 extent = batch_.extents[axis], outer = i32(u32(rest) / u32(extent));
      if ((axes >> axis & 1) != 0) {
        number += (rest - outer * extent) * scale;
        scale *= extent;
      }
      rest = outer;
    }
    return (axes & 1) != 0 ? number + rest * scale : number;
  }
  const u8* at(const Operand& operand) const { return operand.data + i64{row(operand.axes)} * operand.row_bytes; }

 private:
  const Batch& batch_;
  const i32 row_;
};

}  // namespace envpool::device

#endif  // __CUDACC__
