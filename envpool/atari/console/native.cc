// SPDX-License-Identifier: Apache-2.0
//
// Every entry of Rom::code becomes machine code, in runs of instructions that follow each other. While a run executes
//   rbx       the console, at kOrigin            r12 r13 r14   A, X, Y
//   ebp       cycles, see below                  r15           Cpu::nz
//   [rsp]     the Rom      [rsp + 8]  PC minus entry     [rsp + 12]  cycle limit
// and everything else is where the interpreter keeps it. Within a run the cycles of instructions are not counted one by
// one: an instruction knows how many its predecessors owe ("pending"), and only who needs the time adds them. Whoever
// jumps to an instruction subtracts what it will believe to be owed. So every instruction can be jumped to.
#include "envpool/atari/console/native.h"

#include "envpool/atari/console/console.h"

#if (defined(__x86_64__) && (defined(__unix__) || defined(__APPLE__)))
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include "envpool/atari/console/x64.h"

namespace envpool::atari {
namespace {

using namespace x64;

// --- what native code calls ---

u32 call_read(Console& c, const Rom& rom, u32 address, u32 noise, i32 cycles) {
  return read_chip(c, rom, address, noise, cycles);
}
// Sets c.cycles. ~0 if the exact CPU has to do it.
u32 call_read_indexed(Console& c, const Rom& rom, u32 base, u32 index, i32 cycles) {
  FastCpu r{};
  r.cycles = cycles;
  u32 value;
  if (!read_any(c, rom, r, base + index, base >> 8, ((base & 0xFF) + index) >> 8, value)) return ~0u;
  c.cycles = r.cycles;
  return value;
}
void call_write(Console& c, const Rom& rom, u32 address, u32 value, i32 cycles) {
  write_chip(c, rom, address, value, cycles);
}
// False if the exact CPU has to do it.
u32 call_write_indexed(Console& c, const Rom& rom, u32 address, u32 value, i32 cycles) {
  address &= 0xFFFF;
  if (address & 0x1000 && !is_plain(rom, address)) return 0;
  write_chip(c, rom, address, value, cycles);
  return 1;
}
void call_write_register(Console& c, const Rom& rom, u32 reg, u32 value, i32 cycles) {
  write_tia_register(c, rom, reg, value, cycles);
}
void call_graphics(Console& c, const Rom& rom, u32 player, u32 value, i32 cycles) {
  c.cycles = cycles;
  write_graphics(c, rom, player, static_cast<u8>(value));
}
void call_playfield(Console& c, const Rom& rom, u32 reg, u32 value, i32 cycles) {
  c.cycles = cycles;
  write_playfield(c, rom, reg, static_cast<u8>(value));
}
u32 call_decimal(Console& c, u32 a, u32 m, bool adding) {
  const u32 sum = decimal_arithmetic(c, a, m, c.cpu.carry, adding);
  c.cpu.carry = static_cast<u8>(sum >> 8);
  return sum & 0xFF;
}
// Both set c.cycles.
u32 call_wait(Console& c, const Rom& rom, u32 ip, i32 cycles) {
  const CodeEntry& e = rom.code[ip];
  FastCpu r{};
  r.cycles = cycles;
  skip_timer_loop(c, r, e);
  return read_chip(c, rom, e.arg, e.hi, r.cycles);
}
u32 call_count(Console& c, const Rom& rom, u32 ip, u32 counter, i32 cycles) {
  FastCpu r{};
  r.cycles = cycles;
  const u32 last = run_counter_loop(r, rom.code[ip], counter);
  c.cycles = r.cycles;
  return last;
}
u32 call_pack_flags(Console& c) { return pack_flags(c.cpu); }
void call_unpack_flags(Console& c, u32 flags) { unpack_flags(c.cpu, static_cast<u8>(flags)); }
u32 call_locate(Console& c, const Rom& rom, u32 pc) {
  FastCpu r{};
  locate(c, rom, r, pc);
  return r.ip;
}

// --- the translator ---

enum Stop : u32 { kSlow, kDone, kLimit };

constexpr Reg kA = r12, kX = r13, kY = r14, kNz = r15, kCycles = rbp;

constexpr i32 kOrigin = offsetof(Core, ram) + 64;  // so that RAM is within a byte's reach
Mem at(size_t offset) { return {rbx, static_cast<i32>(offset) - kOrigin}; }
Mem ram(u32 address) { return at(offsetof(Core, ram) + (address & 0x7F)); }
// RAM at an address from $80 on in a register.
Mem ram(Reg address, i32 offset = 0) {
  return {rbx, static_cast<i32>(offsetof(Core, ram)) - 0x80 - kOrigin + offset, address};
}
Mem cpu(size_t offset) { return at(offsetof(Core, cpu) + offset); }
Mem tia(size_t offset) { return at(offsetof(Core, tia) + offset); }
Mem tia_reg(u32 reg) { return tia(offsetof(Tia, reg) + reg); }

const Mem kCarry = cpu(offsetof(Cpu, carry));
const Mem kOverflow = cpu(offsetof(Cpu, overflow));
const Mem kDecimal = cpu(offsetof(Cpu, decimal));
const Mem kSp = cpu(offsetof(Cpu, sp));
const Mem kClock = at(offsetof(Core, cycles));
const Mem kStopFlag = at(offsetof(Core, stop));
const Mem kBus = at(offsetof(Core, bus));
const Mem kLimitCycle = tia(offsetof(Tia, limit_cycle));
const Mem kRomSlot = {rsp, 0};
const Mem kPcOffset = {rsp, 8};
const Mem kCycleLimit = {rsp, 12};

constexpr u32 kEnd = ~0u;

class Translator {
 public:
  explicit Translator(const Rom& rom) : rom_(rom), places_(kMaxCode) {
    page_size_ = rom.mapper == kE0 ? 1024 : 4096;
    dynamic_ = rom.mapper == kE0 || rom.mapper == kFE;
    const u32 program = rom.mapper == kDPC ? 8192 : rom.data_size;
    pages_ = program / page_size_;
    a.code.resize(kTable + 4 * kMaxCode);
    std::memcpy(a.code.data(), rom.data, sizeof rom.data);
  }

