// SPDX-License-Identifier: Apache-2.0
//
// Translates a whole ROM, instruction by instruction (see native_base.h), and holds the code in executable memory.
#include "envpool/atari/console/native.h"

#include "envpool/atari/console/console.h"

#if defined(__x86_64__) || (defined(__aarch64__) && !defined(_WIN32))
#include "envpool/atari/console/native_banks.h"
#include "envpool/core/system/system.h"

namespace envpool::atari {
namespace native {

class Translator : public BankEmitter {
 public:
  using BankEmitter::BankEmitter;

  // Code that is reachable from the reset vectors comes first, for locality; all other entries follow, because an
  // indirect jump may lead to any of them. Returns nothing if a distance does not fit an instruction.
  std::vector<u8> translate() {
    emit_entry_and_exit();
    for (u32 page = 0; page < pages_; ++page) {
      const u8* vector = rom_.data + (page + 1) * page_size_ - 4;
      start_page_ = page;
      enqueue(static_target(static_cast<u16>(vector[0] | vector[1] << 8)));
    }
    translate_queue();
    for (u32 i = 0; i < pages_ * (page_size_ + kPagePad); ++i) {
      enqueue(i);
      translate_queue();
    }
    enqueue(kOutside);
    translate_queue();
    write_cold();
    write_entry_table();
    for (const Link& link : links_) {
      const Translation& to = translations_[link.target];
      a.patch_addition(link.adjust, link.pending - to.pending);
      a.patch(link.jump, to.code);
    }
    if (!a.valid()) return {};
    return std::move(a.code);
  }

 private:
  void translate_queue() {
    while (!queue_.empty()) {
      u32 ip = queue_.back();
      queue_.pop_back();
      if (translations_[ip].done) continue;
      pending_ = 0;
      forget_flags();
      while (ip != kEnd) {
        if (translations_[ip].done) {
          jump_to_entry(ip, 0);
          break;
        }
        ip = instruction(ip);
        if (pending_ > kMaxPending) add_pending();
      }
      if (a.here() - cold_from_ > kMaxCold) write_cold();
    }
  }

