// SPDX-License-Identifier: Apache-2.0
//
// The handlers of pure functions for XLA on CPUs.
#pragma once

#include <vector>

#include "envpool/bindings/jax/registry.h"

namespace envpool::xla {

std::vector<Registration> pure_handlers();

}  // namespace envpool::xla
