// SPDX-License-Identifier: Apache-2.0
//
// Host only: the target of native code, for aarch64 (see native_x64.h).
//
//   x19  the console          w20 w21 w22  A, X, Y       w24  cycles           w26  PC minus entry
//   x25  RAM minus $80        w23          Cpu::nz       w28  Cpu::carry       w27  cycle limit
//
// The frame holds the Rom. A value is a byte without a sign, except w23, which has the 16 bits of Cpu::nz.
#pragma once

#include <cstddef>
#include <vector>

#include "envpool/atari/console/a64.h"
#include "envpool/atari/console/native_calls.h"

namespace envpool::atari::native {

using namespace a64;

constexpr Reg kConsole = x19, kA = x20, kX = x21, kY = x22, kNz = x23, kCycles = x24, kRam = x25, kPcOffset = x26,
              kCycleLimit = x27, kCarry = x28;
constexpr Reg kValue = x0, kTemp = x9, kTemp2 = x10, kArg1 = x1, kArg2 = x2, kArg3 = x3, kArg4 = x4, kPushed = x12;

inline Mem at(size_t offset) { return {kConsole, static_cast<i32>(offset)}; }
inline Mem ram(u32 address) { return {kRam, static_cast<i32>(0x80 | (address & 0x7F))}; }
inline Mem ram(Reg address, i32 offset = 0) { return {kRam, offset, address}; }
inline const Mem kOverflow = at(offsetof(Core, cpu) + offsetof(Cpu, overflow));

// The 6507's carry is in a register, and needs no knowledge of the host's flags.
enum CarryFlag : u8 { kUnknown };
constexpr CarryFlag kCarryAfterCompare = kUnknown, kCarryAfterShift = kUnknown;
// The N and Z of a value are known if kNz holds a byte, which one instruction can test.
constexpr bool kNzKnownAfterMove = true;

constexpr i32 kMaxPending = 2000;      // so that an addition has at most 12 bits
constexpr size_t kMaxCold = 64 << 10;  // bytes between a conditional jump and its target are at most 1 MB

class Target : public Assembler {
 public:
  // --- entering and leaving native code ---

  // Reserves the table of the functions' addresses, which calls load.
  void prepare() {
    functions_at_ = (here() + 7) / 8 * 8;
    code.resize(functions_at_ + 8 * kMaxFunctions);
  }
  void enter() {
    push_pair(x29, x30, sp, -kFrame);
    add64(x29, sp, 0);
    for (i32 i = 0; i < 5; ++i) store_pair(Reg(x19 + 2 * i), Reg(x20 + 2 * i), sp, 16 + 16 * i);
    mov64(kRomSlot, x1);
    mov64(kConsole, x0);
    add64(kRam, x0, offsetof(Core, ram) - 0x80);
    mov(kCycleLimit, x2);
    mov(kPcOffset, x3);
  }
  void enter_instruction() { jump(x4); }
  void leave() {
    for (i32 i = 0; i < 5; ++i) load_pair(Reg(x19 + 2 * i), Reg(x20 + 2 * i), sp, 16 + 16 * i);
    pop_pair(x29, x30, sp, kFrame);
    ret();
  }
  void load_carry() { movzx8(kCarry, kCarryField); }
  void store_carry() { mov8(kCarryField, kCarry); }
  void set_carry(u8 value) { mov(kCarry, u32{value}); }

  // --- calls ---

  void load_console() { mov64(x0, kConsole); }
  void load_rom() { mov64(x1, kRomSlot); }
  void call(const void* function) {
    const u64 address = u64(reinterpret_cast<uintptr_t>(function));
    size_t i = 0;
    while (i < functions_.size() && functions_[i] != address) ++i;
    const size_t at = functions_at_ + 8 * i;
    if (i == kMaxFunctions || here() - at >= 1 << 20) {
      mov_address(x16, address);
    } else {
      if (i == functions_.size()) {
        functions_.push_back(address);
        std::memcpy(code.data() + at, &address, 8);
      }
      load_constant(x16, at);
    }
    a64::Assembler::call(x16);
  }

  // --- memory and jumps ---

