// SPDX-License-Identifier: Apache-2.0
//
// Cartridge hardware: bank switching, superchip RAM and the DPC.
#pragma once

#include "envpool/atari/console/rom.h"

namespace envpool::atari {

// Maps `count` segments, starting with `segment`, to the ROM page that starts at `page` KB.
ENVPOOL_FN void map_page(Cartridge& cart, const Rom& rom, u32 segment, u32 count, u32 page) {
  const u32 page_kb = rom.mapper == kE0 ? 1 : 4;
  const u32 padding = page / page_kb * kPagePad;
  for (u32 i = 0; i < count; ++i) {
    cart.data_at[segment + i] = (page + i) * 1024;
    cart.code_at[segment + i] = (page + i) * 1024 + padding;
  }
}

ENVPOOL_FN void select_bank(Cartridge& cart, const Rom& rom, u32 bank) { map_page(cart, rom, 0, 4, bank * 4); }

// Bit 13 of the address selects the bank of an FE cartridge.
ENVPOOL_FN void select_fe_bank(Cartridge& cart, const Rom& rom, u16 address) {
  select_bank(cart, rom, address & 0x2000 ? 0 : 1);
}

// Switches banks if an access to this cartridge offset does so.
ENVPOOL_FN void access_hot_spot(Cartridge& cart, const Rom& rom, u32 offset) {
  switch (rom.mapper) {
    case kF8:
    case kF8SC:
    case kDPC:
      if (offset == 0xFF8 || offset == 0xFF9) select_bank(cart, rom, offset - 0xFF8);
      break;
    case kF6:
    case kF6SC:
      if (offset >= 0xFF6 && offset <= 0xFF9) select_bank(cart, rom, offset - 0xFF6);
      break;
    case kE0:
      if (offset >= 0xFE0 && offset <= 0xFF7) {
        map_page(cart, rom, (offset - 0xFE0) >> 3, 1, offset & 7);
      }
      break;
    default: break;
  }
}

ENVPOOL_FN void reset_cartridge(Console& c, const Rom& rom) {
  switch (rom.mapper) {
    case kF8:
    case kF8SC: select_bank(c.cart, rom, 1); break;
    case kDPC:
      select_bank(c.cart, rom, 1);
      c.dpc.stamp = c.cycles;
      c.dpc.fraction = 0.0;
      break;
    case kE0:
      for (u32 i = 0; i < 4; ++i) map_page(c.cart, rom, i, 1, 4 + i);
      break;
    default: select_bank(c.cart, rom, 0); break;
  }
}

ENVPOOL_FN u8 rom_byte(const Cartridge& cart, const Rom& rom, u32 offset) {
  return rom.data[cart.data_at[offset >> 10] + (offset & 0x3FF)];
}

// Bit 13 of the address selects the bank of an FE cartridge from which the byte comes.
ENVPOOL_FN u8 fe_byte(const Rom& rom, u32 address) {
  return rom.data[(address & 0x2000 ? 0 : 4096) + (address & 0xFFF)];
}

// Advances the DPC's three music fetchers, which have their own oscillator. The order of the
// double-precision operations is part of the behaviour.
ENVPOOL_FN void update_dpc_music(Dpc& d, i32 cycles) {
  const i32 elapsed = static_cast<i32>(static_cast<u32>(cycles) - static_cast<u32>(d.stamp));
  d.stamp = cycles;
  const f64 clocks = ((15750.0 * elapsed) / 1193191.66666667) + d.fraction;
  const i32 whole = static_cast<i32>(clocks);
  d.fraction = clocks - whole;
  if (whole <= 0) return;
  for (u32 i = 5; i <= 7; ++i) {
    if (!d.music[i]) continue;
    i32 low = d.counter[i] & 0xFF;
    if (d.top[i] != 0) {
      low -= whole % (d.top[i] + 1);
      if (low < 0) low += d.top[i] + 1;
    } else {
      low = 0;
    }
    if (low <= d.bottom[i]) {
      d.flag[i] = 0;
    } else if (low <= d.top[i]) {
      d.flag[i] = 0xFF;
    }
    d.counter[i] = static_cast<u16>((d.counter[i] & 0x700) | low);
  }
}

// Clocks the DPC's random number register, as every access to $000-$07F or $FC0-$FFF does.
ENVPOOL_FN void clock_dpc_random(Dpc& d, u32 offset) {
  if (offset >= 0x80 && offset < 0xFC0) return;
  const u32 r = d.random;
  const u32 bit = ~((r >> 7) ^ (r >> 5) ^ (r >> 4) ^ (r >> 3)) & 1;
  d.random = static_cast<u8>(r << 1 | bit);
}

ENVPOOL_FN u8 read_dpc_register(Dpc& d, const Rom& rom, u32 offset, i32 cycles) {
  static constexpr u8 kAmplitude[8] = {0, 4, 5, 9, 6, 10, 11, 15};
  const u32 i = offset & 7;
  if ((d.counter[i] & 0xFF) == d.top[i]) {
    d.flag[i] = 0xFF;
  } else if ((d.counter[i] & 0xFF) == d.bottom[i]) {
    d.flag[i] = 0;
  }
  const u8 display = rom.data[8192 + 2047 - d.counter[i]];
  u8 value = 0;
  switch (offset >> 3) {
    case 0:
      if (i < 4) {
        value = d.random;
      } else {
        update_dpc_music(d, cycles);
        u32 voices = 0;
        for (u32 j = 0; j < 3; ++j) {
          if (d.music[5 + j] && d.flag[5 + j]) voices |= 1u << j;
        }
        value = kAmplitude[voices];
      }
      break;
    case 1: value = display; break;
    case 2: value = display & d.flag[i]; break;
    case 7: value = d.flag[i]; break;
    default: break;
  }
  if (i < 5 || !d.music[i]) d.counter[i] = (d.counter[i] - 1) & 0x7FF;
  return value;
}

ENVPOOL_FN void write_dpc_register(Dpc& d, u32 offset, u8 value) {
  const u32 i = offset & 7;
  switch ((offset >> 3) & 7) {
    case 0:
      d.top[i] = value;
      d.flag[i] = 0;
      break;
    case 1: d.bottom[i] = value; break;
    case 2: d.counter[i] = static_cast<u16>((d.counter[i] & 0x700) | (i >= 5 && d.music[i] ? d.top[i] : value)); break;
    case 3:
      d.counter[i] = static_cast<u16>((value & 7) << 8 | (d.counter[i] & 0xFF));
      if (i >= 5) d.music[i] = value & 0x10;
      break;
    case 6: d.random = 1; break;
    default: break;
  }
}

ENVPOOL_FN u8 read_cartridge(Console& c, const Rom& rom, u16 address) {
  const u32 offset = address & 0xFFF;
  if (rom.mapper == kFE) {
    select_fe_bank(c.cart, rom, address);
  } else if (offset - rom.plain_begin >= rom.plain_size) {
    if (rom.mapper == kDPC) {
      clock_dpc_random(c.dpc, offset);
      if (offset < 0x40) return read_dpc_register(c.dpc, rom, offset, c.cycles);
    }
    if (rom.superchip && offset >= 0x80 && offset < 0x100) return c.cart_ram[offset - 0x80];
    access_hot_spot(c.cart, rom, offset);
  }
  return rom_byte(c.cart, rom, offset);
}

ENVPOOL_FN void write_cartridge(Console& c, const Rom& rom, u16 address, u8 value) {
  const u32 offset = address & 0xFFF;
  if (rom.mapper == kDPC) {
    clock_dpc_random(c.dpc, offset);
    if (offset >= 0x40 && offset < 0x80) write_dpc_register(c.dpc, offset, value);
  }
  if (rom.superchip && offset < 0x80) c.cart_ram[offset] = value;
  access_hot_spot(c.cart, rom, offset);
}

}  // namespace envpool::atari
