// SPDX-License-Identifier: Apache-2.0
//
// Host only: translates the decoded instructions of a ROM to x86-64 machine code, once per pool. Native code does the
// same as run_fast(), which runs on other processors and on devices. Tests compare the two.
#pragma once

#include "envpool/atari/console/rom.h"

#if ENVPOOL_HOST
#include <memory>

namespace envpool::atari {

struct Console;

// Translates a complete Rom. The result is valid for this Rom and for every copy of it. Returns null, so that the ROM
// is interpreted, if translation is not possible (another processor, no executable memory) or disabled
// (ENVPOOL_ATARI_NATIVE=0 in the environment).
std::shared_ptr<const void> compile_rom(const Rom& rom);

// Like run_fast(), with the result of compile_rom().
bool run_native(Console& c, const Rom& rom, const void* native, i32 cycle_limit);

}  // namespace envpool::atari
#endif