  // Translates one instruction; returns the entry of the next one, or kEnd if execution does not continue after it.
  u32 instruction(u32 ip);
};

u32 Translator::instruction(u32 ip) {
  const CodeEntry& e = rom_.code[ip];
  const FastOp op = static_cast<FastOp>(e.op);
  const bool nz_known = nz_known_;
  const CarryFlag carry_known = carry_known_;
  forget_flags();
  ip_ = ip;
  start_page_ = page_of(ip);
  translations_[ip] = {a.here(), pending_, true};
  before_ = pending_;
  pending_ += e.cycles;
  const u32 next1 = ip + 1, next2 = ip + 2, next3 = ip + 3;

  const auto reading = [&](u32 kind, auto&& apply) {
    if (kind == kIndY && !pointer_in_ram(e)) return exit_to_exact_cpu();
    with_operand(e, kind, apply);
    return ip + size_of(kind);
  };
  const auto loading = [&](u32 kind, Reg to) {
    if (kind == kIndY && !pointer_in_ram(e)) return exit_to_exact_cpu();
    read(e, kind, to);
    loaded(to);
    return ip + size_of(kind);
  };

  // clang-format off: it would format the macros as statements
  switch (op) {
#define READ(Name, Kind, ...) \
  case FastOp::Name##Kind: return reading(k##Kind, [&](auto operand) { __VA_ARGS__; });
#define LOAD(Name, Kind, to) \
  case FastOp::Name##Kind: return loading(k##Kind, to);
#define FIXED(Do, Name, ...)                                                                          \
  Do(Name, Imm, __VA_ARGS__) Do(Name, Const, __VA_ARGS__) Do(Name, Zp, __VA_ARGS__) Do(Name, ZpIo, __VA_ARGS__) \
  Do(Name, Abs, __VA_ARGS__)
#define ALL(Do, Name, ...)                                                                              \
  FIXED(Do, Name, __VA_ARGS__)                                                                          \
  Do(Name, ZpX, __VA_ARGS__) Do(Name, RomX, __VA_ARGS__) Do(Name, RomY, __VA_ARGS__)                    \
  Do(Name, AbsX, __VA_ARGS__) Do(Name, AbsY, __VA_ARGS__) Do(Name, IndX, __VA_ARGS__) Do(Name, IndY, __VA_ARGS__)
    ALL(LOAD, Lda, kA)
    ALL(READ, Adc, arithmetic(Arithmetic::kAdd, operand))
    ALL(READ, Sbc, arithmetic(Arithmetic::kSubtract, operand))
    ALL(READ, And, logic(kAnd, operand))
    ALL(READ, Ora, logic(kOr, operand))
    ALL(READ, Eor, logic(kXor, operand))
    ALL(READ, Cmp, compare(kA, operand))
    FIXED(LOAD, Ldx, kX)
    LOAD(Ldx, ZpY, kX) LOAD(Ldx, RomY, kX) LOAD(Ldx, AbsY, kX)
    FIXED(LOAD, Ldy, kY)
    LOAD(Ldy, ZpX, kY) LOAD(Ldy, RomX, kY) LOAD(Ldy, AbsX, kY)
    FIXED(READ, Cpx, compare(kX, operand))
    FIXED(READ, Cpy, compare(kY, operand))
    FIXED(READ, Bit, a.bit(operand))
#undef ALL
#undef FIXED
#undef LOAD
#undef READ

#define STORES(Name, source)                                                                \
  case FastOp::Name##Zp: a.mov8(ram(e.lo), source); return next2;                           \
  case FastOp::Name##Level: store_level(e, source, next2); return next2;                    \
  case FastOp::Name##Tia: store_chip(e, source, next2); return next2;                      \
  case FastOp::Name##Colour: store_colour(e, source, next2); return next2;                  \
  case FastOp::Name##Motion: store_motion(e, source, next2); return next2;                  \
  case FastOp::Name##Graphics: store_graphics(e, source, next2); return next2;              \
  case FastOp::Name##Field: store_level(e, source, next2); return next2;                    \
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
      a.lea(kValue, {op == FastOp::StaAbsX ? kX : kY, e.arg});
      store_anywhere(next3);
      return next3;
    case FastOp::StaIndY:
      if (!pointer_in_ram(e)) return exit_to_exact_cpu();
      a.movzx16(kValue, ram(e.lo));
      a.alu(kAdd, kValue, kY);
      store_anywhere(next2);
      return next2;
    case FastOp::Wsync: wait_for_line(next2); return next2;
    case FastOp::Ignored: store_ignored(e, next2); return next2;

#define MODIFY(Name, statement) \
  case FastOp::Name:            \
    a.movzx8(kValue, ram(e.lo));   \
    statement;                  \
    a.mov8(ram(e.lo), kValue);     \
    a.movzx8(kNz, kValue);         \
    return next2;
      MODIFY(IncZp, (a.inc8(kValue), nz_known_ = true))
      MODIFY(DecZp, (a.dec8(kValue), nz_known_ = true))
      MODIFY(AslZp, (a.shift_left(kValue), shifted()))
      MODIFY(LsrZp, (a.shift_right(kValue), shifted()))
      MODIFY(RolZp, (a.rotate_left(kValue), rotated()))
      MODIFY(RorZp, (a.rotate_right(kValue), rotated()))
#undef MODIFY
#define MODIFY_INDEXED(Name, statement) \
  case FastOp::Name:                    \
    zero_page_address_in_ram(e, kX);    \
    a.mov(kPushed, kValue);             \
    a.movzx8(kValue, ram(kPushed));     \
    statement;                          \
    a.mov8(ram(kPushed), kValue);       \
    a.movzx8(kNz, kValue);              \
    return next2;
      MODIFY_INDEXED(IncZpX, (a.inc8(kValue), nz_known_ = true))
      MODIFY_INDEXED(DecZpX, (a.dec8(kValue), nz_known_ = true))
      MODIFY_INDEXED(AslZpX, (a.shift_left(kValue), shifted()))
      MODIFY_INDEXED(LsrZpX, (a.shift_right(kValue), shifted()))
      MODIFY_INDEXED(RolZpX, (a.rotate_left(kValue), rotated()))
      MODIFY_INDEXED(RorZpX, (a.rotate_right(kValue), rotated()))
#undef MODIFY_INDEXED
    case FastOp::IncAbs:
    case FastOp::DecAbs:
      a.movzx8(kNz, ram(e.lo));
      op == FastOp::IncAbs ? a.inc8(kNz) : a.dec8(kNz);
      a.mov8(ram(e.lo), kNz);
      nz_known_ = true;
      return next3;
    case FastOp::IncIo:
    case FastOp::DecIo:
      read_chip_at(e.lo, e.lo, kValue);
      op == FastOp::IncIo ? a.inc8(kValue) : a.dec8(kValue);
      a.movzx8(kNz, kValue);
      store_absolute(e, kNz, next2);
      return next2;

#define SHIFT_A(Name, how, known) \
  case FastOp::Name:              \
    a.how(kA);                    \
    known();                      \
    a.mov(kNz, kA);               \
    return next1;
      SHIFT_A(AslA, shift_left, shifted)
      SHIFT_A(LsrA, shift_right, shifted)
      SHIFT_A(RolA, rotate_left, rotated)
      SHIFT_A(RorA, rotate_right, rotated)
#undef SHIFT_A
#define MOVE(Name, to, from)         \
  case FastOp::Name:                 \
    a.mov(to, from);                 \
    a.mov(kNz, from);                \
    nz_known_ = kNzKnownAfterMove;   \
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
      nz_known_ = kNzKnownAfterMove;
      return next1;
    case FastOp::Txs: a.mov8(kSp, kX); return next1;
    case FastOp::Clc: a.set_carry(0); return next1;
    case FastOp::Sec: a.set_carry(1); return next1;
#define FLAG(Name, field, value) \
  case FastOp::Name: a.mov8(cpu(offsetof(Cpu, field)), u8{value}); return next1;
      FLAG(Cld, decimal, 0)
      FLAG(Sed, decimal, 1)
      FLAG(Cli, interrupt, 0)
      FLAG(Sei, interrupt, 1)
      FLAG(Clv, overflow, 0)
#undef FLAG
    case FastOp::Nop: return next1;

    case FastOp::Pha: push(kA, next1); return next1;
    case FastOp::Php:
      pack_flags();
      a.mov(kPushed, kValue);
      push(kPushed, next1);
      return next1;
    case FastOp::Plp:
      pull(0x28);
      unpack_flags();
      return next1;
    case FastOp::Pla:
      pull(0x68);
      a.mov(kA, kValue);
      a.mov(kNz, kA);
      nz_known_ = kNzKnownAfterMove;
      return next1;
    case FastOp::Jsr:
      a.movzx8(kValue, kSp);
      a.alu(kCmp, kValue, 0x80);
      exact_cpu_if(kBelowEqual);
      a.mov(kTemp, kPcOffset);
      a.alu(kAdd, kTemp, static_cast<i32>(ip + 2));
      a.mov8(ram(kValue, -1), kTemp);
      a.shift(kShr, kTemp, 8);
      a.mov8(ram(kValue), kTemp);
      a.alu(kSub, kValue, 2);
      a.mov8(kSp, kValue);
      a.mov8(kBus, e.hi);
      enqueue(next3);
      jump_to_pc(e.arg);
      return kEnd;
    case FastOp::Brk:
      a.movzx8(kValue, kSp);
      a.alu(kCmp, kValue, 0x81);
      exact_cpu_if(kBelowEqual);
      a.mov(kTemp, kPcOffset);
      a.alu(kAdd, kTemp, static_cast<i32>(next2));
      a.mov8(ram(kValue, -1), kTemp);
      a.shift(kShr, kTemp, 8);
      a.mov8(ram(kValue), kTemp);
      pack_flags();
      a.movzx8(kTemp, kSp);
      a.mov8(ram(kTemp, -2), kValue);
      a.alu(kSub, kTemp, 3);
      a.mov8(kSp, kTemp);
      a.mov8(cpu(offsetof(Cpu, interrupt)), u8{1});
      a.mov8(kBus, e.hi);
      enqueue(next2);
      jump_to_pc(e.arg);
      return kEnd;
    case FastOp::Rti:
      a.movzx8(kValue, kSp);
      a.lea(kTemp, {kValue, -0x80});
      a.alu(kCmp, kTemp, 0x7C);
      exact_cpu_if(kAbove);
      a.movzx16(kTemp, ram(kValue, 2));
      a.test(kTemp, 0x1000u);
      exact_cpu_if(kEqual);
      a.shift(kShr, kTemp, 8);
      a.mov8(kBus, kTemp);
      a.movzx8(kTemp, ram(kValue, 1));
      a.alu(kAdd, kValue, 3);
      a.mov8(kSp, kValue);
      a.mov(kValue, kTemp);
      unpack_flags();
      a.movzx8(kTemp, kSp);
      a.movzx16(kValue, ram(kTemp, -1));
      a.alu(kAdd, kCycles, pending_);
      jump_dynamic();
      return kEnd;
    case FastOp::Jmp:
      a.mov8(kBus, e.hi);
      jump_to_pc(e.arg);
      return kEnd;
    case FastOp::JmpInd:
      a.movzx16(kValue, ram(e.lo));
      a.test(kValue, 0x1000u);
      exact_cpu_if(kEqual);
      a.mov(kTemp, kValue);
      a.shift(kShr, kTemp, 8);
      a.mov8(kBus, kTemp);
      a.alu(kAdd, kCycles, pending_);
      jump_dynamic();
      return kEnd;
    case FastOp::Rts:
      if (rom_.plain_size == 0) return exit_to_exact_cpu();
      a.movzx8(kValue, kSp);
      a.lea(kTemp, {kValue, -0x80});
      a.alu(kCmp, kTemp, 0x7D);
      exact_cpu_if(kAbove);
      a.movzx16(kTemp, ram(kValue, 1));
      a.test(kTemp, 0x1000u);
      exact_cpu_if(kEqual);
      a.mov(kTemp2, kTemp);
      a.alu(kAnd, kTemp2, 0xFFF);  // RTS reads the byte at this address
      a.alu(kCmp, kTemp2, 0xFFF);  // the byte after it may be outside the cartridge
      exact_cpu_if(kEqual);
      if (rom_.plain_begin != 0 || rom_.plain_size != 0x1000) {
        a.alu(kSub, kTemp2, i32{rom_.plain_begin});
        a.alu(kCmp, kTemp2, i32{rom_.plain_size});
        exact_cpu_if(kAboveEqual);
      }
      a.alu(kAdd, kValue, 2);
      a.mov8(kSp, kValue);
      a.lea(kValue, {kTemp, 1});
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

#define WAIT(Name, apply)          \
  case FastOp::Name:               \
    a.mov(kArg2, ip);              \
    load_cycles(kArg3, pending_);  \
    call(&call_wait);              \
    reload_cycles(pending_);       \
    apply;                         \
    return next3;
      WAIT(WaitTimerA, (move_result(kA), loaded(kA)))
      WAIT(WaitTimerX, (move_result(kX), loaded(kX)))
      WAIT(WaitTimerY, (move_result(kY), loaded(kY)))
      WAIT(WaitTimerBit, a.bit(kValue))
#undef WAIT
    case FastOp::DexLoop:
    case FastOp::DeyLoop: {
      const Reg counter = op == FastOp::DexLoop ? kX : kY;
      a.mov(kArg2, ip);
      a.mov(kArg3, counter);
      load_cycles(kArg4, pending_);
      call(&call_count);
      reload_cycles(pending_);
      move_result(counter);
      loaded(counter);
      return next3;
    }
    default: return rare_instruction(ip);
  }
  // clang-format on
}

// Owns the executable memory of the machine code.
class NativeCode {
 public:
  explicit NativeCode(Translator& translator) {
    const std::vector<u8> code = translator.translate();
    if (code.empty()) return;
    entry_offset_ = translator.entry_offset();
    size_ = code.size();
    base_ = map_code(code.data(), size_);
  }
  NativeCode(const NativeCode&) = delete;
  ~NativeCode() {
    if (base_ != nullptr) free_code(base_, size_);
  }

