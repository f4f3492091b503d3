// SPDX-License-Identifier: Apache-2.0
//
// Host only: emits the machine code of operands, operations, stores and branches.
#pragma once

#include "envpool/atari/console/native_base.h"

namespace envpool::atari::native {

class OperationEmitter : public TranslatorBase {
 protected:
  using TranslatorBase::TranslatorBase;

  enum Operand : u32 { kImm, kConst, kZp, kZpIo, kAbs, kZpX, kZpY, kRomX, kRomY, kAbsX, kAbsY, kIndX, kIndY };

  static u32 size_of(u32 kind) { return kind == kConst || kind == kAbs || (kind >= kRomX && kind <= kAbsY) ? 3 : 2; }

  // --- operands ---

  // Loads the operand of a reading instruction into a register.
  void read(const CodeEntry& e, u32 operand_kind, Reg to) {
    switch (operand_kind) {
      case kImm:
      case kConst: a.mov(to, u32{e.lo}); break;
      case kZp: a.movzx8(to, ram(e.lo)); break;
      case kZpIo: read_chip_at(e.lo, e.lo, to); break;
      case kAbs: read_chip_at(e.arg, e.hi, to); break;
      case kZpX: read_zero_page(e, kX, to); break;
      case kZpY: read_zero_page(e, kY, to); break;
      case kRomX: read_table(e, kX, to); break;
      case kRomY: read_table(e, kY, to); break;
      case kAbsX: read_indexed(e, kX, to); break;
      case kAbsY: read_indexed(e, kY, to); break;
      case kIndX: read_indirect_x(e, to); break;
      default: read_indirect(e, to); break;
    }
  }

  // Calls apply(operand) with the operand of a reading instruction: a number, RAM, or kValue, into which it is loaded.
  template <class Apply>
  void with_operand(const CodeEntry& e, u32 operand_kind, Apply apply) {
    if (operand_kind == kImm || operand_kind == kConst) return apply(e.lo);
    if (operand_kind == kZp) return apply(ram(e.lo));
    if (operand_kind == kAbs && is_ram(e.arg)) return apply(ram(e.arg));
    read(e, operand_kind, kValue);
    apply(kValue);
  }

  // Moves the result of a call.
  void move_result(Reg to) {
    if (to != kValue) a.mov(to, kValue);
  }

  void read_chip_at(u32 address, u32 noise, Reg to) {
    if (is_ram(address)) return a.movzx8(to, ram(address));
    a.mov(kArg3, noise);
    load_cycles(kArg4, pending_);
    if (address & 0x1000) {
      a.mov(kArg2, address);
      call(&call_read);
    } else {
      call(kChipReaders[address & 0x80 ? kTiaReaders + (address & 7) : address & 15]);
    }
    move_result(to);
  }

  void zero_page_address(const CodeEntry& e, Reg index) {
    a.lea(kValue, {index, e.lo});
    a.movzx8(kValue, kValue);
  }

  void read_zero_page(const CodeEntry& e, Reg index, Reg to) {
    zero_page_address(e, index);
    const Fixup io = a.jump_if_chip(kValue);
    a.movzx8(to, ram(kValue));
    const size_t back = a.here();
    cold([=, this, pending = pending_, lo = u32{e.lo}] {
      a.patch(io);
      a.mov(kArg2, kValue);
      a.mov(kArg3, lo);
      load_cycles(kArg4, pending);
      call(&call_read);
      move_result(to);
      a.patch(a.jump(), back);
    });
  }

  void read_table(const CodeEntry& e, Reg index, Reg to) {
    if (e.lo != 0) {
      a.lea(kValue, {index, e.lo});
      a.add_high_byte();
    }
    a.load_byte(to, kTemp, e.arg, index);
  }

  void read_indexed(const CodeEntry& e, Reg index, Reg to) {
    a.mov(kValue, u32{e.arg});
    read_from(index, to);
  }

