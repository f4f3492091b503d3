// SPDX-License-Identifier: Apache-2.0
//
// Host only: the functions that native code calls, with arguments that fit in registers.
#pragma once

#include <array>
#include <utility>

#include "envpool/atari/console/console.h"

// Native code uses the calling convention of Linux and macOS. Windows passes arguments in other registers.
#ifdef _WIN32
#define ENVPOOL_NATIVE_ABI __attribute__((sysv_abi))
#else
#define ENVPOOL_NATIVE_ABI
#endif

namespace envpool::atari::native {

// Reads a register of a chip: one of the TIA's 16, or one of the RIOT's 8. Each has a function of its own, because most
// registers are known at translation time.
using ChipReader = u32 ENVPOOL_NATIVE_ABI(Console& c, const Rom& rom, u32, u32 noise, i32 cycles);
constexpr u32 kTiaReaders = 16, kRiotReaders = 8;
template <u32 kRegister>
ENVPOOL_NATIVE_ABI __attribute__((flatten)) u32 read_fixed(Console& c, const Rom& rom, u32, u32 noise, i32 cycles) {
  constexpr u16 kAddress = kRegister < kTiaReaders ? kRegister : 0x280 + kRegister - kTiaReaders;
  c.cycles = cycles;
  c.bus = static_cast<u8>(noise);
  return read_bus<false>(c, rom, kAddress);
}
template <u32... kRegister>
constexpr std::array<ChipReader*, sizeof...(kRegister)> make_readers(std::integer_sequence<u32, kRegister...>) {
  return {&read_fixed<kRegister>...};
}
constexpr auto kChipReaders = make_readers(std::make_integer_sequence<u32, kTiaReaders + kRiotReaders>());

// Returns whether an address is one of the TIA's. Its register is in the lowest four bits.
ENVPOOL_ALWAYS_INLINE bool is_tia_read(u32 address) { return (address & 0x1080) == 0; }

ENVPOOL_NATIVE_ABI inline u32 call_read(Console& c, const Rom& rom, u32 address, u32 noise, i32 cycles) {
  if (is_tia_read(address)) return kChipReaders[address % kTiaReaders](c, rom, 0, noise, cycles);
  return read_chip(c, rom, address, noise, cycles);
}

// Pulls a byte from a stack outside of RAM. The opcode of the instruction is on the bus.
ENVPOOL_NATIVE_ABI inline u32 call_pull(Console& c, const Rom& rom, u32 opcode, u32, i32 cycles) {
  const u32 top = c.cpu.sp, next = (top + 1) & 0xFF;
  if (is_tia_read(top | next)) {
    const u32 noise = kChipReaders[top % kTiaReaders](c, rom, 0, opcode, cycles);
    c.cpu.sp = static_cast<u8>(next);
    return kChipReaders[next % kTiaReaders](c, rom, 0, noise, cycles);
  }
  c.cycles = cycles;
  c.bus = static_cast<u8>(opcode);
  read_stack_top(c, rom);
  return pull(c, rom);
}
// Reads base + index and sets c.cycles. Returns ~0 if the exact CPU has to execute the instruction.
ENVPOOL_NATIVE_ABI inline u32 call_read_indexed(Console& c, const Rom& rom, u32 base, u32 index, i32 cycles) {
  const u32 address = base + index;
  if (is_tia_read(address) && (base & 0xFF) <= (address & 0xFF)) {
    return kChipReaders[address % kTiaReaders](c, rom, 0, base >> 8, cycles);
  }
  FastCpu r{};
  r.cycles = cycles;
  u32 value;
  if (!read_any(c, rom, r, base + index, base >> 8, ((base & 0xFF) + index) >> 8, value)) return ~0u;
  c.cycles = r.cycles;
  return value;
}
// Switches banks as an access to a hot spot does, which transfers a value.
template <bool kWrites>
ENVPOOL_NATIVE_ABI inline void call_switch(Console& c, const Rom& rom, u32 offset, u32 value) {
  access_hot_spot(c.cart, rom, offset);
  c.bus = static_cast<u8>(value);
  c.wrote = kWrites;
}

// Writes a value to an address. Returns 0 if the exact CPU has to execute the instruction instead.
ENVPOOL_NATIVE_ABI inline u32 call_write_indexed(Console& c, const Rom& rom, u32 address, u32 value, i32 cycles) {
  address &= 0xFFFF;
  if (address & 0x1000 && !is_plain(rom, address)) return 0;
  write_chip(c, rom, address, value, cycles);
  return 1;
}
ENVPOOL_NATIVE_ABI inline void call_write_register(Console& c, const Rom& rom, u32 reg, u32 value, i32 cycles) {
  write_tia_register(c, rom, reg, value, cycles);
}

// Writes to a TIA register that is known at translation time. Must not be used for VSYNC and WSYNC. Must not be used
// past the last line either, because a write there ends the frame.
using RegisterWriter = void ENVPOOL_NATIVE_ABI(Console& c, const Rom& rom, u32, u32 value, i32 cycles);
template <u32 kRegister>
ENVPOOL_NOINLINE void write_after_drawing(Console& c, const Rom& rom, u32 value) {
  write_register(c, rom, kRegister, static_cast<u8>(value));
}
template <u32 kRegister>
ENVPOOL_NATIVE_ABI void write_fixed(Console& c, const Rom& rom, u32, u32 value, i32 cycles) {
  c.cycles = cycles;
  // Most writes draw nothing, and need few registers if they are compiled separately from those that do.
  constexpr bool kOftenDraws = kRegister == kHmove;
  if (!kOftenDraws && takes_work(c.tia, 3 * cycles + write_delay(c, kRegister))) {
    return write_after_drawing<kRegister>(c, rom, value);
  }
  write_register(c, rom, kRegister, static_cast<u8>(value));
}
template <u32... kRegister>
constexpr std::array<RegisterWriter*, sizeof...(kRegister)> make_writers(std::integer_sequence<u32, kRegister...>) {
  return {&write_fixed<kRegister>...};
}
constexpr auto kRegisterWriters = make_writers(std::make_integer_sequence<u32, 64>());

ENVPOOL_NATIVE_ABI inline void call_write(Console& c, const Rom& rom, u32 address, u32 value, i32 cycles) {
  if (!is_usual_tia_write(c, address, cycles)) return write_chip(c, rom, address, value, cycles);
  const u32 reg = address & 0x3F;
  if (!begin_tia_write(c, reg, value, cycles)) kRegisterWriters[reg](c, rom, reg, value, cycles);
}

ENVPOOL_NATIVE_ABI inline u32 call_decimal(Console& c, u32 a, u32 m, bool adding) {
  const u32 sum = decimal_arithmetic(c, a, m, c.cpu.carry, adding);
  c.cpu.carry = static_cast<u8>(sum >> 8);
  return sum & 0xFF;
}
// call_wait() skips a timer loop and returns the last value read; call_count() runs a counter loop and returns the
// counter. Both set c.cycles.
ENVPOOL_NATIVE_ABI inline u32 call_wait(Console& c, const Rom& rom, u32 ip, i32 cycles) {
  const CodeEntry& e = rom.code[ip];
  FastCpu r{};
  r.cycles = cycles;
  skip_timer_loop(c, r, e);
  return read_chip(c, rom, e.arg, e.hi, r.cycles);
}
ENVPOOL_NATIVE_ABI inline u32 call_count(Console& c, const Rom& rom, u32 ip, u32 counter, i32 cycles) {
  FastCpu r{};
  r.cycles = cycles;
  const u32 last = run_counter_loop(r, rom.code[ip], counter);
  c.cycles = r.cycles;
  return last;
}
ENVPOOL_NATIVE_ABI inline void call_unpack_flags(Console& c, u32 flags) { unpack_flags(c.cpu, static_cast<u8>(flags)); }
ENVPOOL_NATIVE_ABI inline u32 call_locate(Console& c, const Rom& rom, u32 pc) {
  FastCpu r{};
  locate(c, rom, r, pc);
  return r.ip;
}

}  // namespace envpool::atari::native
