// SPDX-License-Identifier: Apache-2.0
//
// Refuses to create a pool that would have too many players, or exceed the memory limit. Linux would grant the
// allocations and kill the process later.
#pragma once

#include <limits>
#include <string>

#include "envpool/core/pool/block.h"
#include "envpool/core/pool/pool_types.h"
#include "envpool/core/system/resources.h"

namespace envpool {

// Throws if the pool can have more players than an i32 counts.
inline void require_countable_players(const Label& label, i32 num_envs, i32 max_players) {
  const i32 limit = std::numeric_limits<i32>::max() / max_players;
  if (num_envs <= limit) return;
  label.throw_invalid_argument("num_envs: expected at most " + std::to_string(limit) + " environments of " +
                               std::to_string(max_players) + " players each, got " + std::to_string(num_envs));
}

// An estimate of a pool's memory, as far as it is known in advance.
struct MemoryNeeds {
  i32 num_envs, num_threads;
  f64 blocks;         // the most blocks of a whole batch that can exist at a time
  f64 env_bytes;      // of all environments
  f64 actions_bytes;  // of all slots for actions

  // An estimate of the stack and allocator memory that a worker thread touches.
  static constexpr f64 kThreadBytes = f64(128 << 10);

  f64 bytes(const BlockLayout& layout) const {
    f64 row = 0;
    for (const Array& array : layout.arrays) {
      row += f64(array.row_bytes) * (array.per_player ? layout.max_players : 1);
    }
    return env_bytes + actions_bytes + blocks * row * layout.rows + kThreadBytes * num_threads;
  }
};

inline void require_memory(const Label& label, const BlockLayout& layout, const MemoryNeeds& needs) {
  const f64 needed = needs.bytes(layout), usable = usable_memory();
  if (needed <= usable) return;
  const auto mebibytes = [](f64 bytes) { return std::to_string(i64(bytes / (1 << 20))) + " MiB"; };
  throw NoMemory(label.text("num_envs: no memory for " + std::to_string(needs.num_envs) +
                            " environments in batches of " + std::to_string(layout.rows) + ", which need at least " +
                            mebibytes(needed) + "; this process may use " + mebibytes(usable) + " more"));
}

}  // namespace envpool
