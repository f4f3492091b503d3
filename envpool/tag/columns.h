// SPDX-License-Identifier: Apache-2.0
//
// The agents of a world as columns: each quantity has an array with one element per agent, so that loops over agents
// read contiguous memory. The columns follow the world in memory; `shared.stride` is the number of elements of each.
#pragma once

#include "envpool/core/env.h"
#include "envpool/core/portable.h"

namespace envpool::tag {

// Returns the stride of columns for this many agents: the number of agents, rounded up to a multiple of four. Columns
// that are a multiple of 1 KiB apart would compete for the same cache sets, so such a stride is enlarged.
ENVPOOL_FN i32 stride_of(i32 agents) {
  const i32 whole = (agents + 3) / 4 * 4;
  return whole % 256 == 0 ? whole + 16 : whole;
}

template <class T, class Env>
ENVPOOL_ALWAYS_INLINE T* column(World<Env>& world, i32 number) {
  return static_cast<T*>(world.extra()) + i64(number) * world.shared.stride;
}
template <class T, class Env>
ENVPOOL_ALWAYS_INLINE const T* column(const World<Env>& world, i32 number) {
  return static_cast<const T*>(world.extra()) + i64(number) * world.shared.stride;
}

}  // namespace envpool::tag
