// SPDX-License-Identifier: Apache-2.0
//
// Pools for XLA: send, recv and step as side effects of jitted code. A program names a pool by a handle, eight bytes
// that travel through it as data and so put the calls in order. It leads to the pool only while that lives in this
// process; afterwards, and for anything else, a call is an error.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "envpool/core/env_pool.h"

namespace envpool::xla {

// Lets jitted code find the pool, and returns the number it is found by. Whoever does a step holds `turn`.
i64 open_port(const std::shared_ptr<EnvPool>& pool, std::shared_ptr<std::timed_mutex> turn);

// The bytes of the handle that leads there.
std::string handle_of(i64 port);

// Names and addresses of the handlers.
std::vector<std::pair<std::string, void*>> pool_handlers();

}  // namespace envpool::xla