  // Code that can be reached from the start comes first and stays together; the rest is there in case.
  std::vector<u8> translate() {
    write_frame();
    for (u32 page = 0; page < pages_; ++page) {
      const u8* vector = rom_.data + (page + 1) * page_size_ - 4;
      start_page_ = page;
      later(static_target(static_cast<u16>(vector[0] | vector[1] << 8)));
    }
    run_all();
    for (u32 i = 0; i < pages_ * (page_size_ + kPagePad); ++i) {
      later(i);
      run_all();
    }
    later(kOutside);
    run_all();
    for (size_t i = 0; i < cold_.size(); ++i) cold_[i]();
    write_entries();
    for (const Link& link : links_) {
      const Place& to = places_[link.target];
      a.put(link.adjust, static_cast<u32>(link.owed - to.pending));
      a.fill(link.jump, to.code);
    }
    return std::move(a.code);
  }

  size_t enter_at() const { return enter_; }
  static constexpr size_t kTable = sizeof Rom::data;

 private:
  struct Place {
    size_t code = 0;  // where the instruction may be jumped to
    i32 pending = 0;  // cycles it believes to be owed
    bool made = false;
  };
  struct Link {
    size_t adjust;
    i32 owed;
    Hole jump;
    u32 target;
  };
  // What the processor's own flags say of the last instruction.
  enum CarryFlag : u8 { kUnknown, kInverted, kStraight };

  void later(u32 ip) {
    if (ip != kEnd && !places_[ip].made) waiting_.push_back(ip);
  }

  void run_all() {
    while (!waiting_.empty()) {
      u32 ip = waiting_.back();
      waiting_.pop_back();
      if (places_[ip].made) continue;
      pending_ = 0;
      forget_flags();
      while (ip != kEnd) {
        if (places_[ip].made) {
          go(ip, 0);
          break;
        }
        ip = instruction(ip);
      }
    }
  }

  void forget_flags() {
    nz_known_ = false;
    carry_known_ = kUnknown;
  }

  // --- entering and leaving ---

