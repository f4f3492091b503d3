// SPDX-License-Identifier: Apache-2.0
//
// The fast CPU's registers, and its accesses to memory and chips.
#pragma once

#include "envpool/atari/console/cpu_exact.h"
#include "envpool/atari/console/fast_ops.h"

namespace envpool::atari {

// Registers of the running CPU. `ip` is the index of the next CodeEntry; PC = ip + pc_offset.
struct FastCpu {
  u32 ip, pc_offset;
  u32 a, x, y;
  u32 nz;     // like Cpu::nz
  u32 carry;  // 0 or 1
  i32 cycles;
};

ENVPOOL_ALWAYS_INLINE void locate(Console& c, const Rom& rom, FastCpu& r, u32 pc) {
  if (pc & 0x1000) {
    if (rom.mapper == kFE) select_fe_bank(c.cart, rom, static_cast<u16>(pc));
    r.ip = c.cart.code_at[pc >> 10 & 3] + (pc & 0x3FF);
  } else {
    r.ip = kOutside;
  }
  r.pc_offset = pc - r.ip;
}

// Returns whether an entry follows a slice of an E0 cartridge. The code continues in the slice that is mapped there.
ENVPOOL_ALWAYS_INLINE bool is_behind_slice(const Rom& rom, u32 ip) {
  return rom.mapper == kE0 && ip != kOutside && ip % (1024 + kPagePad) == 1024;
}

ENVPOOL_ALWAYS_INLINE void load_registers(Console& c, const Rom& rom, FastCpu& r) {
  r.a = c.cpu.a;
  r.x = c.cpu.x;
  r.y = c.cpu.y;
  r.nz = c.cpu.nz;
  r.carry = c.cpu.carry;
  r.cycles = c.cycles;
  locate(c, rom, r, c.cpu.pc);
}

ENVPOOL_ALWAYS_INLINE void store_registers(Console& c, const FastCpu& r) {
  c.cpu.a = static_cast<u8>(r.a);
  c.cpu.x = static_cast<u8>(r.x);
  c.cpu.y = static_cast<u8>(r.y);
  c.cpu.nz = static_cast<u16>(r.nz);
  c.cpu.carry = static_cast<u8>(r.carry);
  c.cycles = r.cycles;
  c.cpu.pc = static_cast<u16>(r.ip + r.pc_offset);
}

// The fast CPU accesses chips other than RAM and ROM through the following functions.
ENVPOOL_NOINLINE u32 read_chip(Console& c, const Rom& rom, u32 address, u32 noise, i32 cycles) {
  c.cycles = cycles;
  c.bus = static_cast<u8>(noise);
  return read_bus<false>(c, rom, static_cast<u16>(address));
}

// Returns whether a write only concerns the TIA: it is not VSYNC or WSYNC, and does not end the frame.
ENVPOOL_ALWAYS_INLINE bool is_usual_tia_write(const Console& c, u32 address, i32 cycles) {
  return (address & 0x1080) == 0 && (address & 0x3F) > kWsync && cycles < c.tia.limit_cycle;
}
// Puts a written value on the bus. Returns whether the write changes nothing else.
ENVPOOL_ALWAYS_INLINE bool begin_tia_write(Console& c, u32 reg, u32 value, i32 cycles) {
  c.cycles = cycles;
  c.bus = static_cast<u8>(value);
  c.wrote = true;
  return is_level_register(reg) && c.tia.reg[reg] == static_cast<u8>(value);
}

// Reads a fixed address that cannot switch banks.
ENVPOOL_ALWAYS_INLINE u32 read_absolute(Console& c, const Rom& rom, const FastCpu& r, const CodeEntry& e) {
  return is_ram(e.arg) ? c.ram[e.arg & 0x7F] : read_chip(c, rom, e.arg, e.hi, r.cycles);
}

ENVPOOL_NOINLINE void write_chip(Console& c, const Rom& rom, u32 address, u32 value, i32 cycles) {
  if (is_usual_tia_write(c, address, cycles)) {
    const u32 reg = address & 0x3F;
    if (!begin_tia_write(c, reg, value, cycles)) write_tia(c, rom, reg, static_cast<u8>(value));
    return;
  }
  c.cycles = cycles;
  c.wrote = false;
  write_bus<false>(c, rom, static_cast<u16>(address), static_cast<u8>(value));
}

ENVPOOL_NOINLINE void write_tia_register(Console& c, const Rom& rom, u32 reg, u32 value, i32 cycles) {
  c.cycles = cycles;
  c.wrote = false;
  write_tia(c, rom, reg, static_cast<u8>(value));
}

ENVPOOL_NOINLINE void store_graphics(Console& c, const Rom& rom, u32 player, u32 value) {
  write_graphics(c, rom, player, static_cast<u8>(value));
}
ENVPOOL_NOINLINE void store_playfield(Console& c, const Rom& rom, u32 reg, u32 value) {
  write_playfield(c, rom, reg, static_cast<u8>(value));
}

ENVPOOL_ALWAYS_INLINE bool is_plain(const Rom& rom, u32 address) {
  return (address & 0xFFF) - rom.plain_begin < rom.plain_size;
}

// Reads any address. Returns false if the access may switch banks, in which case the exact CPU must execute the
// instruction.
ENVPOOL_ALWAYS_INLINE bool read_any(Console& c, const Rom& rom, FastCpu& r, u32 address, u32 noise, u32 penalty,
                                    u32& value) {
  address &= 0xFFFF;
  if (address & 0x1000) {
    const bool superchip = rom.superchip && (address & 0xF80) == 0x80, fe = rom.mapper == kFE;
    if (!superchip && !fe && !is_plain(rom, address)) return false;
    r.cycles += static_cast<i32>(penalty);
    value = superchip ? c.cart_ram[address & 0x7F]
            : fe      ? fe_byte(rom, address)
                      : rom_byte(c.cart, rom, address & 0xFFF);
    return true;
  }
  r.cycles += static_cast<i32>(penalty);
  if ((address & 0x280) == 0x80) {
    value = c.ram[address & 0x7F];
  } else {
    value = read_chip(c, rom, address, noise, r.cycles);
  }
  return true;
}

ENVPOOL_ALWAYS_INLINE bool read_indexed(Console& c, const Rom& rom, FastCpu& r, const CodeEntry& e, u32 index,
                                        u32& value) {
  return read_any(c, rom, r, e.arg + index, e.hi, (e.lo + index) >> 8, value);
}

// Reads the pointer of a (zp),Y instruction. Returns false unless both of its bytes are in RAM.
ENVPOOL_ALWAYS_INLINE bool read_pointer(const Console& c, const CodeEntry& e, u32& pointer) {
  if (e.lo < 0x80 || e.lo == 0xFF) return false;
  pointer = c.ram[e.lo & 0x7F] | static_cast<u32>(c.ram[(e.lo + 1) & 0x7F]) << 8;
  return true;
}

// Reads through the pointer of a (zp,X) instruction.
ENVPOOL_ALWAYS_INLINE bool read_indirect_x(Console& c, const Rom& rom, FastCpu& r, const CodeEntry& e, u32& value) {
  const u32 at = (e.lo + r.x) & 0xFF;
  if (at < 0x80 || at == 0xFF) return false;
  const u32 pointer = c.ram[at & 0x7F] | static_cast<u32>(c.ram[(at + 1) & 0x7F]) << 8;
  return read_any(c, rom, r, pointer, pointer >> 8, 0, value);
}

ENVPOOL_ALWAYS_INLINE bool read_indirect(Console& c, const Rom& rom, FastCpu& r, const CodeEntry& e, u32& value) {
  u32 pointer;
  if (!read_pointer(c, e, pointer)) return false;
  return read_any(c, rom, r, pointer + r.y, pointer >> 8, ((pointer & 0xFF) + r.y) >> 8, value);
}

ENVPOOL_ALWAYS_INLINE u32 read_zero_page(Console& c, const Rom& rom, FastCpu& r, const CodeEntry& e, u32 index) {
  const u32 address = (e.lo + index) & 0xFF;
  return address & 0x80 ? c.ram[address & 0x7F] : read_chip(c, rom, address, e.lo, r.cycles);
}

}  // namespace envpool::atari