  // Loads the byte at kValue + index, where kValue holds a 16-bit base address.
  void read_from(Reg index, Reg to) {
    a.lea(kTemp, {kValue, 0, index});
    a.test(kTemp, 0x1000u);
    std::vector<Fixup> others{a.jump(kEqual)};
    const bool fe = rom_.mapper == kFE;
    if (fe) {  // bit 13 of the address selects one of two banks
      a.mov(kTemp2, kTemp);
      a.alu(kXor, kTemp2, 0x2000);
      a.alu(kAnd, kTemp2, 0x2000);
      a.shift(kShr, kTemp2, 1);
      a.alu(kAnd, kTemp, 0xFFF);
      a.alu(kAdd, kTemp, kTemp2);
    } else {
      a.alu(kAnd, kTemp, 0xFFF);
    }
    if (!fe && (rom_.plain_begin != 0 || rom_.plain_size != 0x1000)) {
      a.lea(kTemp2, {kTemp, -i32{rom_.plain_begin}});
      a.alu(kCmp, kTemp2, i32{rom_.plain_size});
      if (rom_.superchip) {
        others.push_back(a.jump(kAboveEqual));  // it may be the superchip's RAM
      } else {
        exact_cpu_if(kAboveEqual);
      }
    }
    a.movzx8(kValue, kValue);
    a.alu(kAdd, kValue, index);
    a.add_high_byte();
    if (fe) {
      a.load_byte(to, kTemp2, 0, kTemp);
    } else if (dynamic_mapping_) {
      Mem segment = at(offsetof(Core, cart) + offsetof(Cartridge, data_at));
      segment.index = kTemp2;
      a.mov(kTemp2, kTemp);
      a.shift(kShr, kTemp2, 8);
      a.alu(kAnd, kTemp2, 0xC);
      a.mov(kTemp2, segment);
      a.alu(kAnd, kTemp, 0x3FF);
      a.alu(kAdd, kTemp, kTemp2);
      a.load_byte(to, kTemp2, 0, kTemp);
    } else {
      a.load_byte(to, kTemp2, start_page_ * 4096, kTemp);
    }
    const size_t back = a.here();
    cold([=, this, pending = pending_, before = before_, ip = ip_] {
      for (Fixup other : others) a.patch(other);
      a.mov(kArg2, kValue);
      a.mov(kArg3, index);
      load_cycles(kArg4, pending);
      call(&call_read_indexed);
      a.alu(kCmp, kValue, -1);
      exit_if(kEqual, kNeedsExactCpu, ip, before);
      reload_cycles(pending);
      move_result(to);
      a.patch(a.jump(), back);
    });
  }

  static bool pointer_in_ram(const CodeEntry& e) { return e.lo >= 0x80 && e.lo != 0xFF; }

  void read_indirect(const CodeEntry& e, Reg to) {
    a.movzx16(kValue, ram(e.lo));
    read_from(kY, to);
  }

  // Leaves a zero page address in RAM in kValue, or lets the exact CPU execute the instruction.
  void zero_page_address_in_ram(const CodeEntry& e, Reg index) {
    zero_page_address(e, index);
    exit_at(a.jump_if_chip(kValue), kNeedsExactCpu, ip_, before_);
  }

  void read_indirect_x(const CodeEntry& e, Reg to) {
    zero_page_address_in_ram(e, kX);
    a.alu(kCmp, kValue, 0xFF);
    exact_cpu_if(kEqual);
    a.movzx16(kValue, ram(kValue));
    a.mov(kPushed, 0u);
    read_from(kPushed, to);
  }

  // --- operations ---

  // Records that a register has been loaded.
  void loaded(Reg to) {
    a.mov(kNz, to);
    nz_known_ = kNzKnownAfterMove;
  }
  // The operand is a register, a number or a place in memory.
  template <class Operand>
  void logic(Alu op, Operand operand) {
    a.alu8(op, kA, operand);
    a.mov(kNz, kA);
    nz_known_ = true;
  }
  template <class Operand>
  void compare(Reg reg, Operand operand) {
    a.compare(reg, operand);
    nz_known_ = true;
    carry_known_ = kCarryAfterCompare;
  }
  enum class Arithmetic : bool { kSubtract, kAdd };
  template <class Operand>
  void arithmetic(Arithmetic operation, Operand operand) {
    const bool adding = operation == Arithmetic::kAdd;
    const Fixup decimal = a.jump_if_true(kDecimal);
    adding ? a.add_with_carry(operand) : a.subtract_with_carry(operand);
    const size_t back = a.here();
    a.mov(kNz, kA);
    nz_known_ = true;
    cold([=, this] {
      a.patch(decimal);
      a.store_carry();
      a.mov(kArg1, kA);
      a.load8(kArg2, operand);
      a.mov(kArg3, u32{adding});
      call(&call_decimal);
      a.load_carry();
      a.mov(kA, kValue);
      a.set_nz_flags(kA);
      a.patch(a.jump(), back);
    });
  }

