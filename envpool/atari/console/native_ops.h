// SPDX-License-Identifier: Apache-2.0
//
// Host only: emits the machine code of operands, operations, stores and branches.
#pragma once

#include "envpool/atari/console/native_base.h"

namespace envpool::atari::native {

class OperationEmitter : public TranslatorBase {
 protected:
  using TranslatorBase::TranslatorBase;

  enum Operand : u32 { kImm, kConst, kZp, kZpIo, kAbs, kZpX, kZpY, kRomX, kRomY, kAbsX, kAbsY, kIndY };

  static u32 size_of(u32 kind) { return kind == kConst || kind == kAbs || (kind >= kRomX && kind <= kAbsY) ? 3 : 2; }

  // --- operands ---

  // Loads the operand of a reading instruction into eax.
  void read(const CodeEntry& e, u32 operand_kind) {
    switch (operand_kind) {
      case kImm:
      case kConst: a.mov(rax, u32{e.lo}); break;
      case kZp: a.movzx8(rax, ram(e.lo)); break;
      case kZpIo: read_chip_at(e.lo, e.lo); break;
      case kAbs: read_chip_at(e.arg, e.hi); break;
      case kZpX: read_zero_page(e, kX); break;
      case kZpY: read_zero_page(e, kY); break;
      case kRomX: read_table(e, kX); break;
      case kRomY: read_table(e, kY); break;
      case kAbsX: read_indexed(e, kX); break;
      case kAbsY: read_indexed(e, kY); break;
      default: read_indirect(e); break;
    }
  }

  void read_chip_at(u32 address, u32 noise) {
    a.mov(rdx, address);
    a.mov(rcx, noise);
    load_cycles(r8, pending_);
    call(&call_read);
  }

  void zero_page_address(const CodeEntry& e, Reg index) {
    a.lea(rax, {index, e.lo});
    a.movzx8(rax, rax);
    a.test8(rax, rax);
  }

  void read_zero_page(const CodeEntry& e, Reg index) {
    zero_page_address(e, index);
    const Fixup io = a.jump(kNotNegative);
    a.movzx8(rax, ram(rax));
    const size_t back = a.here();
    cold([=, this, pending = pending_, lo = u32{e.lo}] {
      a.patch(io);
      a.mov(rdx, rax);
      a.mov(rcx, lo);
      load_cycles(r8, pending);
      call(&call_read);
      a.patch(a.jump(), back);
    });
  }

  void read_table(const CodeEntry& e, Reg index) {
    if (e.lo != 0) {
      a.lea(rax, {index, e.lo});
      a.shift(kShr, rax, 8);
      a.alu(kAdd, kCycles, rax);
    }
    a.patch(a.lea_rip(rcx), 0);
    a.movzx8(rax, Mem{rcx, e.arg, index});
  }

  void read_indexed(const CodeEntry& e, Reg index) {
    a.mov(rax, u32{e.arg});
    read_from(index);
  }

  // Loads the byte at eax + index, where eax holds a 16-bit base address.
  void read_from(Reg index) {
    if (dynamic_mapping_) {
      a.mov(rdx, rax);
      a.mov(rcx, index);
      load_cycles(r8, pending_);
      call(&call_read_indexed);
      a.alu(kCmp, rax, -1);
      exact_cpu_if(kEqual);
      reload_cycles(pending_);
      return;
    }
    a.lea(rcx, {rax, 0, index});
    a.test(rcx, 0x1000u);
    const Fixup other = a.jump(kEqual);
    a.alu(kAnd, rcx, 0xFFF);
    if (rom_.plain_begin != 0 || rom_.plain_size != 0x1000) {
      a.lea(rdx, {rcx, -i32{rom_.plain_begin}});
      a.alu(kCmp, rdx, i32{rom_.plain_size});
      exact_cpu_if(kAboveEqual);
    }
    a.movzx8(rax, rax);
    a.alu(kAdd, rax, index);
    a.shift(kShr, rax, 8);
    a.alu(kAdd, kCycles, rax);
    a.patch(a.lea_rip(rdx), 0);
    a.movzx8(rax, Mem{rdx, static_cast<i32>(start_page_ * 4096), rcx});
    const size_t back = a.here();
    cold([=, this, pending = pending_, before = before_, ip = ip_] {
      a.patch(other);
      a.mov(rdx, rax);
      a.mov(rcx, index);
      load_cycles(r8, pending);
      call(&call_read_indexed);
      a.alu(kCmp, rax, -1);
      exit_if(kEqual, kNeedsExactCpu, ip, before);
      reload_cycles(pending);
      a.patch(a.jump(), back);
    });
  }