  void write_frame() {
    const Reg saved[] = {rbx, rbp, r12, r13, r14, r15};
    enter_ = a.here();  // (console, rom, cycle limit, PC offset, address)
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
    // jmp r8
    a.jump(r8);
    leave_ = a.here();  // eax: why, ecx: entry
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

  void leave(Stop why, u32 ip, i32 pending) {
    if (pending != 0) a.alu(kAdd, kCycles, pending);
    a.mov(rcx, ip);
    a.mov(rax, why);
    a.fill(a.jump(), leave_);
  }

  // Leaves through a cold exit on a condition.
  void leave_if(Cond c, Stop why, u32 ip, i32 pending) {
    const Hole hole = a.jump(c);
    cold([=, this] {
      a.fill(hole);
      leave(why, ip, pending);
    });
  }
  // The exact CPU does the present instruction instead.
  void slow_if(Cond c) { leave_if(c, kSlow, ip_, before_); }

  void cold(std::function<void()> write) { cold_.push_back(std::move(write)); }

  void write_entries() {
    for (u32 i = 0; i < kMaxCode; ++i) {
      const Place place = places_[i];
      if (!place.made) continue;
      size_t entry = place.code;
      if (place.pending != 0) {
        entry = a.here();
        a.alu(kSub, kCycles, place.pending);
        a.fill(a.jump(), place.code);
      }
      a.put(kTable + 4 * i, static_cast<u32>(entry));
    }
  }

  // --- jumps ---

  // Jumps with some more cycles owed.
  void go(u32 target, i32 extra, bool check = false) {
    a.alu(kAdd, kCycles, 0);
    const size_t adjust = a.here() - 4;
    if (check) {
      a.alu(kCmp, kCycles, kCycleLimit);
      leave_if(kGreater, kLimit, target, 0);
    }
    const Hole jump = a.jump();
    links_.push_back({adjust, pending_ + extra, jump, target});
  }

  u32 page_of(u32 ip) const { return ip / (page_size_ + kPagePad); }

  // Entry of a cartridge address as seen from the present page; kEnd if that is known only when executed.
  u32 static_target(u16 pc) const {
    if (!(pc & 0x1000)) return kOutside;
    if (dynamic_) {
      if (rom_.mapper == kE0 && (pc & 0xFFF) >= 0xC00) return 7 * (1024 + kPagePad) + (pc & 0x3FF);
      return kEnd;
    }
    return start_page_ * (4096 + kPagePad) + (pc & 0xFFF);
  }

  void jump_to(u16 pc) {
    const u32 target = static_target(pc);
    if (target == kEnd || rom_.mapper == kFE) {
      a.alu(kAdd, kCycles, pending_);
      a.mov(rax, u32{pc});
      jump_dynamic();
      return;
    }
    a.mov(kPcOffset, pc - target);
    go(target, 0, true);
    later(target);
  }

  // Jumps to the PC in eax, nothing owed.
  void jump_dynamic() {
    if (dynamic_) {
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
    const Hole over = a.jump(kGreater);
    a.fill(a.lea_rip(rcx), 0);
    a.shift(kShl, rax, 2);
    a.mov(rax, Mem{rcx, static_cast<i32>(kTable), rax});
    a.alu64(kAdd, rax, rcx);
    a.jump(rax);
    a.fill(over);
    leave(kLimit, ip_, 0);
  }

  // --- calls ---

  void call_address(const void* function) {
    a.lea64(rdi, {rbx, -kOrigin});
    a.mov64(rsi, kRomSlot);
    a.call(function);
  }
  template <class R, class... Args>
  void call(R (*function)(Args...)) {
    call_address(reinterpret_cast<const void*>(function));
  }
  void time(Reg to, i32 pending) { a.lea(to, {kCycles, pending}); }

  // After a call that set c.cycles.
  void take_clock(i32 pending) {
    a.mov(kCycles, kClock);
    if (pending != 0) a.alu(kSub, kCycles, pending);
  }
  void stop_check(u32 next, i32 pending) {
    a.alu8(kCmp, kStopFlag, u8{0});
    leave_if(kNotEqual, kDone, next, pending);
  }

  // --- operands ---

  // Value of the operand of a reading instruction, in eax.
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
    time(r8, pending_);
    call(&call_read);
  }

  void zero_page_address(const CodeEntry& e, Reg index) {
    a.lea(rax, {index, e.lo});
    a.movzx8(rax, rax);
    a.test8(rax, rax);
  }

  void read_zero_page(const CodeEntry& e, Reg index) {
    zero_page_address(e, index);
    const Hole io = a.jump(kNotNegative);
    a.movzx8(rax, ram(rax));
    const size_t back = a.here();
    cold([=, this, pending = pending_, lo = u32{e.lo}] {
      a.fill(io);
      a.mov(rdx, rax);
      a.mov(rcx, lo);
      time(r8, pending);
      call(&call_read);
      a.fill(a.jump(), back);
    });
  }

  void read_table(const CodeEntry& e, Reg index) {
    if (e.lo != 0) {
      a.lea(rax, {index, e.lo});
      a.shift(kShr, rax, 8);
      a.alu(kAdd, kCycles, rax);
    }
    a.fill(a.lea_rip(rcx), 0);
    a.movzx8(rax, Mem{rcx, e.arg, index});
  }

  void read_indexed(const CodeEntry& e, Reg index) {
    a.mov(rax, u32{e.arg});
    read_from(index);
  }

  // Byte at eax + index; eax is a 16-bit base.
  void read_from(Reg index) {
    if (dynamic_) {
      a.mov(rdx, rax);
      a.mov(rcx, index);
      time(r8, pending_);
      call(&call_read_indexed);
      a.alu(kCmp, rax, -1);
      slow_if(kEqual);
      take_clock(pending_);
      return;
    }
    a.lea(rcx, {rax, 0, index});
    a.test(rcx, 0x1000u);
    const Hole other = a.jump(kEqual);
    a.alu(kAnd, rcx, 0xFFF);
    if (rom_.plain_begin != 0 || rom_.plain_size != 0x1000) {
      a.lea(rdx, {rcx, -i32{rom_.plain_begin}});
      a.alu(kCmp, rdx, i32{rom_.plain_size});
      slow_if(kAboveEqual);
    }
    a.movzx8(rax, rax);
    a.alu(kAdd, rax, index);
    a.shift(kShr, rax, 8);
    a.alu(kAdd, kCycles, rax);
    a.fill(a.lea_rip(rdx), 0);
    a.movzx8(rax, Mem{rdx, static_cast<i32>(start_page_ * 4096), rcx});
    const size_t back = a.here();
    cold([=, this, pending = pending_, before = before_, ip = ip_] {
      a.fill(other);
      a.mov(rdx, rax);
      a.mov(rcx, index);
      time(r8, pending);
      call(&call_read_indexed);
      a.alu(kCmp, rax, -1);
      leave_if(kEqual, kSlow, ip, before);
      take_clock(pending);
      a.fill(a.jump(), back);
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
  void arithmetic(bool adding) {
    a.alu8(kCmp, kDecimal, u8{0});
    const Hole decimal = a.jump(kNotEqual);
    a.alu8(kCmp, kCarry, u8{1});  // the processor's carry is now the inverse
    if (adding) a.cmc();
    a.alu8(adding ? kAdc : kSbb, kA, rax);
    a.set(adding ? x64::kBelow : kAboveEqual, kCarry);
    a.set(kOverflows, kOverflow);
    const size_t back = a.here();
    a.mov(kNz, kA);
    nz_known_ = true;
    cold([=, this] {
      a.fill(decimal);
      a.lea64(rdi, {rbx, -kOrigin});
      a.mov(rsi, kA);
      a.mov(rdx, rax);
      a.mov(rcx, u32{adding});
      a.call(reinterpret_cast<const void*>(&call_decimal));
      a.mov(kA, rax);
      a.test8(kA, kA);
      a.fill(a.jump(), back);
    });
  }

  // Shifts the byte in `r`; the carry comes in if it rotates.
  void shift(Shift op, Reg r) {
    const bool rotates = op == kRcl || op == kRcr;
    if (rotates) {
      a.alu8(kCmp, kCarry, u8{1});
      a.cmc();
    }
    a.shift8(op, r);
    a.set(x64::kBelow, kCarry);
    carry_known_ = kStraight;
    nz_known_ = !rotates;
  }

  // --- stores ---

  void write_register_call(u32 reg, Reg source, u32 next, i32 pending) {
    a.mov(rdx, reg);
    a.mov(rcx, source);
    time(r8, pending);
    call(&call_write_register);
    stop_check(next, pending);
  }

  // Past the last line any write to the TIA ends the frame: that is rare, and done elsewhere.
  // Leaves the time in r8.
  Hole past_limit() {
    time(r8, pending_);
    a.alu(kCmp, r8, kLimitCycle);
    return a.jump(kGreaterEqual);
  }

  void store_rarely(std::initializer_list<Hole> holes, u32 reg, Reg source, u32 next) {
    const std::vector<Hole> all(holes);
    const size_t back = a.here();
    cold([=, this, pending = pending_] {
      for (Hole hole : all) a.fill(hole);
      write_register_call(reg, source, next, pending);
      a.fill(a.jump(), back);
    });
  }

  void store_level(const CodeEntry& e, Reg source, u32 next) {
    const Hole late = past_limit();
    a.alu8(kCmp, tia_reg(e.lo), source);
    store_rarely({late, a.jump(kNotEqual)}, e.lo, source, next);
  }

  void store_colour(const CodeEntry& e, Reg source, u32 next) {
    const u32 i = e.lo - kColup0;
    const Mem colour = tia(offsetof(Tia, colour) + i);
    const Hole late = past_limit();
    a.alu8(kCmp, tia_reg(e.lo), source);
    const Hole same = a.jump(kEqual);
    a.alu8(kCmp, at(offsetof(Core, drawing)), u8{0});
    const Hole drawn = a.jump(kNotEqual);
    a.mov8(tia_reg(e.lo), source);
    a.movzx8(rcx, colour);
    a.mov(rax, source);
    a.alu(kXor, rax, rcx);
    a.alu(kAnd, rax, 0xFE);
    a.alu(kXor, rax, rcx);
    a.mov8(colour, rax);
    a.fill(same);
    store_rarely({late, drawn}, e.lo, source, next);
  }

  void store_motion(const CodeEntry& e, Reg source, u32 next) {
    const Hole late = past_limit();
    a.mov8(tia_reg(e.lo), source);
    a.mov(rax, source);
    a.shift(kShr, rax, 4);
    a.mov8(tia(offsetof(Tia, hm) + e.lo - kHmp0), rax);
    store_rarely({late}, e.lo, source, next);
  }

  void store_graphics(const CodeEntry& e, Reg source, u32 next) {
    const Hole late = past_limit();
    a.mov(rdx, u32{e.lo} - kGrp0);
    a.mov(rcx, source);
    call(&call_graphics);
    store_rarely({late}, e.lo, source, next);
  }

  void store_field(const CodeEntry& e, Reg source, u32 next) {
    const Hole late = past_limit();
    a.alu8(kCmp, tia_reg(e.lo), source);
    const Hole same = a.jump(kEqual);
    a.mov(rdx, u32{e.lo});
    a.mov(rcx, source);
    call(&call_playfield);
    a.fill(same);
    store_rarely({late}, e.lo, source, next);
  }

  void store_absolute(const CodeEntry& e, Reg source, u32 next) {
    a.mov(rdx, u32{e.arg});
    a.mov(rcx, source);
    time(r8, pending_);
    call(&call_write);
    take_clock(pending_);
    stop_check(next, pending_);
  }

  // RAM or a chip at the zero page address in eax; the sign flag is that of its low byte.
  void store_at_zero_page(Reg source, u32 next) {
    const Hole io = a.jump(kNotNegative);
    a.mov8(ram(rax), source);
    const size_t back = a.here();
    cold([=, this, pending = pending_] {
      a.fill(io);
      a.mov(rdx, rax);
      a.mov(rcx, source);
      time(r8, pending);
      call(&call_write);
      take_clock(pending);
      stop_check(next, pending);
      a.fill(a.jump(), back);
    });
  }

  void push(Reg source, u32 next) {
    a.movzx8(rax, kSp);
    a.lea(rcx, {rax, -1});
    a.mov8(kSp, rcx);
    a.test8(rax, rax);
    store_at_zero_page(source, next);
  }
  // Moves the stack pointer on to a byte in RAM, whose address is left in eax.
  void pull() {
    a.movzx8(rax, kSp);
    a.lea(rcx, {rax, -0x80});
    a.alu(kCmp, rcx, 0x7F);
    slow_if(kAboveEqual);
    a.inc8(rax);
    a.mov8(kSp, rax);
  }

  // Stores A anywhere, at the address in eax.
  void store_anywhere(u32 next) {
    a.mov(rcx, rax);
    a.alu(kAnd, rcx, 0x1280);
    a.alu(kCmp, rcx, 0x80);
    const Hole other = a.jump(kNotEqual);
    a.alu(kAnd, rax, 0x7F);
    a.mov8(ram(rax, 0x80), kA);
    const size_t back = a.here();
    cold([=, this, pending = pending_, before = before_, ip = ip_] {
      a.fill(other);
      a.mov(rdx, rax);
      a.mov(rcx, kA);
      time(r8, pending);
      call(&call_write_indexed);
      a.test(rax, rax);
      leave_if(kEqual, kSlow, ip, before);
      take_clock(pending);
      stop_check(next, pending);
      a.fill(a.jump(), back);
    });
  }

  void wait_for_line(const CodeEntry&, u32 next) {
    constexpr u32 kMagic = 3616814566u;  // 2^38 / 76, rounded up
    const Hole late = past_limit();
    a.alu(kSub, r8, tia(offsetof(Tia, frame_start)));
    a.lea(rax, {r8, kCyclesPerLine - 1});
    a.mov(rdx, kMagic);
    a.imul64(rax, rdx);
    a.shift64(kShr, rax, 38);
    a.imul(rax, rax, kCyclesPerLine);
    a.alu(kSub, rax, r8);
    a.alu(kAdd, kCycles, rax);
    const size_t back = a.here();
    cold([=, this, pending = pending_] {
      a.fill(late);
      a.mov(rdx, u32{kWsync});
      a.alu(kXor, rcx, rcx);
      time(r8, pending);
      call(&call_write_register);
      take_clock(pending);
      stop_check(next, pending);
      a.fill(a.jump(), back);
    });
  }

  void store_idle(const CodeEntry& e, u32 next) {
    const Hole late = past_limit();
    store_rarely({late}, e.lo, kA, next);
  }

  // --- branches ---

  // Conditions on flags that the instruction before left in the processor, where it did.
  void branch(const CodeEntry& e, FastOp op, bool nz_known, CarryFlag carry_known) {
    const u32 target = ip_ + static_cast<u32>(static_cast<i16>(e.arg));
    Cond taken = kEqual;
    std::function<void()> make_flags;
    bool known = false;
    switch (op) {
      case FastOp::Bne:
      case FastOp::Beq:
        taken = op == FastOp::Bne ? kNotEqual : kEqual;
        known = nz_known;
        make_flags = [this] { a.test8(kNz, kNz); };
        break;
      case FastOp::Bpl:
      case FastOp::Bmi:
        known = nz_known;
        if (known) {
          taken = op == FastOp::Bpl ? kNotNegative : kNegative;
          make_flags = [this] { a.test8(kNz, kNz); };
        } else {
          taken = op == FastOp::Bpl ? kEqual : kNotEqual;
          make_flags = [this] { a.test(kNz, 0x8080u); };
        }
        break;
      case FastOp::Bcc:
      case FastOp::Bcs:
        known = carry_known != kUnknown;
        taken = (op == FastOp::Bcs) == (carry_known == kStraight) ? x64::kBelow : kAboveEqual;
        make_flags = [this, carry_known] {
          a.alu8(kCmp, kCarry, u8{1});
          if (carry_known == kStraight) a.cmc();
        };
        break;
      default:
        taken = op == FastOp::Bvs ? kNotEqual : kEqual;
        make_flags = [this] { a.alu8(kCmp, kOverflow, u8{0}); };
        break;
    }
    if (!known) make_flags();
    const size_t condition = a.here();
    const Hole over = a.jump(!taken);
    go(target, e.extra, target <= ip_);
    a.fill(over);
    later(target);
    if (!known) return;
    // Who jumps here has not set the processor's flags. A Bmi after Bit has its sign elsewhere, so ask for both.
    cold([=, this, ip = ip_, sign = op == FastOp::Bpl || op == FastOp::Bmi] {
      places_[ip].code = a.here();
      if (sign) {
        a.mov(rax, kNz);
        a.shift(kShr, rax, 8);
        a.alu(kOr, rax, kNz);
        a.test8(rax, rax);
      } else {
        make_flags();
      }
      a.fill(a.jump(), condition);
    });
  }

  // --- instructions ---

  enum Operand : u32 { kImm, kConst, kZp, kZpIo, kAbs, kZpX, kZpY, kRomX, kRomY, kAbsX, kAbsY, kIndY };

  static u32 size_of(u32 kind) { return kind == kConst || kind == kAbs || (kind >= kRomX && kind <= kAbsY) ? 3 : 2; }

  // Translates one; returns the entry of the next, or kEnd where execution does not go on.
  u32 instruction(u32 ip);

  u32 slow() {
    leave(kSlow, ip_, before_);
    return kEnd;
  }

  Assembler a;
  const Rom& rom_;
  std::vector<Place> places_;
  std::vector<u32> waiting_;
  std::vector<Link> links_;
  std::deque<std::function<void()>> cold_;  // may grow while its members are called
  size_t enter_ = 0, leave_ = 0;
  u32 page_size_, pages_;
  bool dynamic_;        // which page is where is known only when executed
  u32 start_page_ = 0;  // page of the present instruction
  u32 ip_ = 0;          // the present instruction
  i32 before_ = 0;      // pending before it
  i32 pending_ = 0;     // and with it
  bool nz_known_ = false;
  CarryFlag carry_known_ = kUnknown;
};

u32 Translator::instruction(u32 ip) {
  const CodeEntry& e = rom_.code[ip];
  const FastOp op = static_cast<FastOp>(e.op);
  const bool nz_known = nz_known_;
  const CarryFlag carry_known = carry_known_;
  forget_flags();
  ip_ = ip;
  start_page_ = page_of(ip);
  places_[ip] = {a.here(), pending_, true};
  before_ = pending_;
  pending_ += e.cycles;
  const u32 next1 = ip + 1, next2 = ip + 2, next3 = ip + 3;

  const auto reading = [&](u32 kind, auto&& apply) {
    if (kind == kIndY && !pointer_in_ram(e)) return slow();
    read(e, kind);
    apply();
    return ip + size_of(kind);
  };

  // clang-format off: it takes the macros for statements
  switch (op) {
#define READ(Name, Kind, apply) \
  case FastOp::Name##Kind: return reading(k##Kind, [&] { apply; });
#define FIXED(Name, apply) \
  READ(Name, Imm, apply) READ(Name, Const, apply) READ(Name, Zp, apply) READ(Name, ZpIo, apply) READ(Name, Abs, apply)
#define ALL(Name, apply)  \
  FIXED(Name, apply)      \
  READ(Name, ZpX, apply)  \
  READ(Name, RomX, apply) \
  READ(Name, RomY, apply) READ(Name, AbsX, apply) READ(Name, AbsY, apply) READ(Name, IndY, apply)
    ALL(Lda, load(kA))
    ALL(Adc, arithmetic(true))
    ALL(Sbc, arithmetic(false))
    ALL(And, logic(kAnd))
    ALL(Ora, logic(kOr))
    ALL(Eor, logic(kXor))
    ALL(Cmp, compare(kA))
    FIXED(Ldx, load(kX))
    READ(Ldx, ZpY, load(kX)) READ(Ldx, RomY, load(kX)) READ(Ldx, AbsY, load(kX))
    FIXED(Ldy, load(kY))
    READ(Ldy, ZpX, load(kY)) READ(Ldy, RomX, load(kY)) READ(Ldy, AbsX, load(kY))
    FIXED(Cpx, compare(kX))
    FIXED(Cpy, compare(kY))
    FIXED(Bit, bit())
#undef ALL
#undef FIXED
#undef READ

#define STORES(Name, source)                                                                \
  case FastOp::Name##Zp: a.mov8(ram(e.lo), source); return next2;                           \
  case FastOp::Name##Level: store_level(e, source, next2); return next2;                    \
  case FastOp::Name##Tia: write_register_call(e.lo, source, next2, pending_); return next2; \
  case FastOp::Name##Colour: store_colour(e, source, next2); return next2;                  \
  case FastOp::Name##Motion: store_motion(e, source, next2); return next2;                  \
  case FastOp::Name##Graphics: store_graphics(e, source, next2); return next2;              \
  case FastOp::Name##Field: store_field(e, source, next2); return next2;                    \
  case FastOp::Name##Abs: store_absolute(e, source, next3); return next3;
    STORES(Sta, kA)
    STORES(Stx, kX)
    STORES(Sty, kY)
#undef STORES
#define STORE_INDEXED(Name, source, index) \
  case FastOp::Name:                       \
    zero_page_address(e, index);           \
    store_at_zero_page(source, next2);     \
    return next2;
    STORE_INDEXED(StaZpX, kA, kX)
    STORE_INDEXED(StyZpX, kY, kX)
    STORE_INDEXED(StxZpY, kX, kY)
#undef STORE_INDEXED
    case FastOp::StaAbsX:
    case FastOp::StaAbsY:
      a.lea(rax, {op == FastOp::StaAbsX ? kX : kY, e.arg});
      store_anywhere(next3);
      return next3;
    case FastOp::StaIndY:
      if (!pointer_in_ram(e)) return slow();
      a.movzx16(rax, ram(e.lo));
      a.alu(kAdd, rax, kY);
      store_anywhere(next2);
      return next2;
    case FastOp::Wsync: wait_for_line(e, next2); return next2;
    case FastOp::Idle: store_idle(e, next2); return next2;

#define MODIFY(Name, statement) \
  case FastOp::Name:            \
    a.movzx8(rax, ram(e.lo));   \
    statement;                  \
    a.mov8(ram(e.lo), rax);     \
    a.movzx8(kNz, rax);         \
    return next2;
      MODIFY(IncZp, (a.inc8(rax), nz_known_ = true))
      MODIFY(DecZp, (a.dec8(rax), nz_known_ = true))
      MODIFY(AslZp, shift(kShl, rax))
      MODIFY(LsrZp, shift(kShr, rax))
      MODIFY(RolZp, shift(kRcl, rax))
      MODIFY(RorZp, shift(kRcr, rax))
#undef MODIFY
    case FastOp::IncZpX:
    case FastOp::DecZpX:
      zero_page_address(e, kX);
      slow_if(kNotNegative);
      a.movzx8(kNz, ram(rax));
      if (op == FastOp::IncZpX)
        a.inc8(kNz);
      else
        a.dec8(kNz);
      a.mov8(ram(rax), kNz);
      nz_known_ = true;
      return next2;

#define SHIFT_A(Name, how) \
  case FastOp::Name:       \
    shift(how, kA);        \
    a.mov(kNz, kA);        \
    return next1;
      SHIFT_A(AslA, kShl)
      SHIFT_A(LsrA, kShr)
      SHIFT_A(RolA, kRcl)
      SHIFT_A(RorA, kRcr)
#undef SHIFT_A
#define MOVE(Name, to, from) \
  case FastOp::Name:         \
    a.mov(to, from);         \
    a.mov(kNz, from);        \
    return next1;
      MOVE(Tax, kX, kA)
      MOVE(Tay, kY, kA)
      MOVE(Txa, kA, kX)
      MOVE(Tya, kA, kY)
#undef MOVE
#define COUNT(Name, r, how) \
  case FastOp::Name:        \
    a.how(r);               \
    a.mov(kNz, r);          \
    nz_known_ = true;       \
    return next1;
      COUNT(Inx, kX, inc8)
      COUNT(Iny, kY, inc8)
      COUNT(Dex, kX, dec8)
      COUNT(Dey, kY, dec8)
#undef COUNT
    case FastOp::Tsx:
      a.movzx8(kX, kSp);
      a.mov(kNz, kX);
      return next1;
    case FastOp::Txs: a.mov8(kSp, kX); return next1;
#define FLAG(Name, field, value) \
  case FastOp::Name: a.mov8(cpu(offsetof(Cpu, field)), u8{value}); return next1;
      FLAG(Clc, carry, 0)
      FLAG(Sec, carry, 1)
      FLAG(Cld, decimal, 0)
      FLAG(Sed, decimal, 1)
      FLAG(Cli, interrupt, 0)
      FLAG(Sei, interrupt, 1)
      FLAG(Clv, overflow, 0)
#undef FLAG
    case FastOp::Nop: return next1;

    case FastOp::Pha: push(kA, next1); return next1;
    case FastOp::Php:
      a.mov16(cpu(offsetof(Cpu, nz)), kNz);
      a.lea64(rdi, {rbx, -kOrigin});
      a.call(reinterpret_cast<const void*>(&call_pack_flags));
      a.mov(r10, rax);
      push(r10, next1);
      return next1;
    case FastOp::Plp:
      pull();
      a.lea64(rdi, {rbx, -kOrigin});
      a.movzx8(rsi, ram(rax));
      a.call(reinterpret_cast<const void*>(&call_unpack_flags));
      a.movzx16(kNz, cpu(offsetof(Cpu, nz)));
      return next1;
    case FastOp::Pla:
      pull();
      a.movzx8(kA, ram(rax));
      a.mov(kNz, kA);
      return next1;
    case FastOp::Jsr:
      a.movzx8(rax, kSp);
      a.alu(kCmp, rax, 0x80);
      slow_if(kBelowEqual);
      a.mov(rcx, kPcOffset);
      a.alu(kAdd, rcx, static_cast<i32>(ip + 2));
      a.mov8(ram(rax, -1), rcx);
      a.shift(kShr, rcx, 8);
      a.mov8(ram(rax), rcx);
      a.alu(kSub, rax, 2);
      a.mov8(kSp, rax);
      a.mov8(kBus, e.hi);
      later(next3);
      jump_to(e.arg);
      return kEnd;
    case FastOp::Jmp:
      a.mov8(kBus, e.hi);
      jump_to(e.arg);
      return kEnd;
    case FastOp::JmpInd:
      a.movzx16(rax, ram(e.lo));
      a.test(rax, 0x1000u);
      slow_if(kEqual);
      a.mov(rcx, rax);
      a.shift(kShr, rcx, 8);
      a.mov8(kBus, rcx);
      a.alu(kAdd, kCycles, pending_);
      jump_dynamic();
      return kEnd;
    case FastOp::Rts:
      if (rom_.plain_size == 0) return slow();
      a.movzx8(rax, kSp);
      a.lea(rcx, {rax, -0x80});
      a.alu(kCmp, rcx, 0x7D);
      slow_if(kAbove);
      a.movzx16(rcx, ram(rax, 1));
      a.test(rcx, 0x1000u);
      slow_if(kEqual);
      a.mov(rdx, rcx);
      a.alu(kAnd, rdx, 0xFFF);  // the byte there is read
      a.alu(kCmp, rdx, 0xFFF);  // and the next may be elsewhere
      slow_if(kEqual);
      if (rom_.plain_begin != 0 || rom_.plain_size != 0x1000) {
        a.alu(kSub, rdx, i32{rom_.plain_begin});
        a.alu(kCmp, rdx, i32{rom_.plain_size});
        slow_if(kAboveEqual);
      }
      a.alu(kAdd, rax, 2);
      a.mov8(kSp, rax);
      a.lea(rax, {rcx, 1});
      a.alu(kAdd, kCycles, pending_);
      jump_dynamic();
      return kEnd;

    case FastOp::Bpl:
    case FastOp::Bmi:
    case FastOp::Bvc:
    case FastOp::Bvs:
    case FastOp::Bcc:
    case FastOp::Bcs:
    case FastOp::Bne:
    case FastOp::Beq: branch(e, op, nz_known, carry_known); return next2;

#define WAIT(Name, to)    \
  case FastOp::Name:      \
    a.mov(rdx, ip);       \
    time(rcx, pending_);  \
    call(&call_wait);     \
    take_clock(pending_); \
    load(to);             \
    return next3;
      WAIT(WaitTimerA, kA)
      WAIT(WaitTimerX, kX)
      WAIT(WaitTimerY, kY)
#undef WAIT
    case FastOp::DexLoop:
    case FastOp::DeyLoop: {
      const Reg counter = op == FastOp::DexLoop ? kX : kY;
      a.mov(rdx, ip);
      a.mov(rcx, counter);
      time(r8, pending_);
      call(&call_count);
      take_clock(pending_);
      load(counter);
      return next3;
    }
    default: return slow();
  }
  // clang-format on
}

// Machine code in memory of its own.
class NativeCode {
 public:
  explicit NativeCode(Translator& translator) {
    const std::vector<u8> code = translator.translate();
    enter_ = translator.enter_at();
    size_ = code.size();
    void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    std::memcpy(memory, code.data(), size_);
    base_ = static_cast<u8*>(memory);
    if (mprotect(memory, size_, PROT_READ | PROT_EXEC) == 0) return;
    munmap(memory, size_);
    base_ = nullptr;
  }
  NativeCode(const NativeCode&) = delete;
  ~NativeCode() {
    if (base_ != nullptr) munmap(base_, size_);
  }

  bool usable() const { return base_ != nullptr; }

  Stop run(Console& c, const Rom& rom, i32 cycle_limit, u32 ip, u32 pc_offset) const {
    using Enter = u32 (*)(Console*, const Rom*, i32, u32, const u8*);
    Enter enter;
    const u8* start = base_ + enter_;
    std::memcpy(&enter, &start, sizeof enter);
    u32 entry;
    std::memcpy(&entry, base_ + Translator::kTable + 4 * ip, 4);
    return static_cast<Stop>(enter(&c, &rom, cycle_limit, pc_offset, base_ + entry));
  }

 private:
  u8* base_ = nullptr;
  size_t size_ = 0, enter_ = 0;
};

bool wanted() {
  const char* value = std::getenv("ENVPOOL_ATARI_NATIVE");
  return value == nullptr || std::string_view(value) != "0";
}

}  // namespace

std::shared_ptr<const void> compile_rom(Rom& rom) {
  if (!wanted()) return nullptr;
  Translator translator(rom);
  auto code = std::make_shared<NativeCode>(translator);
  if (!code->usable()) return nullptr;
  rom.native = code.get();
  return code;
}

bool run_native(Console& c, const Rom& rom, i32 cycle_limit) {
  const NativeCode& code = *static_cast<const NativeCode*>(rom.native);
  for (;;) {
    FastCpu r;
    locate(c, rom, r, c.cpu.pc);
    const Stop why = code.run(c, rom, cycle_limit, r.ip, r.pc_offset);
    if (why == kLimit) return false;
    if (why == kDone) return c.cycles <= cycle_limit;
    step_exact(c, rom);
    if (c.stop || c.cpu.jammed) return c.cycles <= cycle_limit;
    if (c.cycles > cycle_limit) return false;
  }
}

}  // namespace envpool::atari

#else

namespace envpool::atari {

std::shared_ptr<const void> compile_rom(Rom&) { return nullptr; }
bool run_native(Console& c, const Rom& rom, i32 cycle_limit) { return run_fast(c, rom, cycle_limit); }

}  // namespace envpool::atari

#endif
