// SPDX-License-Identifier: Apache-2.0
//
// Fills in the options of a pool that are omitted, and determines the arrays of its blocks.
#pragma once

#include <algorithm>

#include "envpool/core/pool/block.h"
#include "envpool/core/pool/memory_guard.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/pool/statistics.h"
#include "envpool/core/system/resources.h"
#include "envpool/core/table/vtable.h"

namespace envpool {

inline PoolOptions with_defaults(PoolOptions options, const Label& label, i32 num_envs, i32 max_players) {
  require_countable_players(label, num_envs, max_players);
  if (options.batch_size == 0) options.batch_size = num_envs;
  if (options.num_threads == 0) options.num_threads = std::min(usable_cpus(), options.batch_size);
  return options;
}

// `flags` are those of the pool's tables.
inline BlockLayout block_layout_of(u32 flags, const abi::Layout& layout, const PoolOptions& options,
                                   abi::Autoreset autoreset) {
  const bool may_throw = (flags & (abi::kPortable | abi::kMayThrow)) != abi::kPortable;
  return {layout, options.batch_size, autoreset == abi::kAutoresetSameStep ? FinalFields::kKept : FinalFields::kNone,
          may_throw ? Failures::kPossible : Failures::kNever, extra_arrays(options.statistics)};
}

}  // namespace envpool
