// SPDX-License-Identifier: Apache-2.0
//
// Pools for XLA: send, recv and step as side effects of jitted code. A program names a pool by a handle, eight bytes
// that travel through it as data and so put the calls in order. It leads to the pool only while that lives in this
// process; afterwards, and for anything else, a call is an error.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "envpool/bindings/xla_kept.h"
#include "envpool/core/pool/env_pool.h"

namespace envpool::xla {

// The number by which jitted code finds a pool; it stays valid while `kept` is held.
struct OpenPort {
  i64 number;
  Shared kept;
};

// Lets jitted code find the pool. Whoever does a step holds `turn`.
OpenPort open_port(const std::shared_ptr<EnvPool>& pool, std::shared_ptr<std::timed_mutex> turn);

// Returns the number of live ports.
i64 live_ports();

// The bytes of the handle that leads there.
std::string handle_of(i64 port);

std::vector<Registration> pool_handlers();

}  // namespace envpool::xla