  static bool pointer_in_ram(const CodeEntry& e) { return e.lo >= 0x80 && e.lo != 0xFF; }

  void read_indirect(const CodeEntry& e) {
    a.movzx16(rax, ram(e.lo));
    read_from(kY);
  }

  // --- operations on eax ---

  void load(Reg to) {
    a.mov(to, rax);
    a.mov(kNz, rax);
  }
  void logic(Alu op) {
    a.alu8(op, kA, rax);
    a.mov(kNz, kA);
    nz_known_ = true;
  }
  void compare(Reg reg) {
    a.mov(kNz, reg);
    a.alu8(kSub, kNz, rax);
    a.set(kAboveEqual, kCarry);
    nz_known_ = true;
    carry_known_ = kInverted;
  }
  void bit() {
    a.mov(kNz, kA);
    a.alu(kAnd, kNz, rax);
    a.mov(rcx, rax);
    a.alu(kAnd, rcx, 0x80);
    a.shift(kShl, rcx, 8);
    a.alu(kOr, kNz, rcx);
    a.shift(kShr, rax, 6);
    a.alu(kAnd, rax, 1);
    a.mov8(kOverflow, rax);
  }
  enum class Arithmetic : bool { kSubtract, kAdd };
  void arithmetic(Arithmetic operation) {
    const bool adding = operation == Arithmetic::kAdd;
    a.alu8(kCmp, kDecimal, u8{0});
    const Fixup decimal = a.jump(kNotEqual);
    a.alu8(kCmp, kCarry, u8{1});  // the host's carry is now the inverse of the 6507's
    if (adding) a.cmc();
    a.alu8(adding ? kAdc : kSbb, kA, rax);
    a.set(adding ? x64::kBelow : kAboveEqual, kCarry);
    a.set(kOverflows, kOverflow);
    const size_t back = a.here();
    a.mov(kNz, kA);
    nz_known_ = true;
    cold([=, this] {
      a.patch(decimal);
      a.lea64(rdi, {rbx, -kOrigin});
      a.mov(rsi, kA);
      a.mov(rdx, rax);
      a.mov(rcx, u32{adding});
      a.call(reinterpret_cast<const void*>(&call_decimal));
      a.mov(kA, rax);
      a.test8(kA, kA);
      a.patch(a.jump(), back);
    });
  }

  // Shifts or rotates the byte in `r`. A rotation shifts the carry in.
  void shift(Shift op, Reg r) {
    const bool rotates = op == kRcl || op == kRcr;
    if (rotates) {
      a.alu8(kCmp, kCarry, u8{1});
      a.cmc();
    }
    a.shift8(op, r);
    a.set(x64::kBelow, kCarry);
    carry_known_ = kDirect;
    nz_known_ = !rotates;
  }

  // --- stores ---

  void write_register_call(u32 reg, Reg source, u32 next, i32 pending) {
    a.mov(rdx, reg);
    a.mov(rcx, source);
    load_cycles(r8, pending);
    call(&call_write_register);
    exit_if_done(next, pending);
  }

