// SPDX-License-Identifier: Apache-2.0
//
// Host only: the processor for which code is generated. Its header has the registers and operands of native code, and a
// class Target, which is an assembler. The other files of the translator use only what all these headers have.
#pragma once

#include "envpool/core/types.h"

namespace envpool::atari::native {

// The condition of a 6507 branch: a flag, and the value with which the branch is taken.
struct BranchTest {
  enum Flag : u8 { kZero, kSign, kCarryFlag, kOverflowFlag } flag;
  bool value;
};

}  // namespace envpool::atari::native

#if defined(__x86_64__)
#include "envpool/atari/console/native_x64.h"
#else
#include "envpool/atari/console/native_a64.h"
#endif
