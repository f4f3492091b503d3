// SPDX-License-Identifier: Apache-2.0
//
// The statistics of a pool on a GPU: returns of episodes, and normalized rewards and observations. Kernels
// (core/table/device_statistics.h) compute them after each launch of the pool.
#pragma once

#include <string>
#include <vector>

#include "envpool/bindings/gpu/stream.h"
#include "envpool/core/pool/block.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/statistics.h"
#include "envpool/core/table/device_statistics.h"
#include "envpool/core/table/launch.h"

namespace envpool::cuda {

class DeviceStatistics {
 public:
  // `image` is the program of device_statistics.h, compiled for the device; it is not used without statistics.
  DeviceStatistics(const StatisticsOptions& options, const BlockLayout& layout, i32 num_envs, const std::string& image,
                   const Stream& stream);

  // Returns the memory that statistics of so many environments take, except for moments, which take a few MiB.
  static i64 bytes_of(const StatisticsOptions& options, i32 num_envs);

  bool enabled() const { return module_.get() != nullptr; }
  // Whether launches change the moments.
  bool updates_moments = true;

  // A block on the device: its address, and the offsets of its arrays.
  struct Arrays {
    Address block;
    const std::vector<i64>& offsets;

    template <class T>
    T* at(int array) const {
      return reinterpret_cast<T*>(block + Address(offsets[size_t(array)]));
    }
  };
  // Enqueues the statistics of a launch after it.
  void enqueue(const device::Launch& launch, const Arrays& arrays, Handle stream) const;
  // Enqueues what completes rows that the host has computed (observe()), without changing the statistics.
  void describe(const std::vector<i32>& env_ids, const Arrays& arrays, const Stream& stream) const;

  // A named array of the statistics, in float64, except discounted returns.
  struct Part {
    const char* name;
    abi::Dtype dtype;
    Address data;
    i64 count;
    i64 copies = 1;  // that the device has of a single number
  };
  std::vector<Part> parts() const;

  // These do what Statistics's functions do, for environments that are not being stepped, and wait for the stream.
  void forget(const std::vector<i32>& env_ids, const Stream& stream) const;
  void copy(const std::vector<i32>& sources, const std::vector<i32>& env_ids, const Stream& stream) const;

  void close();

 private:
  // Moments of the columns of an array, and room for the sums of chunks of rows.
  struct MomentsMemory {
    Memory mean, var, counts, sums;

    device::Moments moments() const { return {mean.as<f64>(), var.as<f64>(), counts.as<f64>()}; }
  };
  static MomentsMemory initial_moments(i64 columns, i64 rows, const Stream& stream);

  template <class Arguments>
  void launch(Handle kernel, i64 blocks, i64 chunks, Arguments& arguments, Handle stream) const;
  void update(const MomentsMemory& memory, const void* data, abi::Dtype dtype, i64 rows, i64 columns,
              const i32* step_type, Handle stream) const;
  void normalize(const MomentsMemory& memory, const Normalization& how, device::Normalize arguments,
                 Handle stream) const;
  void normalize_obs(const Arrays& arrays, i64 rows, Handle stream) const;

  const StatisticsOptions options_;
  const Driver* driver_ = nullptr;
  Owned<Handle> module_;
  Handle returns_kernel_ = nullptr, discount_kernel_ = nullptr, sums_kernel_ = nullptr, merge_kernel_ = nullptr,
         normalize_kernel_ = nullptr;

  int return_array_ = -1;
  ReturnedRewards returned_{};
  Memory returns_, discounted_;  // of each environment
  Memory of_rows_;               // discounted returns of a batch's rows
  MomentsMemory rewards_, obs_;
  int raw_obs_ = -1, obs_array_ = -1, raw_final_ = -1, final_array_ = -1;  // the arrays that are normalized
  abi::Dtype obs_dtype_ = abi::kF32;
  i64 columns_ = 0;
};

}  // namespace envpool::cuda
