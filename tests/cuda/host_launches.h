// SPDX-License-Identifier: Apache-2.0
//
// Launches of kernels on threads of the host: their arrays, their descriptions and random actions.
#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "tests/cuda/cuda_on_host.h"
// The headers of kernels need the names above.
#include "envpool/core/plugin.h"
#include "envpool/core/table/kernel.h"

namespace envpool {

inline void put(u8* to, abi::Dtype dtype, f64 value) {
  const auto copy = [&](auto x) { std::memcpy(to, &x, sizeof(x)); };
  switch (dtype) {
    case abi::kBool:
    case abi::kU8: return copy(u8(value));
    case abi::kI32: return copy(i32(value));
    case abi::kI64: return copy(i64(value));
    case abi::kF32: return copy(f32(value));
    case abi::kF64: return copy(value);
  }
}

// The arrays that a batch is written to. Each has its own allocation, so that sanitizers check its bounds. Arrays of
// bytes begin at an odd address, because a caller's array may begin anywhere.
struct Batch {
  std::vector<std::vector<u8>> arrays, final_arrays;
  std::vector<void*> fields, final_fields;
  std::vector<i64> row_bytes;
  std::vector<bool> per_player;
  std::vector<size_t> begin;  // of the rows in each array

  Batch(const abi::Layout& layout, i32 count) {
    for (const i64 bytes : {4, 4, 1, 1, 4, 4, 4, 4}) row_bytes.push_back(bytes);
    per_player.assign(abi::kCommonFields, false);
    per_player[abi::kReward] = per_player[abi::kDiscount] = true;
    begin.assign(abi::kCommonFields, 0);
    for (i32 f = 0; f < layout.num_fields; ++f) {
      row_bytes.push_back(layout.fields[f].row_bytes);
      per_player.push_back(layout.fields[f].per_player != 0);
      begin.push_back(size_of(layout.fields[f].dtype) == 1 ? 3 : 0);
    }
    for (size_t f = 0; f < row_bytes.size(); ++f) {
      const i64 rows = i64{count} * (per_player[f] ? layout.max_players : 1);
      for (auto* list : {&arrays, &final_arrays}) list->emplace_back(begin[f] + size_t(rows * row_bytes[f]), u8{0xA5});
    }
    for (size_t f = 0; f < row_bytes.size(); ++f) {
      fields.push_back(arrays[f].data() + begin[f]);
      final_fields.push_back(final_arrays[f].data() + begin[f]);
    }
  }
  template <class T>
  const T* as(abi::CommonField field) const {
    return static_cast<const T*>(fields[field]);
  }
};

enum class Operation { kReset, kStep };

template <class Env>
inline constexpr bool kIsWorld = requires { typename Env::Shared; };

// Returns the number of rows of actions that each row of the batch has.
inline i64 action_rows(const abi::Layout& layout, i32 f) {
  return layout.actions[f].per_player != 0 ? layout.max_players : 1;
}

// Describes the actions of an environment: arrays of one row for each player of each row of the batch, or of one row
// for each world.
template <class Env>
void describe_actions(const abi::Layout& layout, device::Launch& launch) {
  launch.num_actions = layout.num_actions;
  for (i32 f = 0; f < layout.num_actions; ++f) {
    const abi::Field& field = layout.actions[f];
    launch.action_bytes[f] = field.row_bytes;
    launch.actions[f] = {nullptr,
                         field.row_bytes,
                         nullptr,
                         field.counts,
                         field.discrete,
                         i32(field.row_bytes / size_of(field.dtype)),
                         field.dtype,
                         field.dtype,
                         device::kFirstAxis,
                         u8(field.per_player != 0)};
  }
}

// Describes the arrays of observations and infos.
template <class Env>
void describe_fields(const abi::Layout& layout, device::Launch& launch) {
  launch.max_players = layout.max_players;
  launch.num_own = layout.num_fields;
  for (i32 f = 0; f < layout.num_fields; ++f) {
    launch.row_bytes[f] = layout.fields[f].row_bytes;
    launch.per_player[f] = layout.fields[f].per_player != 0;
  }
  launch.staging = device::Staging::of(launch.row_bytes, launch.num_own, ENVPOOL_THREADS, !kHasLargeRows<Env>,
                                       [&](i32 f) { return !kIsWorld<Env> || launch.per_player[f] != 0; });
}

// Runs a launch on threads of the host, one block after the other.
template <class Env>
void run(const device::Launch& launch, const void* params) {
  blockDim.x = ENVPOOL_THREADS;
  const auto rows = unsigned(launch.batch.rows);
  const auto of_block = kIsWorld<Env> ? 1 : unsigned(ENVPOOL_THREADS / device::kWarp * launch.lanes);
  gridDim.x = (rows + of_block - 1) / of_block;
  Barrier barrier(blockDim.x);
  block_barrier = &barrier;
  // It has exactly the requested size, so that sanitizers check its bounds.
  std::vector<u64> shared(size_t(launch.staging.block_bytes(ENVPOOL_THREADS) / i64{sizeof(u64)}));
  dynamic_shared = reinterpret_cast<unsigned char*>(shared.data());
  const auto run_thread = [&](unsigned block, unsigned thread) {
    blockIdx.x = block, threadIdx.x = thread;
    device::take_turn<Env>(launch, *static_cast<const typename Env::Params*>(params));
  };
  for (unsigned block = 0; block < gridDim.x; ++block) {
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < blockDim.x; ++thread) threads.emplace_back(run_thread, block, thread);
    for (std::thread& thread : threads) thread.join();
  }
}

// Fills the rows of a field of actions with valid values.
inline void choose_actions(const abi::Field& field, std::mt19937& random, std::vector<u8>& rows) {
  const i64 size = size_of(field.dtype), elements = field.row_bytes / size;
  for (i64 at = 0; at < i64(rows.size()); at += size) {
    const i64 most = field.counts != nullptr ? field.counts[at / size % elements] : field.discrete;
    const f64 unit = f64(random() % 1024) / 1024;
    put(rows.data() + at, field.dtype, most > 0 ? std::floor(unit * f64(most)) : 2 * unit - 1);
  }
}

// Clears the padding of a slot, which assignments of whole structs leave undefined.
template <class Env>
void clear_padding(u8* slot) {
#if __has_builtin(__builtin_clear_padding)
  EnvSlot<StateOf<Env>> copy;
  std::memcpy(static_cast<void*>(&copy), slot, sizeof(copy));
  __builtin_clear_padding(&copy);
  std::memcpy(slot, static_cast<const void*>(&copy), sizeof(copy));
#endif
}

}  // namespace envpool
