// SPDX-License-Identifier: Apache-2.0
//
// The 13-bit bus: who answers at an address. This is the exact path, on which every access is visible.
#pragma once

#include "envpool/atari/console/cartridge.h"
#include "envpool/atari/console/riot.h"
#include "envpool/atari/console/tia.h"

namespace envpool::atari {

ENVPOOL_DEVICE_CALL u8 read_bus(Console& c, const Rom& rom, u16 address) {
  u8 value;
  if (address & 0x1000) {
    value = read_cartridge(c, rom, address);
  } else if ((address & 0x80) == 0) {
    flush(c, rom, 3 * c.cycles);  // seen where the frame breaks off before anything else is drawn
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

ENVPOOL_DEVICE_CALL void write_bus(Console& c, const Rom& rom, u16 address, u8 value) {
  if (address & 0x1000) {
    write_cartridge(c, rom, address, value);
  } else if ((address & 0x80) == 0) {
    // Always draws up to the write, which matters when two pushes hit the TIA or the frame breaks off.
    flush(c, rom, 3 * c.cycles + write_delay(c, address & 0x3F));
    write_tia(c, rom, address & 0x3F, value);
  } else if ((address & 0x200) == 0) {
    c.ram[address & 0x7F] = value;
  } else {
    write_riot(c, address, value);
  }
  c.bus = value;
  c.wrote = true;
}

}  // namespace envpool::atari
