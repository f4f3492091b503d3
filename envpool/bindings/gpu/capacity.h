// SPDX-License-Identifier: Apache-2.0
//
// Checks whether a pool fits into a device's memory.
#pragma once

#include "envpool/bindings/gpu/driver.h"
#include "envpool/core/pool/pool_types.h"

namespace envpool::cuda {

// Raises Python's MemoryError unless the device has free memory for `bytes`, which `num_envs` environments take, and
// for the local memory of a kernel, which is `stack` bytes for each thread. The context must be current.
void require_memory(const Context& context, i64 stack, i32 num_envs, i64 bytes, const Label& label);

// Returns the bytes of local memory that a thread of the kernel takes.
i64 stack_of(const Driver& driver, Handle kernel);

}  // namespace envpool::cuda
