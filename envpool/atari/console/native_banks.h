// SPDX-License-Identifier: Apache-2.0
//
// Translates the instructions that switch banks of a cartridge, or that go on in another slice of an E0 cartridge.
#pragma once

#include "envpool/atari/console/native_ops.h"
#include "envpool/atari/console/opcodes.h"

namespace envpool::atari::native {

class BankEmitter : public OperationEmitter {
 public:
  using OperationEmitter::OperationEmitter;

 protected:
  u32 exit_to_exact_cpu() {
    emit_exit(kNeedsExactCpu, ip_, before_);
    return kEnd;
  }

  // Translates an instruction that the interpreter leaves to the exact CPU: an access that switches banks, or a step to
  // another slice of an E0 cartridge. Leaves all others to the exact CPU as well.
  u32 rare_instruction(u32 ip) {
    const u32 page = page_of(ip), at = ip % (page_size_ + kPagePad);
    const bool slices = rom_.mapper == kE0;
    if (page >= pages_) return exit_to_exact_cpu();
    if (at == page_size_ && slices) {
      a.alu(kAdd, kCycles, pending_);
      jump_dynamic_from_here(static_cast<i32>(ip));
      return kEnd;
    }
    if (at + 3 >= page_size_) return exit_to_exact_cpu();
    const u32 offset = slices && page == 7 ? 0xC00 + at : at;
    if (offset - rom_.plain_begin >= rom_.plain_size || offset + 2 - rom_.plain_begin >= rom_.plain_size) {
      return exit_to_exact_cpu();
    }
    const u8* const bytes = rom_.data + page * page_size_ + at;
    if (slices && (bytes[0] & 0x1F) == 0x10) return branch_between_slices(ip, at, bytes);
    return access_that_switches(ip, page, at, bytes);
  }

 private:
  u32 branch_between_slices(u32 ip, u32 place, const u8* bytes) {
    using enum BranchTest::Flag;
    constexpr BranchTest::Flag kFlags[4] = {kSign, kOverflowFlag, kCarryFlag, kZero};
    const i32 next = static_cast<i32>(place) + 2, distance = static_cast<i8>(bytes[1]);
    pending_ += 2;
    a.mov8(kBus, bytes[1]);
    a.mov8(at(offsetof(Core, wrote)), u8{0});
    branch_to_slice({kFlags[bytes[0] >> 6], (bytes[0] & 0x20) != 0}, distance,
                    ((next + distance) ^ next) & 0xFF00 ? 2 : 1);
    return ip + 2;
  }

  // Translates a load, a comparison or a store at an address that switches banks.
  u32 access_that_switches(u32 ip, u32 page, u32 at, const u8* bytes) {
    const u32 address = bytes[1] | bytes[2] << 8, offset = address & 0xFFF;
    u32 first = 0xFFF, last = 0, bank = 0;
    switch (rom_.mapper) {
      case kF8:
      case kF8SC: first = 0xFF8, last = 0xFF9; break;
      case kF6:
      case kF6SC: first = 0xFF6, last = 0xFF9; break;
      case kE0: first = 0xFE0, last = 0xFF7; break;
      default: break;
    }
    if ((address & 0x1000) == 0 || offset < first || offset > last) return exit_to_exact_cpu();
    if (rom_.mapper != kE0) bank = offset - first;
    // Of an E0 cartridge, the last slice always has these addresses.
    const u8 value = rom_.mapper == kE0 ? rom_.data[7 * 1024 + (offset & 0x3FF)] : rom_.data[bank * 4096 + offset];
    const OpcodeInfo info = opcode_info(bytes[0]);
    using enum Operation;
    const bool known = info.operation == Lda || info.operation == Ldx || info.operation == Ldy ||
                       info.operation == Bit || info.operation == Cmp || info.operation == Sta ||
                       info.operation == Stx || info.operation == Sty;
    if (info.mode != Mode::Abs || !known) return exit_to_exact_cpu();
    pending_ += 4;
    a.mov(kArg2, offset);
    const auto store = [&](Reg source) {
      a.mov(kArg3, source);
      call(&call_switch<true>);
    };
    const auto read = [&] {
      a.mov(kArg3, u32{value});
      call(&call_switch<false>);
    };
    const auto load = [&](Reg to) {
      read();
      a.mov(to, u32{value});
      loaded(to);
    };
    switch (info.operation) {
      case Lda: load(kA); break;
      case Ldx: load(kX); break;
      case Ldy: load(kY); break;
      case Bit:
        read();
        a.bit(value);
        break;
      case Cmp:
        read();
        compare(kA, value);
        break;
      case Sta: store(kA); break;
      case Stx: store(kX); break;
      default: store(kY); break;
    }
    if (rom_.mapper == kE0) {
      a.alu(kAdd, kCycles, pending_);
      jump_dynamic_from_here(static_cast<i32>(ip + 3));
      return kEnd;
    }
    if (bank == page) return ip + 3;
    const u32 target = bank * (4096 + kPagePad) + at + 3;
    a.mov(kTemp, kPcOffset);
    a.alu(kAdd, kTemp, static_cast<i32>(ip + 3) - static_cast<i32>(target));
    a.mov(kPcOffset, kTemp);
    jump_to_entry(target, 0, LimitCheck::kYes);
    enqueue(target);
    return kEnd;
  }
};

}  // namespace envpool::atari::native