  // Jumps if the cycle is past the last line, where any write to the TIA ends the frame. Such a write is rare and is
  // handled out of line, see store_rarely(). Leaves the cycle in r8.
  Fixup past_limit() {
    load_cycles(r8, pending_);
    a.alu(kCmp, r8, kLimitCycle);
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

  // Expects the cycle in r8.
  void call_writer(u32 reg, Reg source) {
    a.mov(rcx, source);
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

  void store_colour(const CodeEntry& e, Reg source, u32 next) {
    const u32 i = e.lo - kColup0;
    const Mem colour = tia(offsetof(Tia, colour) + i);
    const Fixup late = past_limit();
    a.alu8(kCmp, tia_reg(e.lo), source);
    const Fixup same = a.jump(kEqual);
    a.alu8(kCmp, at(offsetof(Core, drawing)), u8{0});
    const Fixup drawn = a.jump(kNotEqual);
    a.mov8(tia_reg(e.lo), source);
    a.movzx8(rcx, colour);
    a.mov(rax, source);
    a.alu(kXor, rax, rcx);
    a.alu(kAnd, rax, 0xFE);
    a.alu(kXor, rax, rcx);
    a.mov8(colour, rax);
    a.patch(same);
    store_rarely({late, drawn}, e.lo, source, next);
  }

  void store_motion(const CodeEntry& e, Reg source, u32 next) {
    const Fixup late = past_limit();
    a.mov8(tia_reg(e.lo), source);
    a.mov(rax, source);
    a.shift(kShr, rax, 4);
    a.mov8(tia(offsetof(Tia, hm) + e.lo - kHmp0), rax);
    store_rarely({late}, e.lo, source, next);
  }

  void store_absolute(const CodeEntry& e, Reg source, u32 next) {
    a.mov(rdx, u32{e.arg});
    a.mov(rcx, source);
    load_cycles(r8, pending_);
    call(&call_write);
    reload_cycles(pending_);
    exit_if_done(next, pending_);
  }

  // Stores to RAM or a chip at the zero page address in eax. Expects the host's sign flag to be the sign of the low
  // byte of eax.
  void store_at_zero_page(Reg source, u32 next) {
    const Fixup io = a.jump(kNotNegative);
    a.mov8(ram(rax), source);
    const size_t back = a.here();
    cold([=, this, pending = pending_] {
      a.patch(io);
      a.mov(rdx, rax);
      a.mov(rcx, source);
      load_cycles(r8, pending);
      call(&call_write);
      reload_cycles(pending);
      exit_if_done(next, pending);
      a.patch(a.jump(), back);
    });
  }

  void push(Reg source, u32 next) {
    a.movzx8(rax, kSp);
    a.lea(rcx, {rax, -1});
    a.mov8(kSp, rcx);
    a.test8(rax, rax);
    store_at_zero_page(source, next);
  }
  // Loads into eax the byte that PLA or PLP pulls. Some games keep the stack pointer in the TIA's addresses and pull
  // only to advance it or to spend time.
  void pull(u32 opcode) {
    a.movzx8(rcx, kSp);
    a.lea(rax, {rcx, -0x80});
    a.alu(kCmp, rax, 0x7F);
    const Fixup other = a.jump(kAboveEqual);
    a.inc8(rcx);
    a.mov8(kSp, rcx);
    a.movzx8(rax, ram(rcx));
    const size_t back = a.here();
    cold([=, this, pending = pending_] {
      a.patch(other);
      a.mov(rdx, opcode);
      load_cycles(r8, pending);
      call(&call_pull);
      a.patch(a.jump(), back);
    });
  }

  // Stores A at the address in eax, which may be any address.
  void store_anywhere(u32 next) {
    a.mov(rcx, rax);
    a.alu(kAnd, rcx, 0x1280);
    a.alu(kCmp, rcx, 0x80);
    const Fixup other = a.jump(kNotEqual);
    a.alu(kAnd, rax, 0x7F);
    a.mov8(ram(rax, 0x80), kA);
    const size_t back = a.here();
    cold([=, this, pending = pending_, before = before_, ip = ip_] {
      a.patch(other);
      a.mov(rdx, rax);
      a.mov(rcx, kA);
      load_cycles(r8, pending);
      call(&call_write_indexed);
      a.test(rax, rax);
      exit_if(kEqual, kNeedsExactCpu, ip, before);
      reload_cycles(pending);
      exit_if_done(next, pending);
      a.patch(a.jump(), back);
    });
  }

  void wait_for_line(u32 next) {
    constexpr u32 kReciprocal = 3616814566u;  // 2^38 / 76, rounded up
    const Fixup late = past_limit();
    a.alu(kSub, r8, tia(offsetof(Tia, frame_start)));
    a.lea(rax, {r8, kCyclesPerLine - 1});
    a.mov(rdx, kReciprocal);
    a.imul64(rax, rdx);
    a.shift64(kShr, rax, 38);
    a.imul(rax, rax, kCyclesPerLine);
    a.alu(kSub, rax, r8);
    a.alu(kAdd, kCycles, rax);
    const size_t back = a.here();
    cold([=, this, pending = pending_] {
      a.patch(late);
      a.mov(rdx, u32{kWsync});
      a.alu(kXor, rcx, rcx);
      load_cycles(r8, pending);
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

  // Emits a branch. Tests the host's flags directly if the previous instruction has set those that the condition needs.
  void branch(const CodeEntry& e, FastOp op, bool nz_known, CarryFlag carry_known) {
    const u32 target = ip_ + static_cast<u32>(static_cast<i16>(e.arg));
    Cond taken = kEqual;
    std::function<void()> set_flags;
    bool known = false;
    switch (op) {
      case FastOp::Bne:
      case FastOp::Beq:
        taken = op == FastOp::Bne ? kNotEqual : kEqual;
        known = nz_known;
        set_flags = [this] { a.test8(kNz, kNz); };
        break;
      case FastOp::Bpl:
      case FastOp::Bmi:
        known = nz_known;
        if (known) {
          taken = op == FastOp::Bpl ? kNotNegative : kNegative;
          set_flags = [this] { a.test8(kNz, kNz); };
        } else {
          taken = op == FastOp::Bpl ? kEqual : kNotEqual;
          set_flags = [this] { a.test(kNz, 0x8080u); };
        }
        break;
      case FastOp::Bcc:
      case FastOp::Bcs:
        known = carry_known != kUnknown;
        taken = (op == FastOp::Bcs) == (carry_known == kDirect) ? x64::kBelow : kAboveEqual;
        set_flags = [this, carry_known] {
          a.alu8(kCmp, kCarry, u8{1});
          if (carry_known == kDirect) a.cmc();
        };
        break;
      default:
        taken = op == FastOp::Bvs ? kNotEqual : kEqual;
        set_flags = [this] { a.alu8(kCmp, kOverflow, u8{0}); };
        break;
    }
    if (!known) set_flags();
    const size_t condition = a.here();
    const Fixup over = a.jump(!taken);
    jump_to_entry(target, e.extra, target <= ip_ ? LimitCheck::kYes : LimitCheck::kNo);
    a.patch(over);
    enqueue(target);
    if (!known) return;
    // Code that jumps to this branch has not set the host's flags, so its jumps lead here. After BIT, the sign is bit
    // 15 of kNz instead of bit 7, so BPL and BMI test both.
    cold([=, this, ip = ip_, sign = op == FastOp::Bpl || op == FastOp::Bmi] {
      translations_[ip].code = a.here();
      if (sign) {
        a.mov(rax, kNz);
        a.shift(kShr, rax, 8);
        a.alu(kOr, rax, kNz);
        a.test8(rax, rax);
      } else {
        set_flags();
      }
      a.patch(a.jump(), condition);
    });
  }
};

}  // namespace envpool::atari::native
