// SPDX-License-Identifier: Apache-2.0
//
// Host only: defines the base class of the translator, which translates every entry of Rom::code to machine code. A run
// is a sequence of successive instructions. While a run executes, the registers hold
//   rbx       the console, at kOrigin            r12 r13 r14   A, X, Y
//   ebp       cycles, see below                  r15           Cpu::nz
//   [rsp]     the Rom      [rsp + 8]  PC minus entry     [rsp + 12]  cycle limit
// All other state is in the console, as in the interpreter.
//
// Within a run, instructions do not add their cycles to ebp one by one. Cycles that have not been added yet are called
// pending. The translator knows for each instruction how many cycles of its predecessors are pending, and adds them
// only where the time is needed. A jump adds the cycles that are pending at its source and subtracts those that its
// target expects to be pending, so that every instruction can be a jump target.
//
// TranslatorBase has the parts that do not depend on the instruction: the layout, entry and exit of native code, jumps
// and calls.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

#include "envpool/atari/console/native_calls.h"
#include "envpool/atari/console/x64.h"

namespace envpool::atari::native {

using namespace x64;

enum ExitReason : u32 { kNeedsExactCpu, kFrameDone, kCycleLimitHit };

constexpr Reg kA = r12, kX = r13, kY = r14, kNz = r15, kCycles = rbp;

constexpr i32 kOrigin = offsetof(Core, ram) + 64;  // with this origin, 8-bit displacements reach all of RAM
inline Mem at(size_t offset) { return {rbx, static_cast<i32>(offset) - kOrigin}; }
inline Mem ram(u32 address) { return at(offsetof(Core, ram) + (address & 0x7F)); }
// Returns the operand for RAM at the address in a register. The address must be from $80 to $FF.
inline Mem ram(Reg address, i32 offset = 0) {
  return {rbx, static_cast<i32>(offsetof(Core, ram)) - 0x80 - kOrigin + offset, address};
}
inline Mem cpu(size_t offset) { return at(offsetof(Core, cpu) + offset); }
inline Mem tia(size_t offset) { return at(offsetof(Core, tia) + offset); }
inline Mem tia_reg(u32 reg) { return tia(offsetof(Tia, reg) + reg); }

inline const Mem kCarry = cpu(offsetof(Cpu, carry));
inline const Mem kOverflow = cpu(offsetof(Cpu, overflow));
inline const Mem kDecimal = cpu(offsetof(Cpu, decimal));
inline const Mem kSp = cpu(offsetof(Cpu, sp));
inline const Mem kClock = at(offsetof(Core, cycles));
inline const Mem kStopFlag = at(offsetof(Core, stop));
inline const Mem kBus = at(offsetof(Core, bus));
inline const Mem kLimitCycle = tia(offsetof(Tia, limit_cycle));
inline const Mem kRomSlot = {rsp, 0};
inline const Mem kPcOffset = {rsp, 8};
inline const Mem kCycleLimit = {rsp, 12};

constexpr u32 kEnd = ~0u;

class TranslatorBase {
 public:
  explicit TranslatorBase(const Rom& rom) : rom_(rom), translations_(kMaxCode) {
    page_size_ = rom.mapper == kE0 ? 1024 : 4096;
    dynamic_mapping_ = rom.mapper == kE0 || rom.mapper == kFE;
    const u32 program = rom.mapper == kDPC ? 8192 : rom.data_size;
    pages_ = program / page_size_;
    a.code.resize(kEntryTable + 4 * kMaxCode);
    std::memcpy(a.code.data(), rom.data, sizeof rom.data);
  }

  size_t entry_offset() const { return entry_offset_; }
  static constexpr size_t kEntryTable = sizeof Rom::data;

 protected:
  struct Translation {
    size_t code = 0;  // offset of the instruction's code, to which jumps lead
    i32 pending = 0;  // cycles that are pending at that point
    bool done = false;
  };
  struct Link {
    size_t adjust;
    i32 pending;
    Fixup jump;
    u32 target;
  };
  // The meaning of the host's carry flag after the last instruction: unknown, or the 6507's carry flag, possibly
  // inverted.
  enum CarryFlag : u8 { kUnknown, kInverted, kDirect };

