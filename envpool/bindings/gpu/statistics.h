// SPDX-License-Identifier: Apache-2.0
//
// The statistics of a pool on a GPU: the returns of its episodes, which a kernel (core/table/device_statistics.h) adds
// up after each launch of the pool.
#pragma once

#include <string>
#include <vector>

#include "envpool/bindings/gpu/stream.h"
#include "envpool/core/pool/block.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/statistics.h"
#include "envpool/core/table/launch.h"

namespace envpool::cuda {

class DeviceStatistics {
 public:
  // `image` is the program of device_statistics.h, compiled for the device; it is not used without statistics.
  DeviceStatistics(const StatisticsOptions& options, const BlockLayout& layout, i32 num_envs, const std::string& image,
                   const Stream& stream);

  bool enabled() const { return return_array_ >= 0; }
  // Enqueues the statistics of a launch after it. The arrays of its block are at `block` plus `offsets`.
  void enqueue(const device::Launch& launch, Address block, const std::vector<i64>& offsets, const Driver& driver,
               Handle stream) const;

  // The returns of environments that are not being stepped. These calls wait for the stream.
  std::vector<f64> returns(const std::vector<i32>& env_ids, const Stream& stream) const;
  void set_returns(const std::vector<i32>& env_ids, const std::vector<f64>& returns, const Stream& stream) const;

  void close();

 private:
  Address sum(i32 env_id) const { return sums_.address() + Address(env_id) * sizeof(f64); }

  Owned<Handle> module_;
  Handle kernel_ = nullptr;
  Memory sums_;  // of each environment
  int return_array_ = -1;
  ReturnedRewards returned_{};
};

}  // namespace envpool::cuda
