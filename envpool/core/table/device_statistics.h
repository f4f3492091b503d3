// SPDX-License-Identifier: Apache-2.0
//
// The kernels that compute the statistics of a pool on a GPU, after each launch of the pool: the returns of episodes,
// and normalized rewards and observations. They are the same for all environments: they read and write arrays of the
// results only. The source for NVRTC consists of this header and ENVPOOL_STATISTICS_KERNELS. The host includes this
// file for the arguments.
//
// Moments are sums over the rows in float64. A block adds up some rows of some columns, and then one thread of each
// column adds the sums of the blocks, in their order. So the results depend neither on the GPU nor on time.
#pragma once

#include "envpool/core/math/math.h"
#include "envpool/core/table/returns.h"
#include "envpool/core/table/vtable.h"

namespace envpool::device {

inline constexpr i32 kStatisticsThreads = 256;  // of a block of these kernels

// The environments of a launch's rows.
struct RowIds {
  i64 rows;
  i32 first_env;
  const i32* env_ids;  // null: row k is environment first_env + k

  ENVPOOL_FN i64 operator[](i64 row) const { return env_ids == nullptr ? first_env + row : env_ids[row]; }
};

// The arguments of `envpool_returns`, which adds rewards to the returns of their episodes.
struct Returns {
  RowIds ids;
  const i32 *elapsed, *step_type;
  const f32* reward;
  const f32* last_reward;  // of rows that end an episode; null: as of the others
  f64* sums;               // of each environment
  f64* episode_return;     // of each row
};

// The arguments of `envpool_discount`, which adds rewards to the discounted returns of environments.
struct Discount {
  RowIds ids;
  bool begins;    // the rows are those of a reset
  bool restarts;  // rows whose episode ended begin the next one
  f32 gamma;
  const i32* step_type;
  const u8 *terminated, *truncated;
  const f32* reward;
  f32* sums;        // of each environment
  f32* discounted;  // of each row
};

// The running moments of the columns of a matrix.
struct Moments {
  f64 *mean, *var, *count;  // of each column; the counts are equal
};

// The sums of the numbers in a column, of some rows. From each number, the running mean is subtracted first.
struct PartialSums {
  f64 sum, squares, count;
};

// The arguments of `envpool_sums` and `envpool_merge`, which add rows to moments. Block (x, y) of the former adds the
// rows of chunk y, and writes its sums into row y of `sums`.
struct MomentsOfRows {
  const void* data;
  abi::Dtype dtype;
  i64 rows, columns, rows_of_chunk;
  i32 chunks;
  const i32* step_type;  // if it is not null, rows that begin an episode are left out
  Moments moments;
  PartialSums* sums;
};

// The arguments of `envpool_normalize`.
struct Normalize {
  const void* data;
  abi::Dtype dtype;
  i64 rows, columns;
  bool centers;                    // whether the mean is subtracted
  f32* to;                         // may be `data`
  const i32* step_type = nullptr;  // if it is not null, only rows that end an episode are written
  f64 epsilon = 0;
  f32 clip = 0;
  Moments moments{};
};

}  // namespace envpool::device

#ifdef __CUDACC__

