// SPDX-License-Identifier: Apache-2.0
//
// Zeroed memory that is aligned to a cache line. For the host only.
#pragma once

#include <cstring>
#include <memory>
#include <new>

#include "envpool/core/types.h"

namespace envpool {

inline constexpr std::align_val_t kCacheLine{64};

struct AlignedDeleter {
  void operator()(u8* memory) const { ::operator delete(memory, kCacheLine); }
};
using AlignedMemory = std::unique_ptr<u8, AlignedDeleter>;

// Throws std::bad_alloc if there is no memory.
inline AlignedMemory allocate_zeroed(i64 bytes) {
  AlignedMemory memory(static_cast<u8*>(::operator new(size_t(bytes), kCacheLine)));
  std::memset(memory.get(), 0, size_t(bytes));
  return memory;
}

}  // namespace envpool
