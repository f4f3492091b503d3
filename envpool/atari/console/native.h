// SPDX-License-Identifier: Apache-2.0
//
// Host only: the decoded instructions of a ROM translated to machine code (x86-64), once per pool. Does what run_fast()
// does, which remains for all other processors, for devices, and as the measure of this.
#pragma once

#include "envpool/atari/console/rom.h"

#if ENVPOOL_HOST
#include <memory>

namespace envpool::atari {

struct Console;

// Translates a finished Rom. The result runs this Rom and every copy of it, for as long as it lives. Null, and the ROM
// is to be interpreted, where that is not possible (another processor, no executable memory) or not wanted
// (ENVPOOL_ATARI_NATIVE=0 in the environment).
std::shared_ptr<const void> compile_rom(const Rom& rom);

// As run_fast(), with what compile_rom() made of the Rom.
bool run_native(Console& c, const Rom& rom, const void* native, i32 cycle_limit);

}  // namespace envpool::atari
#endif