  // Load a byte without a sign.
  void load8(Reg to, Reg from) {
    if (to != from) mov(to, from);
  }
  void load8(Reg to, u8 value) { mov(to, u32{value}); }
  void load8(Reg to, Mem from) { movzx8(to, from); }
  void load_byte(Reg to, Reg temporary, u32 offset, Reg index) {
    address(temporary, offset);
    movzx8(to, Mem{temporary, 0, index});
  }
  void jump_by_table(size_t table) {
    address(x9, table);
    load_word(x10, x9, kValue);
    address(x9, 0);
    add64(x9, x9, x10);
    jump(x9);
  }
  size_t add_cycles_later() {
    alu(kAdd, kCycles, 0);
    return here() - 4;
  }
  void patch_addition(size_t at, i32 cycles) { put32(at, add_instruction(kCycles, kCycles, cycles)); }
  void add_high_byte() { add_shifted_right(kCycles, kCycles, kValue, 8); }
  Fixup jump_if_chip(Reg address) {
    test(address, 0x80u);
    return jump(kEqual);
  }
  Fixup jump_if_true(Mem flag) {
    movzx8(x16, flag);
    return jump_if_not_zero(x16);
  }

  // --- operations of the 6507 ---

  // The operand is a register, a number or a place in memory.
  template <class Operand>
  void compare(Reg reg, Operand operand) {
    load8(kValue, operand);
    alu(kCmp, x9, reg, kValue);
    set(kAboveEqual, kCarry);
    movzx8(kNz, x9);
  }
  template <class Operand>
  void bit(Operand operand) {
    load8(kValue, operand);
    alu(kAnd, kNz, kA, kValue);
    logic(kAnd, x9, kValue, 0x80);
    alu(kOr, kNz, kNz, x9, 8);
    bits(x9, kValue, 6, 1);
    mov8(kOverflow, x9);
  }
  template <class Operand>
  void add_with_carry(Operand operand) {
    load8(kValue, operand);
    alu(kAdd, x9, kA, kValue);
    alu(kAdd, x9, x9, kCarry);
    alu(kXor, x10, kA, x9);
    alu(kXor, x11, kValue, x9);
    alu(kAnd, x10, x10, x11);
    bits(x10, x10, 7, 1);
    mov8(kOverflow, x10);
    bits(kCarry, x9, 8, 1);
    movzx8(kA, x9);
  }
  template <class Operand>
  void subtract_with_carry(Operand operand) {
    load8(kValue, operand);
    logic(kXor, kValue, kValue, 0xFF);
    add_with_carry(kValue);
  }
  void set_nz_flags(Reg) {}

  void shift_left(Reg r) {
    bits(kCarry, r, 7, 1);
    bits_to(r, r, 1, 7);
  }
  void shift_right(Reg r) {
    bits(kCarry, r, 0, 1);
    bits(r, r, 1, 7);
  }
  void rotate_left(Reg r) {
    alu(kOr, x9, kCarry, r, 1);
    bits(kCarry, x9, 8, 1);
    movzx8(r, x9);
  }
  void rotate_right(Reg r) {
    alu(kOr, x9, r, kCarry, 8);
    bits(kCarry, x9, 0, 1);
    bits(r, x9, 1, 8);
  }

  // --- branches ---

  void prepare_branch(BranchTest, CarryFlag) {}
  Fixup jump_unless(BranchTest condition, bool known, CarryFlag) {
    const bool value = condition.value;
    switch (condition.flag) {
      case BranchTest::kZero:
        if (known) return value ? jump_if_not_zero(kNz) : jump_if_zero(kNz);
        test(kNz, 0xFFu);
        return jump(value ? kNotEqual : kEqual);
      case BranchTest::kSign:
        if (known) return value ? jump_if_clear(kNz, 7) : jump_if_set(kNz, 7);
        test(kNz, 0x80808080u);  // bit 7 and bit 15
        return jump(value ? kEqual : kNotEqual);
      case BranchTest::kCarryFlag: return value ? jump_if_zero(kCarry) : jump_if_not_zero(kCarry);
      default: movzx8(x16, kOverflow); return value ? jump_if_zero(x16) : jump_if_not_zero(x16);
    }
  }
  // Emits code for jumps to a branch from elsewhere, where kNz may be more than a byte. It leads to the code of a
  // branch that is `taken`, or to the code `over` it.
  void enter_branch(BranchTest condition, CarryFlag carry, size_t, size_t taken, size_t over) {
    const Fixup not_taken = jump_unless(condition, /*known=*/false, carry);
    patch(jump(), taken);
    patch(not_taken, over);
  }

 private:
  static constexpr i32 kFrame = 112;
  static constexpr size_t kMaxFunctions = 128;
  static constexpr Mem kRomSlot = {sp, 96};
  static constexpr Mem kCarryField = {kConsole, offsetof(Core, cpu) + offsetof(Cpu, carry)};

  size_t functions_at_ = 0;
  std::vector<u64> functions_;
};

}  // namespace envpool::atari::native
