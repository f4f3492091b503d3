// SPDX-License-Identifier: Apache-2.0
//
// Replaces operator new to count the allocations of a test program in all threads, or to make one of them fail. Include
// it in one file of the program.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace envpool::testing {

inline std::atomic<bool> counting_allocations{false};
inline std::atomic<long> allocations{0};

inline std::atomic<long> allocations_until_failure{0};  // 0: none fails
inline std::atomic<bool> allocation_failed{false};

inline void* allocate(std::size_t size, std::size_t alignment) {
  if (counting_allocations.load(std::memory_order_relaxed)) ++allocations;
  if (allocations_until_failure.load(std::memory_order_relaxed) > 0 && allocations_until_failure.fetch_sub(1) == 1) {
    allocation_failed = true;
    throw std::bad_alloc();
  }
  size = size != 0 ? size : 1;
#ifdef _WIN32  // free() cannot free aligned memory there
  void* memory = _aligned_malloc(size, alignment > 16 ? alignment : 16);
#else
  void* memory = alignment > 16 ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                                : std::malloc(size);
#endif
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

inline void free(void* memory) {
#ifdef _WIN32
  _aligned_free(memory);
#else
  std::free(memory);
#endif
}

// Returns the number of allocations while `action` runs.
template <class Action>
long allocations_of(Action&& action) {
  allocations = 0;
  counting_allocations = true;
  action();
  counting_allocations = false;
  return allocations;
}

}  // namespace envpool::testing

void* operator new(std::size_t size) { return envpool::testing::allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return envpool::testing::allocate(size, std::size_t(alignment));
}
// GCC reports these as mismatched, although they match the operators above.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void operator delete(void* memory) noexcept { envpool::testing::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { envpool::testing::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { envpool::testing::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { envpool::testing::free(memory); }
#pragma GCC diagnostic pop
