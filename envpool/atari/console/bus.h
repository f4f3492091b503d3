// SPDX-License-Identifier: Apache-2.0
//
// The 13-bit bus: address decoding of reads and writes.
#pragma once

#include "envpool/atari/console/cartridge.h"
#include "envpool/atari/console/riot.h"
#include "envpool/atari/console/tia.h"

namespace envpool::atari {

// Returns whether the same instruction may end the frame, which cuts off the screen, after an access to this register.
// It may read VSYNC's address and then write it (INC), or push a byte to VBLANK and then one to VSYNC (JSR, BRK).
ENVPOOL_FN bool may_end_frame(u32 reg) { return reg <= kVblank; }

// Reads a byte. If kExact and c.exact are both true, every access to the TIA draws exactly as far as it does in ALE;
// otherwise the TIA draws only when it has to. The same is true of write_bus(). With kExact false, the instruction must
// not write to VSYNC or VBLANK after the read.
template <bool kExact = true>
ENVPOOL_DEVICE_CALL u8 read_bus(Console& c, const Rom& rom, u16 address) {
  u8 value;
  if (address & 0x1000) {
    value = read_cartridge(c, rom, address);
  } else if ((address & 0x80) == 0) {
    if (kExact && (c.exact || may_end_frame(address & 15))) flush_groups(c, rom, 3 * c.cycles);
    value = static_cast<u8>(read_tia(c, rom, address & 15) | (c.bus & 0x3F));
  } else if ((address & 0x200) == 0) {
    value = c.ram[address & 0x7F];
  } else {
    value = read_riot(c, address);
  }
  c.bus = value;
  c.wrote = false;
  return value;
}

template <bool kExact = true>
ENVPOOL_DEVICE_CALL void write_bus(Console& c, const Rom& rom, u16 address, u8 value) {
  if (address & 0x1000) {
    write_cartridge(c, rom, address, value);
  } else if ((address & 0x80) == 0) {
    // Always draws up to the write. This matters if an instruction pushes two bytes into the TIA, or if the frame is
    // cut off.
    const u32 reg = address & 0x3F;
    const i32 clock = 3 * c.cycles + write_delay(c, reg);
    if ((kExact && c.exact) || may_end_frame(reg)) flush_groups(c, rom, clock);
    flush(c, rom, clock);
    write_tia(c, rom, reg, value);
  } else if ((address & 0x200) == 0) {
    c.ram[address & 0x7F] = value;
  } else {
    write_riot(c, address, value);
  }
  c.bus = value;
  c.wrote = true;
}

}  // namespace envpool::atari
