// SPDX-License-Identifier: Apache-2.0
//
// The floating-point mode in which environments run: round to nearest, denormals enabled, no traps. Callers may have
// set another mode (torch.set_flush_denormal, fesetround), XLA always sets one, and a thread inherits the mode of the
// thread that starts it. Results must not depend on the thread that runs an environment, so every entry point sets this
// mode.
#pragma once

#include <cfenv>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "envpool/core/types.h"

namespace envpool {

// Sets this mode in the calling thread for the lifetime of the guard. Writing the control register is slow, so it is
// only written if the mode differs.
class FloatModeGuard {
 public:
#if defined(__x86_64__)
  FloatModeGuard() : before_(_mm_getcsr()) {
    __asm__ volatile("fnstcw %0" : "=m"(x87_before_));
    if ((before_ & kModes) != kPlain) _mm_setcsr(kPlain);
    if (x87_before_ != kX87Plain) set_x87(kX87Plain);
  }
  ~FloatModeGuard() {
    if ((before_ & kModes) != kPlain) _mm_setcsr(before_);
    if (x87_before_ != kX87Plain) set_x87(x87_before_);
  }

 private:
  // kModes excludes the six sticky exception flags.
  static constexpr unsigned kModes = 0xFFC0, kPlain = 0x1F80;
  static constexpr unsigned short kX87Plain = 0x037F;
  static void set_x87(unsigned short word) { __asm__ volatile("fldcw %0" : : "m"(word)); }

  const unsigned before_;
  unsigned short x87_before_;
#elif defined(__aarch64__)
  FloatModeGuard() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(before_));
    if (before_ != 0) set(0);
  }
  ~FloatModeGuard() {
    if (before_ != 0) set(before_);
  }

 private:
  static void set(u64 mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode) : "memory"); }

  u64 before_;
#else
  FloatModeGuard() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatModeGuard() { std::fesetenv(&before_); }

 private:
  std::fenv_t before_;
#endif

 public:
  FloatModeGuard(const FloatModeGuard&) = delete;
  FloatModeGuard& operator=(const FloatModeGuard&) = delete;
};

}  // namespace envpool
