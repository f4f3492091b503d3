// SPDX-License-Identifier: Apache-2.0
//
// The kernel that computes the statistics of a pool on a GPU, after each launch of the pool. It is the same for all
// environments: it reads and writes arrays of the results only. The source for NVRTC consists of this header and
// ENVPOOL_STATISTICS_KERNELS. The host includes this file for Returns.
#pragma once

#include "envpool/core/table/returns.h"

namespace envpool::device {

// The arguments of the kernel `envpool_returns`.
struct Returns {
  i64 rows;
  i32 first_env;
  const i32* env_ids;  // of the rows; null: row k is environment first_env + k
  const i32 *elapsed, *step_type;
  const f32* reward;
  const f32* last_reward;  // of rows that end an episode; null: as of the others
  f64* sums;               // of each environment
  f64* episode_return;     // of each row
};

}  // namespace envpool::device

#ifdef __CUDACC__

namespace envpool::device {

inline void add_rewards(const Returns& all) {
  const i64 k = i64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= all.rows) return;
  const i64 env = all.env_ids == nullptr ? all.first_env + k : all.env_ids[k];
  const i32 type = all.step_type[k];
  const bool last = all.last_reward != nullptr && type == i32(StepType::kLast);
  const f32 reward = (last ? all.last_reward : all.reward)[k];
  all.episode_return[k] = all.sums[env] = return_after(all.sums[env], reward, all.elapsed[k], type);
}

}  // namespace envpool::device

#define ENVPOOL_STATISTICS_KERNELS                                                                       \
  extern "C" __global__ void envpool_returns(const __grid_constant__ envpool::device::Returns returns) { \
    envpool::device::add_rewards(returns);                                                               \
  }

#endif  // __CUDACC__