  void enqueue(u32 ip) {
    if (ip != kEnd && !translations_[ip].done) queue_.push_back(ip);
  }

  void forget_flags() {
    nz_known_ = false;
    carry_known_ = kUnknown;
  }

  // --- entering and leaving ---

  void emit_entry_and_exit() {
    const Reg saved[] = {rbx, rbp, r12, r13, r14, r15};
    entry_offset_ = a.here();  // called as a function of (console, rom, cycle limit, PC offset, address)
    for (Reg r : saved) a.push(r);
    a.alu64(kSub, rsp, i8{24});
    a.lea64(rbx, {rdi, kOrigin});
    a.mov64(kRomSlot, rsi);
    a.mov(kCycleLimit, rdx);
    a.mov(kPcOffset, rcx);
    a.movzx8(kA, cpu(offsetof(Cpu, a)));
    a.movzx8(kX, cpu(offsetof(Cpu, x)));
    a.movzx8(kY, cpu(offsetof(Cpu, y)));
    a.movzx16(kNz, cpu(offsetof(Cpu, nz)));
    a.mov(kCycles, kClock);
    a.jump(r8);
    exit_offset_ = a.here();  // eax holds the exit reason, and ecx the entry
    a.mov8(cpu(offsetof(Cpu, a)), kA);
    a.mov8(cpu(offsetof(Cpu, x)), kX);
    a.mov8(cpu(offsetof(Cpu, y)), kY);
    a.mov16(cpu(offsetof(Cpu, nz)), kNz);
    a.mov(kClock, kCycles);
    a.alu(kAdd, rcx, kPcOffset);
    a.mov16(cpu(offsetof(Cpu, pc)), rcx);
    a.alu64(kAdd, rsp, i8{24});
    for (i32 i = 5; i >= 0; --i) a.pop(saved[i]);
    a.ret();
  }

  void emit_exit(ExitReason why, u32 ip, i32 pending) {
    if (pending != 0) a.alu(kAdd, kCycles, pending);
    a.mov(rcx, ip);
    a.mov(rax, why);
    a.patch(a.jump(), exit_offset_);
  }

  // Exits if a condition holds. The code of the exit is out of line.
  void exit_if(Cond c, ExitReason why, u32 ip, i32 pending) {
    const Fixup fixup = a.jump(c);
    cold([=, this] {
      a.patch(fixup);
      emit_exit(why, ip, pending);
    });
  }
  // Exits before the current instruction if a condition holds, so that the exact CPU executes it.
  void exact_cpu_if(Cond c) { exit_if(c, kNeedsExactCpu, ip_, before_); }

  void cold(std::function<void()> write) { cold_.push_back(std::move(write)); }

  // Writes the table of code offsets by entry. Entries that were not translated share the code of kOutside, which exits
  // to the exact CPU.
  void write_entry_table() {
    for (u32 i = 0; i < kMaxCode; ++i) {
      const Translation place = translations_[translations_[i].done ? i : kOutside];
      size_t entry = place.code;
      if (place.pending != 0) {
        entry = a.here();
        a.alu(kSub, kCycles, place.pending);
        a.patch(a.jump(), place.code);
      }
      a.put32(kEntryTable + 4 * i, static_cast<u32>(entry));
    }
  }

  // --- jumps ---

  enum class LimitCheck : bool { kNo, kYes };

  // Adds the pending cycles and `extra`, checks the cycle limit if asked to, and jumps to an entry.
  void jump_to_entry(u32 target, i32 extra, LimitCheck check = LimitCheck::kNo) {
    a.alu(kAdd, kCycles, 0);
    const size_t adjust = a.here() - 4;
    if (check == LimitCheck::kYes) {
      a.alu(kCmp, kCycles, kCycleLimit);
      exit_if(kGreater, kCycleLimitHit, target, 0);
    }
    const Fixup jump = a.jump();
    links_.push_back({adjust, pending_ + extra, jump, target});
  }

