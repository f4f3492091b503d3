// SPDX-License-Identifier: Apache-2.0
//
// Lets jitted code call send, recv and step of a pool, as side effects. A program refers to a pool by a handle of eight
// bytes. Every call takes the handle and returns it, so the data dependency keeps the calls in order. A handle is valid
// in the process that created it, for as long as the pool lives; a call with any other value fails.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "envpool/bindings/gpu/pool_calls.h"
#include "envpool/bindings/jax/registry.h"
#include "envpool/core/pool/env_pool.h"

namespace envpool::xla {

// The number by which jitted code finds a pool. It stays valid while `reference` is held.
struct PoolRegistration {
  i64 number;
  ObjectReference reference;
};

// What a handle refers to: a pool on the CPU or on a GPU. An entry does not keep its pool alive.
struct PoolEntry {
  std::weak_ptr<EnvPool> pool;
  std::shared_ptr<std::timed_mutex> call_mutex;
  std::shared_ptr<cuda::LockedPool> locked;  // of a pool on a GPU; else null
  std::string label;
  std::string device;  // such as "cuda:0"
};

// Returns the entry of a call. Throws if it was deleted before the program was compiled.
std::shared_ptr<PoolEntry> entry_of(const CallFrame& frame);

// Registers a pool on the CPU. Each step of jitted code holds `call_mutex`, like the steps of other callers.
PoolRegistration register_pool(const std::shared_ptr<EnvPool>& pool, std::shared_ptr<std::timed_mutex> call_mutex);

PoolRegistration register_pool(std::shared_ptr<cuda::LockedPool> locked, std::string label, std::string device);

// Returns the number of live entries.
i64 live_pool_entries();

// Returns the bytes of the handle of a pool.
std::string handle_of(i64 number);

// The handlers on CPUs.
Error* instantiate_pool(Call* call) noexcept;
Error* pool_send(Call* call) noexcept;
Error* pool_recv(Call* call) noexcept;
Error* pool_step(Call* call) noexcept;
std::vector<Registration> pool_handlers();

}  // namespace envpool::xla
