// SPDX-License-Identifier: Apache-2.0
//
// Defines the arguments that XLA's calls pass to a pool on a GPU (DevicePool::send_from_xla, recv_into).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "envpool/bindings/gpu/driver.h"
#include "envpool/core/table/vtable.h"

namespace envpool::cuda {

class DevicePool;

// XLA's threads find a pool on a GPU through this object. They do not hold the interpreter lock, so every call to the
// pool holds this mutex.
struct LockedPool {
  std::recursive_mutex mutex;
  DevicePool* pool = nullptr;  // null after the pool was destroyed
};

// A field of actions in device memory, with contiguous rows.
struct ActionBuffer {
  Address data;
  abi::Dtype dtype;
};

// The arguments of a send.
struct SendArgs {
  std::vector<ActionBuffer> actions{};
  i64 rows = 0;                // environments
  const i32* named = nullptr;  // on the device: the ids that the caller passed, one per row
  bool named_whole = false;    // the rows are those of the batch that was received longest ago
  std::vector<i32> ids{};      // the environments, if the host knows them; else all, or the batch of `named_whole`
};

// Whether a recv begins by raising the fault of an earlier launch. In the second half of a step, it does not: the step
// is under way, so an error would leave its batch to be received, and the caller would not know. The next call raises
// the fault.
enum class Faults { kRaise, kKeep };

// An array that a recv fills.
struct OutputBuffer {
  int array;  // index in the block's layout; -1: `done`
  Address data;
  bool narrowed;  // the elements have 32 bits, although the environment's have 64
};

}  // namespace envpool::cuda
