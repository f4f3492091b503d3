// SPDX-License-Identifier: Apache-2.0
//
// A set of random 64-bit numbers, with linear probing. Its bytes are part of a state: all zero is the empty set.
#pragma once

#include "envpool/core/types.h"

namespace envpool::pgx {

template <i32 kSlots>
struct HashSet {
  u64 slots[kSlots];  // 0: free

  // Adds a number unless the set has it. Returns whether it was added. A set without a free slot stays as it is.
  ENVPOOL_FN bool add(u64 number) {
    u64* const slot = find(number);
    if (slot == nullptr || *slot != 0) return false;
    *slot = number + (number == 0);
    return true;
  }
  ENVPOOL_FN bool has(u64 number) {
    const u64* const slot = find(number);
    return slot != nullptr && *slot != 0;
  }

  // Loads the slot of a number into the cache.
  ENVPOOL_ALWAYS_INLINE void prefetch([[maybe_unused]] u64 number) const {
#ifndef __CUDACC__
    __builtin_prefetch(&slots[slot_of(number)]);
#endif
  }

 private:
  ENVPOOL_ALWAYS_INLINE static i32 slot_of(u64 number) { return i32((number >> 32) * u64{kSlots} >> 32); }
  // Returns the slot of a number, or a free slot; null if there is neither.
  ENVPOOL_FN u64* find(u64 number) {
    number += number == 0;
    i32 at = slot_of(number);
    for (i32 i = 0; i < kSlots; ++i) {
      if (slots[at] == 0 || slots[at] == number) return &slots[at];
      at = at + 1 < kSlots ? at + 1 : 0;
    }
    return nullptr;
  }
};

}  // namespace envpool::pgx
