// SPDX-License-Identifier: Apache-2.0
//
// A model on a GPU: its kernels, its parameters, and the arguments that all launches of it share. A pool and the
// handlers for XLA launch the same kernels (kernel.h) through this class.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "envpool/bindings/gpu/stream.h"
#include "envpool/core/table/launch.h"
#include "envpool/core/table/vtable.h"

namespace envpool::cuda {

class DeviceModel {
 public:
  // Loads a program of envpool/cuda/program.py, compiled for the device. A block has `threads` threads and steps `envs`
  // environments. Throws std::invalid_argument if kernels cannot have the layout's arrays.
  DeviceModel(const abi::Table& table, const abi::Layout& layout, const std::string& image, i32 threads, i32 envs,
              const Stream& stream);

  // Replaces the kernels by those of another program of the same environment and layout. No launch may be under way.
  void load(const std::string& image);

  // Returns the arguments that are the same in all launches.
  const device::TunedLaunch& constant() const { return constant_; }
  // Returns the parameters of a model as kernels read them, and uploads its blob.
  std::string params_of(void* model, const Stream& stream);
  // Enqueues a turn of each row. `params` are the parameters that the rows share.
  void launch(device::Launch& launch, const std::string& params, Handle stream) const;
  // Enqueues a copy of the rows of an operand into contiguous rows.
  void copy(const device::Batch& batch, const device::Operand& from, u8* to, Handle stream) const;

  Handle kernel() const { return turn_; }

 private:
  i32 lanes_for(i64 rows) const;
  void enqueue(Handle kernel, i64 blocks, i64 shared_bytes, void** arguments, Handle stream) const;

  const abi::Table& table_;
  const std::shared_ptr<const Context> context_;
  const i32 threads_, envs_;
  i64 warps_ = 0;  // the least number of warps of a launch that has enough rows
  i32 lanes_ = 0;  // ENVPOOL_DEVICE_LANES; 0 if it is not set
  Owned<Handle> module_;
  Handle turn_ = nullptr, copy_ = nullptr;
  std::vector<Memory> counts_;  // of each action field
  std::vector<Memory> blobs_;
  device::TunedLaunch constant_{};
};

}  // namespace envpool::cuda
