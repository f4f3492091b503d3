// SPDX-License-Identifier: Apache-2.0
//
// Host only: defines the base class of the translator, which translates every entry of Rom::code to machine code. A run
// is a sequence of successive instructions. While a run executes, registers hold the address of the console, the 6507's
// A, X and Y, Cpu::nz, and the cycles, see below. The Rom, PC minus entry, and the cycle limit are in registers or in
// the stack frame. native_x64.h and native_a64.h say where. All other state is in the console, as in the interpreter.
//
// Within a run, instructions do not add their cycles to that register one by one. Cycles that have not been added yet
// are called pending. The translator knows for each instruction how many cycles of its predecessors are pending, and
// adds them only where the time is needed. A jump adds the cycles that are pending at its source and subtracts those
// that its target expects to be pending, so that every instruction can be a jump target.
//
// TranslatorBase has the parts that do not depend on the instruction: the layout, entry and exit of native code, jumps
// and calls.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "envpool/atari/console/native_target.h"

namespace envpool::atari::native {

enum ExitReason : u32 { kNeedsExactCpu, kFrameDone, kCycleLimitHit };

inline Mem cpu(size_t offset) { return at(offsetof(Core, cpu) + offset); }
inline Mem tia(size_t offset) { return at(offsetof(Core, tia) + offset); }
inline Mem tia_reg(u32 reg) { return tia(offsetof(Tia, reg) + reg); }

inline const Mem kDecimal = cpu(offsetof(Cpu, decimal));
inline const Mem kSp = cpu(offsetof(Cpu, sp));
inline const Mem kClock = at(offsetof(Core, cycles));
inline const Mem kStopFlag = at(offsetof(Core, stop));
inline const Mem kBus = at(offsetof(Core, bus));
inline const Mem kLimitCycle = tia(offsetof(Tia, limit_cycle));

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
  void enqueue(u32 ip) {
    if (ip != kEnd && !translations_[ip].done) queue_.push_back(ip);
  }

  void forget_flags() {
    nz_known_ = false;
    carry_known_ = kUnknown;
  }

  // --- entering and leaving ---

  void emit_entry_and_exit() {
    a.prepare();
    entry_offset_ = a.here();  // called as a function of (console, rom, cycle limit, PC offset, address)
    a.enter();
    a.movzx8(kA, cpu(offsetof(Cpu, a)));
    a.movzx8(kX, cpu(offsetof(Cpu, x)));
    a.movzx8(kY, cpu(offsetof(Cpu, y)));
    a.movzx16(kNz, cpu(offsetof(Cpu, nz)));
    a.load_carry();
    a.mov(kCycles, kClock);
    a.enter_instruction();
    exit_offset_ = a.here();  // kValue holds the exit reason, and kTemp the entry
    a.mov8(cpu(offsetof(Cpu, a)), kA);
    a.mov8(cpu(offsetof(Cpu, x)), kX);
    a.mov8(cpu(offsetof(Cpu, y)), kY);
    a.mov16(cpu(offsetof(Cpu, nz)), kNz);
    a.store_carry();
    a.mov(kClock, kCycles);
    a.alu(kAdd, kTemp, kPcOffset);
    a.mov16(cpu(offsetof(Cpu, pc)), kTemp);
    a.leave();
  }

  void emit_exit(ExitReason why, u32 ip, i32 pending) {
    if (pending != 0) a.alu(kAdd, kCycles, pending);
    a.mov(kTemp, ip);
    a.mov(kValue, why);
    a.patch(a.jump(), exit_offset_);
  }

  // Exits if a condition holds, or where a jump leads. The code of the exit is out of line.
  void exit_if(Cond c, ExitReason why, u32 ip, i32 pending) { exit_at(a.jump(c), why, ip, pending); }
  void exit_at(Fixup fixup, ExitReason why, u32 ip, i32 pending) {
    cold([=, this] {
      a.patch(fixup);
      emit_exit(why, ip, pending);
    });
  }
  // Exits before the current instruction if a condition holds, so that the exact CPU executes it.
  void exact_cpu_if(Cond c) { exit_if(c, kNeedsExactCpu, ip_, before_); }

  void cold(std::function<void()> write) { cold_.push_back(std::move(write)); }
  void write_cold() {
    for (; !cold_.empty(); cold_.pop_front()) cold_.front()();
    cold_from_ = a.here();
  }

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

  void add_pending() {
    a.alu(kAdd, kCycles, pending_);
    pending_ = 0;
  }

  enum class LimitCheck : bool { kNo, kYes };

  // Adds the pending cycles and `extra`, checks the cycle limit if asked to, and jumps to an entry.
  void jump_to_entry(u32 target, i32 extra, LimitCheck check = LimitCheck::kNo) {
    const size_t adjust = a.add_cycles_later();
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
      a.mov(kValue, u32{pc});
      jump_dynamic();
      return;
    }
    a.mov(kPcOffset, pc - target);
    jump_to_entry(target, 0, LimitCheck::kYes);
    enqueue(target);
  }

  // Jumps to the PC in kValue. No cycles may be pending.
  void jump_dynamic() {
    if (dynamic_mapping_) {
      a.mov(kArg2, kValue);
      a.mov(kPcOffset, kValue);
      call(&call_locate);
    } else {
      a.mov(kPcOffset, kValue);
      a.alu(kAnd, kValue, 0xFFF);
      a.alu(kAdd, kValue, static_cast<i32>(start_page_ * (4096 + kPagePad)));
    }
    a.mov(kTemp, kPcOffset);
    a.alu(kSub, kTemp, kValue);
    a.mov(kPcOffset, kTemp);
    a.alu(kCmp, kCycles, kCycleLimit);
    const Fixup over = a.jump(kGreater);
    a.jump_by_table(kEntryTable);
    a.patch(over);
    emit_exit(kCycleLimitHit, ip_, 0);
  }

  // --- calls ---

  // Call a function of the console, or of the console and the Rom. The other arguments have been loaded.
  template <class R, class... Args>
  void call(R(ENVPOOL_NATIVE_ABI* function)(Console&, Args...)) {
    a.load_console();
    a.call(reinterpret_cast<const void*>(function));
  }
  template <class R, class... Args>
  void call(R(ENVPOOL_NATIVE_ABI* function)(Console&, const Rom&, Args...)) {
    a.load_console();
    a.load_rom();
    a.call(reinterpret_cast<const void*>(function));
  }
  void load_cycles(Reg to, i32 pending) { a.lea(to, {kCycles, pending}); }

  // Reloads the cycles after a call that set c.cycles.
  void reload_cycles(i32 pending) {
    a.mov(kCycles, kClock);
    if (pending != 0) a.alu(kSub, kCycles, pending);
  }
  void exit_if_done(u32 next, i32 pending) { exit_at(a.jump_if_true(kStopFlag), kFrameDone, next, pending); }

  Target a;
  const Rom& rom_;
  std::vector<Translation> translations_;
  std::vector<u32> queue_;
  std::vector<Link> links_;
  std::deque<std::function<void()>> cold_;  // functions that emit out-of-line code; a call may append more
  size_t entry_offset_ = 0, exit_offset_ = 0;
  size_t cold_from_ = 0;  // where the code begins whose out-of-line code has not been written
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