namespace envpool::device {

inline i64 thread_of_grid() { return i64{blockIdx.x} * blockDim.x + threadIdx.x; }

inline void add_rewards(const Returns& all) {
  const i64 row = thread_of_grid();
  if (row >= all.ids.rows) return;
  const i64 env = all.ids[row];
  const i32 type = all.step_type[row];
  const bool last = all.last_reward != nullptr && type == i32(StepType::kLast);
  const f32 reward = (last ? all.last_reward : all.reward)[row];
  all.episode_return[row] = all.sums[env] = return_after(all.sums[env], reward, all.elapsed[row], type);
}

inline void discount_rewards(const Discount& all) {
  const i64 row = thread_of_grid();
  if (row >= all.ids.rows) return;
  const i64 env = all.ids[row];
  const f32 before = all.begins ? 0 : all.sums[env];
  const f32 next = before * all.gamma * f32(1 - i32(all.terminated[row])) + all.reward[row];
  all.discounted[row] = next;
  const bool ended = all.terminated[row] != 0 || all.truncated[row] != 0;
  all.sums[env] = all.restarts && ended ? 0 : all.step_type[row] == i32(StepType::kFirst) ? before : next;
}

inline f64 number_at(const void* data, abi::Dtype dtype, i64 at) {
  switch (dtype) {
    case abi::kBool:
    case abi::kU8: return static_cast<const u8*>(data)[at];
    case abi::kI32: return static_cast<const i32*>(data)[at];
    case abi::kI64: return f64(static_cast<const i64*>(data)[at]);
    case abi::kF32: return f64(static_cast<const f32*>(data)[at]);
    case abi::kF64: return static_cast<const f64*>(data)[at];
  }
  return 0;
}

// If there are fewer columns than threads, several threads add rows of the same column.
inline void add_rows(const MomentsOfRows& all) {
  __shared__ PartialSums shared[kStatisticsThreads];
  const i64 width = all.columns < kStatisticsThreads ? all.columns : kStatisticsThreads;
  const i64 lanes = kStatisticsThreads / width;  // threads of a column
  const i64 lane = threadIdx.x / width, column = i64{blockIdx.x} * width + threadIdx.x % width;
  const i64 begin = i64{blockIdx.y} * all.rows_of_chunk;
  const i64 end = begin + all.rows_of_chunk < all.rows ? begin + all.rows_of_chunk : all.rows;
  PartialSums own{};
  if (lane < lanes && column < all.columns) {
    const f64 center = all.moments.mean[column];
    for (i64 row = begin + lane; row < end; row += lanes) {
      if (all.step_type != nullptr && all.step_type[row] == i32(StepType::kFirst)) continue;
      const f64 from_center = number_at(all.data, all.dtype, row * all.columns + column) - center;
      own.sum += from_center;
      own.squares += from_center * from_center;
      own.count += 1;
    }
  }
  shared[threadIdx.x] = own;
  __syncthreads();
  if (lane > 0 || column >= all.columns) return;
  for (i64 other = 1; other < lanes; ++other) {
    const PartialSums& sums = shared[threadIdx.x + other * width];
    own.sum += sums.sum;
    own.squares += sums.squares;
    own.count += sums.count;
  }
  all.sums[i64{blockIdx.y} * all.columns + column] = own;
}

inline void merge_rows(const MomentsOfRows& all) {
  const i64 column = thread_of_grid();
  if (column >= all.columns) return;
  PartialSums batch{};
  for (i32 chunk = 0; chunk < all.chunks; ++chunk) {
    const PartialSums& sums = all.sums[chunk * all.columns + column];
    batch.sum += sums.sum;
    batch.squares += sums.squares;
    batch.count += sums.count;
  }
  if (batch.count == 0) return;
  f64 &mean = all.moments.mean[column], &var = all.moments.var[column], &count = all.moments.count[column];
  const f64 delta = batch.sum / batch.count, total = count + batch.count;
  const f64 squares = batch.squares - batch.sum * delta;  // of the distances from the mean of the rows
  var = (var * count + (squares > 0 ? squares : 0) + delta * delta * count * batch.count / total) / total;
  mean += delta * batch.count / total;
  count = total;
}

inline void normalize(const Normalize& all) {
  const i64 count = all.rows * all.columns, step = i64{gridDim.x} * blockDim.x;
  for (i64 at = thread_of_grid(); at < count; at += step) {
    const i64 row = at / all.columns, column = at - row * all.columns;
    if (all.step_type != nullptr && all.step_type[row] != i32(StepType::kLast)) continue;
    const f64 mean = all.centers ? all.moments.mean[column] : 0;
    const f64 deviation = sqrt(all.moments.var[column] + all.epsilon);
    const f32 value = f32((number_at(all.data, all.dtype, at) - mean) / deviation);
    all.to[at] = value < -all.clip ? -all.clip : value > all.clip ? all.clip : value;
  }
}

}  // namespace envpool::device

#define ENVPOOL_STATISTICS_KERNEL(name, function, Arguments)                                      \
  extern "C" __global__ void name(const __grid_constant__ envpool::device::Arguments arguments) { \
    envpool::device::function(arguments);                                                         \
  }
#define ENVPOOL_STATISTICS_KERNELS                                        \
  ENVPOOL_STATISTICS_KERNEL(envpool_returns, add_rewards, Returns)        \
  ENVPOOL_STATISTICS_KERNEL(envpool_discount, discount_rewards, Discount) \
  ENVPOOL_STATISTICS_KERNEL(envpool_sums, add_rows, MomentsOfRows)        \
  ENVPOOL_STATISTICS_KERNEL(envpool_merge, merge_rows, MomentsOfRows)     \
  ENVPOOL_STATISTICS_KERNEL(envpool_normalize, normalize, Normalize)

#endif  // __CUDACC__
