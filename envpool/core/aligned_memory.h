// SPDX-License-Identifier: Apache-2.0
//
// Zeroed memory that is aligned to a cache line, or to a huge page if it is large. For the host only.
#pragma once

#include <cstring>
#include <memory>
#include <new>

#include "envpool/core/huge_pages.h"
#include "envpool/core/types.h"

namespace envpool {

inline constexpr std::align_val_t kCacheLine{64};

struct AlignedDeleter {
  std::align_val_t alignment = kCacheLine;
  void operator()(u8* memory) const { ::operator delete(memory, alignment); }
};
using AlignedMemory = std::unique_ptr<u8, AlignedDeleter>;

// Throws std::bad_alloc if there is no memory.
inline AlignedMemory allocate_zeroed(i64 bytes) {
  const bool large = size_t(bytes) >= 2 * kHugePageBytes;
  const std::align_val_t alignment = large ? std::align_val_t{kHugePageBytes} : kCacheLine;
  AlignedMemory memory(static_cast<u8*>(::operator new(size_t(bytes), alignment)), AlignedDeleter{alignment});
  if (large) prefer_huge_pages(memory.get(), size_t(bytes));
  std::memset(memory.get(), 0, size_t(bytes));
  return memory;
}

}  // namespace envpool