  // Record what is known after a shift or a rotation.
  void shifted() {
    carry_known_ = kCarryAfterShift;
    nz_known_ = true;
  }
  void rotated() {
    carry_known_ = kCarryAfterShift;
    nz_known_ = kNzKnownAfterMove;
  }

  // --- stores ---

  void write_register_call(u32 reg, Reg source, u32 next, i32 pending) {
    a.mov(kArg2, reg);
    a.mov(kArg3, source);
    load_cycles(kArg4, pending);
    call(&call_write_register);
    exit_if_done(next, pending);
  }

  // Jumps if the cycle is past the last line, where any write to the TIA ends the frame. Such a write is rare and is
  // handled out of line, see store_rarely(). Leaves the cycle in kArg4.
  Fixup past_limit() {
    load_cycles(kArg4, pending_);
    a.alu(kCmp, kArg4, kLimitCycle);
    return a.jump(kGreaterEqual);
  }

  void store_rarely(std::initializer_list<Fixup> fixups, u32 reg, Reg source, u32 next) {
    const std::vector<Fixup> all(fixups);
    const size_t back = a.here();
    cold([=, this, pending = pending_] {
      for (Fixup fixup : all) a.patch(fixup);
      write_register_call(reg, source, next, pending);
      a.patch(a.jump(), back);
    });
  }

  // Expects the cycle in kArg4.
  void call_writer(u32 reg, Reg source) {
    a.mov(kArg3, source);
    call(kRegisterWriters[reg]);
  }

  void store_level(const CodeEntry& e, Reg source, u32 next) {
    const Fixup late = past_limit();
    a.alu8(kCmp, tia_reg(e.lo), source);
    const Fixup same = a.jump(kEqual);
    call_writer(e.lo, source);
    a.patch(same);
    store_rarely({late}, e.lo, source, next);
  }

  void store_chip(const CodeEntry& e, Reg source, u32 next) {
    if (e.lo == kVsync || e.lo == kWsync) return write_register_call(e.lo, source, next, pending_);
    const Fixup late = past_limit();
    call_writer(e.lo, source);
    store_rarely({late}, e.lo, source, next);
  }

  // Does nothing if the player has these graphics, see has_graphics().
  void store_graphics(const CodeEntry& e, Reg source, u32 next) {
    const u32 player = e.lo - kGrp0, other = player ^ 1;
    const Fixup late = past_limit();
    a.alu8(kCmp, tia(offsetof(Tia, grp_new) + player), source);
    const Fixup changes = a.jump(kNotEqual);
    a.movzx8(kValue, tia(offsetof(Tia, grp_new) + other));
    a.alu8(kCmp, tia(offsetof(Tia, grp_old) + other), kValue);
    const Fixup latches = a.jump(kNotEqual);
    if (player == 1) {
      a.movzx8(kValue, tia_reg(kEnabl));
      a.shift(kShr, kValue, 1);
      a.alu(kAnd, kValue, 1);
      a.alu8(kCmp, tia(offsetof(Tia, ball_old)), kValue);
    }
    const Fixup same = player == 1 ? a.jump(kEqual) : a.jump();
    a.patch(changes);
    a.patch(latches);
    call_writer(e.lo, source);
    a.patch(same);
    store_rarely({late}, e.lo, source, next);
  }

  void store_colour(const CodeEntry& e, Reg source, u32 next) {
    const u32 i = e.lo - kColup0;
    const Mem colour = tia(offsetof(Tia, line) + offsetof(Line, look) + offsetof(Look, colour) + i);
    const Fixup late = past_limit();
    a.alu8(kCmp, tia_reg(e.lo), source);
    const Fixup same = a.jump(kEqual);
    a.alu8(kCmp, at(offsetof(Core, drawing)), u8{0});
    const Fixup drawn = a.jump(kNotEqual);
    a.mov8(tia_reg(e.lo), source);
    a.movzx8(kTemp, colour);
    a.mov(kValue, source);
    a.alu(kXor, kValue, kTemp);
    a.alu(kAnd, kValue, 0xFE);
    a.alu(kXor, kValue, kTemp);
    a.mov8(colour, kValue);
    a.patch(same);
    const size_t back = a.here();
    cold([=, this, reg = u32{e.lo}] {
      a.patch(drawn);
      call_writer(reg, source);
      a.patch(a.jump(), back);
    });
    store_rarely({late}, e.lo, source, next);
  }

