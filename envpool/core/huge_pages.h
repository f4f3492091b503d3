// SPDX-License-Identifier: Apache-2.0
//
// Huge pages, which spare the processor misses in its table of page addresses. Not a part of system.h, which
// environments do not include.
#pragma once

#include <cstddef>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace envpool {

inline constexpr size_t kHugePageBytes = size_t{2} << 20;

// Asks the system to back this memory, which begins at a huge page and has not been used, with huge pages. Only Linux
// does, and not on every machine; a refusal costs speed, not correctness.
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef __linux__
  (void)madvise(memory, bytes / kHugePageBytes * kHugePageBytes, MADV_HUGEPAGE);
#endif
}

}  // namespace envpool