  bool usable() const { return base_ != nullptr; }

  ExitReason run(Console& c, const Rom& rom, i32 cycle_limit, u32 ip, u32 pc_offset) const {
    using Enter = u32(ENVPOOL_NATIVE_ABI*)(Console*, const Rom*, i32, u32, const u8*);
    Enter enter;
    const u8* start = base_ + entry_offset_;
    std::memcpy(&enter, &start, sizeof enter);
    u32 entry;
    std::memcpy(&entry, base_ + Translator::kEntryTable + 4 * ip, 4);
    return static_cast<ExitReason>(enter(&c, &rom, cycle_limit, pc_offset, base_ + entry));
  }

 private:
  const u8* base_ = nullptr;
  size_t size_ = 0, entry_offset_ = 0;
};

static bool native_enabled() { return environment_variable("ENVPOOL_ATARI_NATIVE") != "0"; }

}  // namespace native

std::shared_ptr<const void> compile_rom(const Rom& rom) {
  if (!native::native_enabled()) return nullptr;
  native::Translator translator(rom);
  auto code = std::make_shared<native::NativeCode>(translator);
  if (!code->usable()) return nullptr;
  return code;
}

bool run_native(Console& c, const Rom& rom, const void* native, i32 cycle_limit) {
  const native::NativeCode& code = *static_cast<const native::NativeCode*>(native);
  for (;;) {
    FastCpu r;
    locate(c, rom, r, c.cpu.pc);
    const native::ExitReason why = code.run(c, rom, cycle_limit, r.ip, r.pc_offset);
    if (why == native::kCycleLimitHit) return false;
    if (why == native::kFrameDone) return c.cycles <= cycle_limit;
    step_exact(c, rom);
    if (c.stop || c.cpu.jammed) return c.cycles <= cycle_limit;
    if (c.cycles > cycle_limit) return false;
  }
}

}  // namespace envpool::atari

#else

namespace envpool::atari {

std::shared_ptr<const void> compile_rom(const Rom&) { return nullptr; }
bool run_native(Console& c, const Rom& rom, const void*, i32 cycle_limit) { return run_fast(c, rom, cycle_limit); }

}  // namespace envpool::atari

#endif
