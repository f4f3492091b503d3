// SPDX-License-Identifier: Apache-2.0
//
// Host only: decodes the instruction at each ROM address into a CodeEntry for the fast CPU.
#pragma once

#include "envpool/atari/console/rom.h"

namespace envpool::atari {

void decode_rom(Rom& rom);

}  // namespace envpool::atari
