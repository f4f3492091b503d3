// SPDX-License-Identifier: Apache-2.0
//
// Host only: the target of native code, for x86-64. It has the registers and operands of native code, and
// those operations whose instructions differ between processors. native_a64.h has the same for aarch64.
//
// The stack pointer points to the Rom, and at offsets 8 and 12 to PC minus entry and to the cycle limit.
#pragma once

#include <cstddef>

#include "envpool/atari/console/native_calls.h"
#include "envpool/atari/console/x64.h"

namespace envpool::atari::native {

using namespace x64;

constexpr Reg kA = r12, kX = r13, kY = r14, kNz = r15, kCycles = rbp;
// kValue is also the result of a call. The third to fifth arguments of a call are in kArg2 to kArg4.
constexpr Reg kValue = rax, kTemp = rcx, kTemp2 = rdx, kArg1 = rsi, kArg2 = rdx, kArg3 = rcx, kArg4 = r8, kPushed = r10;

constexpr i32 kOrigin = offsetof(Core, ram) + 64;  // with this origin, 8-bit displacements reach all of RAM
inline Mem at(size_t offset) { return {rbx, static_cast<i32>(offset) - kOrigin}; }
inline Mem ram(u32 address) { return at(offsetof(Core, ram) + (address & 0x7F)); }
// Returns the operand for RAM at the address in a register. The address must be from $80 to $FF.
inline Mem ram(Reg address, i32 offset = 0) {
  return {rbx, static_cast<i32>(offsetof(Core, ram)) - 0x80 - kOrigin + offset, address};
}
inline const Mem kCarry = at(offsetof(Core, cpu) + offsetof(Cpu, carry));
inline const Mem kOverflow = at(offsetof(Core, cpu) + offsetof(Cpu, overflow));
inline const Mem kRomSlot = {rsp, 0};
inline const Mem kPcOffset = {rsp, 8};
inline const Mem kCycleLimit = {rsp, 12};

// What the host's carry flag holds after an instruction: something unknown, or the 6507's carry flag, possibly
// inverted.
enum CarryFlag : u8 { kUnknown, kInverted, kDirect };
constexpr CarryFlag kCarryAfterCompare = kInverted, kCarryAfterShift = kDirect;
// Whether the N and Z of a value are known after it has been moved. Here they are if the host's flags are those of kNz.
constexpr bool kNzKnownAfterMove = false;

constexpr i32 kMaxPending = 0x7FFFFFFF;  // an addition takes any number of pending cycles
constexpr size_t kMaxCold = ~size_t{0};  // jumps reach any distance

class Target : public Assembler {
 public:
  bool valid() const { return true; }

  // --- entering and leaving native code ---

  void prepare() {}
  void enter() {
    for (Reg r : kSaved) push(r);
    alu64(kSub, rsp, i8{24});
    lea64(rbx, {rdi, kOrigin});
    mov64(kRomSlot, rsi);
    mov(kCycleLimit, rdx);
    mov(kPcOffset, rcx);
  }
  void enter_instruction() { jump(r8); }
  void leave() {
    alu64(kAdd, rsp, i8{24});
    for (i32 i = 5; i >= 0; --i) pop(kSaved[i]);
    ret();
  }
  // The carry and the overflow flag are in the Console here.
  void load_carry() {}
  void store_carry() {}
  void set_carry(u8 value) { mov8(kCarry, value); }

  // --- calls ---

  void load_console() { lea64(rdi, {rbx, -kOrigin}); }
  void load_rom() { mov64(rsi, kRomSlot); }

  // --- memory and jumps ---

  // Load a byte without a sign.
  void load8(Reg to, Reg from) {
    if (to != from) mov(to, from);
  }
  void load8(Reg to, u8 value) { mov(to, u32{value}); }
  void load8(Reg to, Mem from) { movzx8(to, from); }
  // Loads a byte of this code.
  void load_byte(Reg to, Reg temporary, u32 offset, Reg index) {
    patch(lea_rip(temporary), 0);
    movzx8(to, Mem{temporary, static_cast<i32>(offset), index});
  }
  // Jumps to the code whose offset is in a table at `table`, at the index in kValue.
  void jump_by_table(size_t table) {
    patch(lea_rip(kTemp), 0);
    shift(kShl, kValue, 2);
    mov(kValue, Mem{kTemp, static_cast<i32>(table), kValue});
    alu64(kAdd, kValue, kTemp);
    jump(kValue);
  }
  // Adds a number of cycles that patch_addition() sets later, and returns where.
  size_t add_cycles_later() {
    alu(kAdd, kCycles, 0);
    return here() - 4;
  }
  void patch_addition(size_t at, i32 cycles) { put32(at, static_cast<u32>(cycles)); }
  // Adds the high byte of kValue, the cycle that an indexed access across a page takes.
  void add_high_byte() {
    shift(kShr, kValue, 8);
    alu(kAdd, kCycles, kValue);
  }
  // Jumps unless a zero page address is in RAM.
  Fixup jump_if_chip(Reg address) {
    test8(address, address);
    return jump(kNotNegative);
  }
  Fixup jump_if_true(Mem flag) {
    alu8(kCmp, flag, u8{0});
    return jump(kNotEqual);
  }