  u32 page_of(u32 ip) const { return ip / (page_size_ + kPagePad); }

  // Returns the entry of an address, or kEnd if the entry is known only at run time. Assumes the mapping under which
  // code in the current page runs.
  u32 static_target(u16 pc) const {
    if (!(pc & 0x1000)) return kOutside;
    if (dynamic_mapping_) {
      if (rom_.mapper == kE0 && (pc & 0xFFF) >= 0xC00) return 7 * (1024 + kPagePad) + (pc & 0x3FF);
      return kEnd;
    }
    return start_page_ * (4096 + kPagePad) + (pc & 0xFFF);
  }

  void jump_to_pc(u16 pc) {
    const u32 target = static_target(pc);
    if (target == kEnd || rom_.mapper == kFE) {
      a.alu(kAdd, kCycles, pending_);
      a.mov(rax, u32{pc});
      jump_dynamic();
      return;
    }
    a.mov(kPcOffset, pc - target);
    jump_to_entry(target, 0, LimitCheck::kYes);
    enqueue(target);
  }

  // Jumps to the PC in eax. No cycles may be pending.
  void jump_dynamic() {
    if (dynamic_mapping_) {
      a.lea64(rdi, {rbx, -kOrigin});
      a.mov64(rsi, kRomSlot);
      a.mov(rdx, rax);
      a.mov(kPcOffset, rax);
      a.call(reinterpret_cast<const void*>(&call_locate));
    } else {
      a.mov(kPcOffset, rax);
      a.alu(kAnd, rax, 0xFFF);
      a.alu(kAdd, rax, static_cast<i32>(start_page_ * (4096 + kPagePad)));
    }
    a.mov(rcx, kPcOffset);
    a.alu(kSub, rcx, rax);
    a.mov(kPcOffset, rcx);
    a.alu(kCmp, kCycles, kCycleLimit);
    const Fixup over = a.jump(kGreater);
    a.patch(a.lea_rip(rcx), 0);
    a.shift(kShl, rax, 2);
    a.mov(rax, Mem{rcx, static_cast<i32>(kEntryTable), rax});
    a.alu64(kAdd, rax, rcx);
    a.jump(rax);
    a.patch(over);
    emit_exit(kCycleLimitHit, ip_, 0);
  }

  // --- calls ---

  void call_address(const void* function) {
    a.lea64(rdi, {rbx, -kOrigin});
    a.mov64(rsi, kRomSlot);
    a.call(function);
  }
  template <class R, class... Args>
  void call(R(ENVPOOL_NATIVE_ABI* function)(Args...)) {
    call_address(reinterpret_cast<const void*>(function));
  }
  void load_cycles(Reg to, i32 pending) { a.lea(to, {kCycles, pending}); }

  // Reloads the cycles after a call that set c.cycles.
  void reload_cycles(i32 pending) {
    a.mov(kCycles, kClock);
    if (pending != 0) a.alu(kSub, kCycles, pending);
  }
  void exit_if_done(u32 next, i32 pending) {
    a.alu8(kCmp, kStopFlag, u8{0});
    exit_if(kNotEqual, kFrameDone, next, pending);
  }

  Assembler a;
  const Rom& rom_;
  std::vector<Translation> translations_;
  std::vector<u32> queue_;
  std::vector<Link> links_;
  std::deque<std::function<void()>> cold_;  // functions that emit out-of-line code; a call may append more
  size_t entry_offset_ = 0, exit_offset_ = 0;
  u32 page_size_, pages_;
  bool dynamic_mapping_;  // pages are mapped at run time
  u32 start_page_ = 0;    // page of the current instruction
  u32 ip_ = 0;            // entry of the current instruction
  i32 before_ = 0;        // cycles pending before it
  i32 pending_ = 0;       // cycles pending after it
  bool nz_known_ = false;
  CarryFlag carry_known_ = kUnknown;
};

}  // namespace envpool::atari::native