  void store_motion(const CodeEntry& e, Reg source, u32 next) {
    const Fixup late = past_limit();
    a.mov8(tia_reg(e.lo), source);
    a.mov(kValue, source);
    a.shift(kShr, kValue, 4);
    a.mov8(tia(offsetof(Tia, hm) + e.lo - kHmp0), kValue);
    store_rarely({late}, e.lo, source, next);
  }

  void store_absolute(const CodeEntry& e, Reg source, u32 next) {
    if (is_ram(e.arg)) return a.mov8(ram(e.arg), source);
    a.mov(kArg2, u32{e.arg});
    a.mov(kArg3, source);
    load_cycles(kArg4, pending_);
    call(&call_write);
    reload_cycles(pending_);
    exit_if_done(next, pending_);
  }

  // Stores to RAM or a chip at the zero page address in kValue.
  void store_at_zero_page(Reg source, u32 next) {
    const Fixup io = a.jump_if_chip(kValue);
    a.mov8(ram(kValue), source);
    const size_t back = a.here();
    cold([=, this, pending = pending_] {
      a.patch(io);
      a.mov(kArg2, kValue);
      a.mov(kArg3, source);
      load_cycles(kArg4, pending);
      call(&call_write);
      reload_cycles(pending);
      exit_if_done(next, pending);
      a.patch(a.jump(), back);
    });
  }

  // Loads the flags into kValue as a byte, like atari::pack_flags(), or sets them from such a byte in kValue.
  void pack_flags() {
    a.store_carry();
    a.mov(kTemp, kNz);
    a.shift(kShr, kTemp, 8);
    a.alu(kOr, kTemp, kNz);
    a.alu(kAnd, kTemp, 0x80);
    a.movzx8(kValue, kNz);
    a.alu(kSub, kValue, 1);  // sets the highest bits if Z is set
    a.shift(kShr, kValue, 30);
    a.alu(kAnd, kValue, 2);
    a.alu(kOr, kTemp, kValue);
    const auto add = [&](size_t flag, u8 bit) {
      a.movzx8(kValue, cpu(flag));
      if (bit != 0) a.shift(kShl, kValue, bit);
      a.alu(kOr, kTemp, kValue);
    };
    add(offsetof(Cpu, carry), 0);
    add(offsetof(Cpu, interrupt), 2);
    add(offsetof(Cpu, decimal), 3);
    add(offsetof(Cpu, overflow), 6);
    a.lea(kValue, {kTemp, 0x30});  // these bits are not set yet
  }
  void unpack_flags() {
    a.mov(kArg1, kValue);
    call(&call_unpack_flags);
    a.movzx16(kNz, cpu(offsetof(Cpu, nz)));
    a.load_carry();
  }

  void push(Reg source, u32 next) {
    a.movzx8(kValue, kSp);
    a.lea(kTemp, {kValue, -1});
    a.mov8(kSp, kTemp);
    store_at_zero_page(source, next);
  }
  // Loads into kValue the byte that PLA or PLP pulls. Some games keep the stack pointer in the TIA's addresses and pull
  // only to advance it or to spend time.
  void pull(u32 opcode) {
    a.movzx8(kTemp, kSp);
    a.lea(kValue, {kTemp, -0x80});
    a.alu(kCmp, kValue, 0x7F);
    const Fixup other = a.jump(kAboveEqual);
    a.inc8(kTemp);
    a.mov8(kSp, kTemp);
    a.movzx8(kValue, ram(kTemp));
    const size_t back = a.here();
    cold([=, this, pending = pending_] {
      a.patch(other);
      a.mov(kArg2, opcode);
      load_cycles(kArg4, pending);
      call(&call_pull);
      a.patch(a.jump(), back);
    });
  }