  // --- operations of the 6507 ---

  // The operand is a register, a number or a place in memory.
  template <class Operand>
  void compare(Reg reg, Operand operand) {
    mov(kNz, reg);
    alu8(kSub, kNz, operand);
    set(kAboveEqual, kCarry);
  }
  template <class Operand>
  void bit(Operand operand) {
    load8(kValue, operand);
    mov(kNz, kA);
    alu(kAnd, kNz, kValue);
    mov(kTemp, kValue);
    alu(kAnd, kTemp, 0x80);
    shift(kShl, kTemp, 8);
    alu(kOr, kNz, kTemp);
    shift(kShr, kValue, 6);
    alu(kAnd, kValue, 1);
    mov8(kOverflow, kValue);
  }
  // Adds the operand and the carry to kA, or subtracts. The decimal flag must be clear.
  template <class Operand>
  void add_with_carry(Operand operand) {
    alu8(kCmp, kCarry, u8{1});  // the host's carry is now the inverse of the 6507's
    cmc();
    alu8(kAdc, kA, operand);
    set(x64::kBelow, kCarry);
    set(kOverflows, kOverflow);
  }
  template <class Operand>
  void subtract_with_carry(Operand operand) {
    alu8(kCmp, kCarry, u8{1});
    alu8(kSbb, kA, operand);
    set(kAboveEqual, kCarry);
    set(kOverflows, kOverflow);
  }
  // Sets the host's flags as an operation with this result would.
  void set_nz_flags(Reg result) { test8(result, result); }

  // Shift or rotate the byte in a register. A rotation shifts the carry in.
  void shift_left(Reg r) { shift_through_carry(kShl, r); }
  void shift_right(Reg r) { shift_through_carry(kShr, r); }
  void rotate_left(Reg r) { rotate(kRcl, r); }
  void rotate_right(Reg r) { rotate(kRcr, r); }

  // --- branches ---

  // Sets the host's flags for a branch, if the last instruction has not done so.
  void prepare_branch(BranchTest condition, CarryFlag carry) {
    switch (condition.flag) {
      case BranchTest::kZero: test8(kNz, kNz); break;
      case BranchTest::kSign: test(kNz, 0x8080u); break;  // bit 7 and, after BIT, bit 15
      case BranchTest::kCarryFlag:
        alu8(kCmp, kCarry, u8{1});
        if (carry == kDirect) cmc();
        break;
      default: alu8(kCmp, kOverflow, u8{0}); break;
    }
  }
  // Jumps unless the condition of a branch holds. If `known`, the last instruction has set the host's flags.
  Fixup jump_unless(BranchTest condition, bool known, CarryFlag carry) {
    Cond is_set = kEqual;
    switch (condition.flag) {
      case BranchTest::kZero: break;
      case BranchTest::kSign: is_set = known ? kNegative : kNotEqual; break;
      case BranchTest::kCarryFlag: is_set = carry == kDirect ? x64::kBelow : kAboveEqual; break;
      default: is_set = kNotEqual; break;
    }
    return jump(condition.value ? !is_set : is_set);
  }
  // Emits code for jumps to a branch from elsewhere, where the host's flags have not been set. It leads to the branch's
  // conditional jump.
  void enter_branch(BranchTest condition, CarryFlag carry, size_t conditional_jump, size_t, size_t) {
    if (condition.flag == BranchTest::kSign) {  // the conditional jump tests one bit
      mov(kValue, kNz);
      shift(kShr, kValue, 8);
      alu(kOr, kValue, kNz);
      test8(kValue, kValue);
    } else {
      prepare_branch(condition, carry);
    }
    patch(jump(), conditional_jump);
  }

 private:
  static constexpr Reg kSaved[] = {rbx, rbp, r12, r13, r14, r15};

  void shift_through_carry(Shift op, Reg r) {
    shift8(op, r);
    set(x64::kBelow, kCarry);
  }
  void rotate(Shift op, Reg r) {
    alu8(kCmp, kCarry, u8{1});
    cmc();
    shift_through_carry(op, r);
  }
};

}  // namespace envpool::atari::native
