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
struct OpenPort {
  i64 number;
  ObjectReference reference;
};

// A handle refers to a port, which is a pool on the CPU or on a GPU. A port does not keep its pool alive.
struct Port {
  std::weak_ptr<EnvPool> pool;
  std::shared_ptr<std::timed_mutex> step_mutex;
  std::shared_ptr<cuda::PoolGate> gate;  // of a pool on a GPU; else null
  std::string label;
  std::string device;  // such as "cuda:0"
};

// Returns the port of a call. Throws if it was deleted before the program was compiled.
std::shared_ptr<Port> port_of(const CallFrame& frame);

// Registers a pool on the CPU. Each step of jitted code holds `step_mutex`, like the steps of other callers.
OpenPort open_port(const std::shared_ptr<EnvPool>& pool, std::shared_ptr<std::timed_mutex> step_mutex);

OpenPort open_port(std::shared_ptr<cuda::PoolGate> gate, std::string label, std::string device);

// Returns the number of live ports.
i64 live_ports();

// Returns the bytes of a port's handle.
std::string handle_of(i64 port);

// The handlers on CPUs.
Error* instantiate_port(Call* call) noexcept;
Error* pool_send(Call* call) noexcept;
Error* pool_recv(Call* call) noexcept;
Error* pool_step(Call* call) noexcept;
std::vector<Registration> pool_handlers();

}  // namespace envpool::xla