  // Stores A at the address in kValue, which may be any address.
  void store_anywhere(u32 next) {
    a.mov(kTemp, kValue);
    a.alu(kAnd, kTemp, 0x1280);
    a.alu(kCmp, kTemp, 0x80);
    const Fixup other = a.jump(kNotEqual);
    a.alu(kAnd, kValue, 0x7F);
    a.mov8(ram(kValue, 0x80), kA);
    const size_t back = a.here();
    cold([=, this, pending = pending_, before = before_, ip = ip_] {
      a.patch(other);
      a.mov(kArg2, kValue);
      a.mov(kArg3, kA);
      load_cycles(kArg4, pending);
      call(&call_write_indexed);
      a.test(kValue, kValue);
      exit_if(kEqual, kNeedsExactCpu, ip, before);
      reload_cycles(pending);
      exit_if_done(next, pending);
      a.patch(a.jump(), back);
    });
  }

  void wait_for_line(u32 next) {
    constexpr u32 kReciprocal = 3616814566u;  // 2^38 / 76, rounded up
    const Fixup late = past_limit();
    a.alu(kSub, kArg4, tia(offsetof(Tia, frame_start)));
    a.lea(kValue, {kArg4, kCyclesPerLine - 1});
    a.mov(kTemp2, kReciprocal);
    a.mul64(kValue, kTemp2);
    a.shift_right64(kValue, 38);
    a.mul(kValue, kValue, kCyclesPerLine);
    a.alu(kSub, kValue, kArg4);
    a.alu(kAdd, kCycles, kValue);
    const size_t back = a.here();
    cold([=, this, pending = pending_] {
      a.patch(late);
      a.mov(kArg2, u32{kWsync});
      a.alu(kXor, kArg3, kArg3);
      load_cycles(kArg4, pending);
      call(&call_write_register);
      reload_cycles(pending);
      exit_if_done(next, pending);
      a.patch(a.jump(), back);
    });
  }

  void store_ignored(const CodeEntry& e, u32 next) {
    const Fixup late = past_limit();
    store_rarely({late}, e.lo, kA, next);
  }

  // --- branches ---

  // Emits a branch. Tests the flags directly if those that the condition needs are known.
  void branch(const CodeEntry& e, FastOp op, bool nz_known, CarryFlag carry_known) {
    const u32 target = ip_ + static_cast<u32>(static_cast<i16>(e.arg));
    const BranchTest test = branch_test(op);
    const bool known = test.flag == BranchTest::kCarryFlag ? carry_known != kUnknown
                                                           : test.flag != BranchTest::kOverflowFlag && nz_known;
    if (!known) a.prepare_branch(test, carry_known);
    const size_t condition = a.here();
    const Fixup over = a.jump_unless(test, known, carry_known);
    const size_t taken = a.here();
    jump_to_entry(target, e.extra, target <= ip_ ? LimitCheck::kYes : LimitCheck::kNo);
    a.patch(over);
    enqueue(target);
    if (!known) return;
    // Code that jumps to this branch does not know the flags, so its jumps lead here.
    cold([=, this, ip = ip_, after = a.here()] {
      translations_[ip].code = a.here();
      a.enter_branch(test, carry_known, condition, taken, after);
    });
  }

  // Emits a branch to another slice of an E0 cartridge. `distance` is that of the target from the next instruction.
  void branch_to_slice(BranchTest test, i32 distance, i32 extra) {
    a.prepare_branch(test, kUnknown);
    const Fixup over = a.jump_unless(test, /*known=*/false, kUnknown);
    a.alu(kAdd, kCycles, pending_ + extra);
    jump_dynamic_from_here(static_cast<i32>(ip_) + 2 + distance);
    a.patch(over);
  }

  // Jumps to the address of an entry of this page under the current mapping. No cycles may be pending.
  void jump_dynamic_from_here(i32 ip) {
    a.mov(kValue, kPcOffset);
    a.alu(kAdd, kValue, ip);
    jump_dynamic();
  }

  static BranchTest branch_test(FastOp op) {
    switch (op) {
      case FastOp::Bne: return {BranchTest::kZero, false};
      case FastOp::Beq: return {BranchTest::kZero, true};
      case FastOp::Bpl: return {BranchTest::kSign, false};
      case FastOp::Bmi: return {BranchTest::kSign, true};
      case FastOp::Bcc: return {BranchTest::kCarryFlag, false};
      case FastOp::Bcs: return {BranchTest::kCarryFlag, true};
      case FastOp::Bvc: return {BranchTest::kOverflowFlag, false};
      default: return {BranchTest::kOverflowFlag, true};
    }
  }
};

}  // namespace envpool::atari::native
