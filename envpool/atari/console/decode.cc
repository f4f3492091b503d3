// SPDX-License-Identifier: Apache-2.0
#include "envpool/atari/console/decode.h"

#include "envpool/atari/console/fast_ops.h"
#include "envpool/atari/console/opcodes.h"
#include "envpool/atari/console/tia.h"

namespace envpool::atari {
namespace {

CodeEntry entry(FastOp op, u32 cycles = 0) { return {static_cast<u8>(op), static_cast<u8>(cycles), 0, 0, 0, 0}; }
constexpr u32 kNoData = ~0u;

u32 length(Mode mode) {
  switch (mode) {
    case Mode::Imp: return 1;
    case Mode::Abs:
    case Mode::AbsX:
    case Mode::AbsY: return 3;
    default: return 2;
  }
}

// Holds the FastOp of a reading instruction for each operand kind.
struct Variants {
  FastOp imm, constant, zp, zp_io, abs, zp_index, rom_x, rom_y, abs_x, abs_y, ind_x, ind_y;
};

Variants variants(Operation operation) {
  switch (operation) {
#define ALU(op)                                                                      \
  case Operation::op:                                                                \
    return {FastOp::op##Imm,  FastOp::op##Const, FastOp::op##Zp,   FastOp::op##ZpIo, \
            FastOp::op##Abs,  FastOp::op##ZpX,   FastOp::op##RomX, FastOp::op##RomY, \
            FastOp::op##AbsX, FastOp::op##AbsY,  FastOp::op##IndX, FastOp::op##IndY};
    ENVPOOL_ATARI_ALU_OPS(ALU)
#undef ALU
#define FIXED(op) FastOp::op##Imm, FastOp::op##Const, FastOp::op##Zp, FastOp::op##ZpIo, FastOp::op##Abs
    case Operation::Ldx:
      return {FIXED(Ldx),   FastOp::LdxZpY,  FastOp::Slow, FastOp::LdxRomY,
              FastOp::Slow, FastOp::LdxAbsY, FastOp::Slow, FastOp::Slow};
    case Operation::Ldy:
      return {FIXED(Ldy),      FastOp::LdyZpX, FastOp::LdyRomX, FastOp::Slow,
              FastOp::LdyAbsX, FastOp::Slow,   FastOp::Slow,    FastOp::Slow};
    case Operation::Cpx:
      return {FIXED(Cpx),   FastOp::Slow, FastOp::Slow, FastOp::Slow,
              FastOp::Slow, FastOp::Slow, FastOp::Slow, FastOp::Slow};
    case Operation::Cpy:
      return {FIXED(Cpy),   FastOp::Slow, FastOp::Slow, FastOp::Slow,
              FastOp::Slow, FastOp::Slow, FastOp::Slow, FastOp::Slow};
    default:
      return {FIXED(Bit),   FastOp::Slow, FastOp::Slow, FastOp::Slow,
              FastOp::Slow, FastOp::Slow, FastOp::Slow, FastOp::Slow};
#undef FIXED
  }
}

FastOp implied(Operation operation) {
  switch (operation) {
    // clang-format off
#define SAME(op) case Operation::op: return FastOp::op;
    SAME(AslA) SAME(LsrA) SAME(RolA) SAME(RorA) SAME(Tax) SAME(Tay) SAME(Txa) SAME(Tya) SAME(Tsx) SAME(Txs)
    SAME(Inx) SAME(Iny) SAME(Dex) SAME(Dey) SAME(Clc) SAME(Sec) SAME(Cld) SAME(Sed) SAME(Cli) SAME(Sei)
    SAME(Clv) SAME(Nop) SAME(Pha) SAME(Php) SAME(Pla) SAME(Plp) SAME(Rts)
    SAME(Rti)
#undef SAME
        // clang-format on
        default : return FastOp::Slow;
  }
}

FastOp branch_op(Operation operation) {
  switch (operation) {
    case Operation::Bpl: return FastOp::Bpl;
    case Operation::Bmi: return FastOp::Bmi;
    case Operation::Bvc: return FastOp::Bvc;
    case Operation::Bvs: return FastOp::Bvs;
    case Operation::Bcc: return FastOp::Bcc;
    case Operation::Bcs: return FastOp::Bcs;
    case Operation::Bne: return FastOp::Bne;
    default: return FastOp::Beq;
  }
}

// Decodes one page, which is a bank of 4 KB or, for the E0 mapper, a slice of 1 KB.
class PageDecoder {
 public:
  PageDecoder(const Rom& rom, u32 page_start, u32 page_size)
      : rom_(rom), bytes_(rom.data + page_start), start_(page_start), size_(page_size) {}

  CodeEntry decode(u32 at) const {
    const u8 opcode = bytes_[at];
    const OpcodeInfo info = opcode_info(opcode);
    const bool jump =
        info.operation == Operation::Jmp || info.operation == Operation::JmpInd || info.operation == Operation::Jsr;
    const u32 size = jump ? 3 : length(info.mode);
    // At the end of a slice, the entries that follow it lead to the slice that is mapped behind it.
    const u32 end = rom_.mapper == kE0 ? size_ + 1 : size_;
    if (at + size >= end || !plain_code(at, size)) return entry(FastOp::Slow);
    CodeEntry e = entry(FastOp::Slow, opcode_cycles(opcode));
    if (size > 1) e.lo = bytes_[at + 1];
    if (size > 2) e.hi = bytes_[at + 2];
    e.arg = static_cast<u16>(e.lo | e.hi << 8);
    e.op = static_cast<u8>(choose(e, at, info));
    return e.op == static_cast<u8>(FastOp::Slow) ? entry(FastOp::Slow) : e;
  }

 private:
  bool plain_code(u32 at, u32 size) const {
    if (rom_.mapper == kFE) return true;
    const u32 offset = rom_.mapper == kE0 && start_ == 7 * 1024 ? 0xC00 + at : at;
    return offset - rom_.plain_begin < rom_.plain_size && offset + size - 1 - rom_.plain_begin < rom_.plain_size;
  }

  // If code in this page always reads the same byte at a cartridge address, without side effects, returns the index of
  // that byte in Rom::data. Otherwise returns kNoData.
  u32 constant_data(u16 address) const {
    if ((address & 0x1000) == 0) return kNoData;
    const u32 offset = address & 0xFFF;
    if (rom_.mapper == kFE) return (address & 0x2000 ? 0 : 4096) + offset;
    if (offset - rom_.plain_begin >= rom_.plain_size) return kNoData;
    if (rom_.mapper == kE0) return offset >= 0xC00 ? 7 * 1024 + (offset & 0x3FF) : kNoData;
    return start_ + offset;
  }

  // Returns whether an access to this fixed address may switch banks, directly or through a cartridge register.
  bool can_switch(u16 address) const {
    const u32 offset = address & 0xFFF;
    return (address & 0x1000) && rom_.mapper != kFE && offset >= 0x100 && offset - rom_.plain_begin >= rom_.plain_size;
  }

  FastOp choose(CodeEntry& e, u32 at, OpcodeInfo info) const {
    using enum Operation;
    switch (info.operation) {
      case Lda:
      case Adc:
      case Sbc:
      case And:
      case Ora:
      case Eor:
      case Cmp:
      case Ldx:
      case Ldy:
      case Cpx:
      case Cpy:
      case Bit: return choose_read(e, at, info);
      case Sta:
      case Stx:
      case Sty: return choose_store(e, info);
      case Inc:
      case Dec:
      case Asl:
      case Lsr:
      case Rol:
      case Ror: return choose_modify(e, info);
      case Jmp: return FastOp::Jmp;
      case JmpInd: return choose_indirect_jump(e);
      case Jsr: return FastOp::Jsr;
      case Brk: return choose_break(e, at);
      case Nop: return info.mode == Mode::Imp ? FastOp::Nop : FastOp::Slow;
      default: break;
    }
    if (info.mode == Mode::Rel) return choose_branch(e, at, info);
    if (info.mode != Mode::Imp) return FastOp::Slow;
    const u32 counter_loop = loop_branch(at + 1) == kLoopBmi ? 0 : loop_back(at, 1);
    if (info.operation == Dex && counter_loop) return with_loop(e, counter_loop, FastOp::DexLoop, at + 1);
    if (info.operation == Dey && counter_loop) return with_loop(e, counter_loop, FastOp::DeyLoop, at + 1);
    return implied(info.operation);
  }

  FastOp choose_read(CodeEntry& e, u32 at, OpcodeInfo info) const {
    const Variants v = variants(info.operation);
    const u16 address = e.arg;
    switch (info.mode) {
      case Mode::Imm: return v.imm;
      case Mode::Zp:
        if (e.lo < 0x80) return v.zp_io;
        e.lo &= 0x7F;
        return v.zp;
      case Mode::ZpX:
      case Mode::ZpY: return v.zp_index;
      case Mode::Abs: {
        if (const u32 data = constant_data(address); data != kNoData) {
          e.lo = rom_.data[data];
          return v.constant;
        }
        if (const FastOp wait = timer_loop(e, at, info.operation); wait != FastOp::Slow) return wait;
        return can_switch(address) ? FastOp::Slow : v.abs;
      }
      case Mode::AbsX: return table_in_rom(e) ? v.rom_x : v.abs_x;
      case Mode::AbsY: return table_in_rom(e) ? v.rom_y : v.abs_y;
      case Mode::IndX: return v.ind_x;
      case Mode::IndY: return v.ind_y;
      default: return FastOp::Slow;
    }
  }

  // Returns whether all 256 bytes that an indexed read can reach are constant. If so, sets `arg` to the index of the
  // first one in Rom::data.
  bool table_in_rom(CodeEntry& e) const {
    const u32 first = constant_data(e.arg), last = constant_data(static_cast<u16>(e.arg + 255));
    if (first == kNoData || last != first + 255) return false;
    e.arg = static_cast<u16>(first);
    return true;
  }

  FastOp choose_store(CodeEntry& e, OpcodeInfo info) const {
    using enum FastOp;
    const u32 source = info.operation == Operation::Sta ? 0 : info.operation == Operation::Stx ? 1 : 2;
    static constexpr FastOp kZp[3] = {StaZp, StxZp, StyZp}, kLevel[3] = {StaLevel, StxLevel, StyLevel};
    static constexpr FastOp kTia[3] = {StaTia, StxTia, StyTia}, kAbs[3] = {StaAbs, StxAbs, StyAbs};
    static constexpr FastOp kColour[3] = {StaColour, StxColour, StyColour};
    static constexpr FastOp kMotion[3] = {StaMotion, StxMotion, StyMotion};
    static constexpr FastOp kGraphics[3] = {StaGraphics, StxGraphics, StyGraphics};
    static constexpr FastOp kField[3] = {StaField, StxField, StyField};
    switch (info.mode) {
      case Mode::Zp: {
        if (e.lo >= 0x80) {
          e.lo &= 0x7F;
          return kZp[source];
        }
        e.lo &= 0x3F;
        if (e.lo == kWsync) return Wsync;
        if (e.lo >= kColup0 && e.lo <= kColubk) return kColour[source];
        if (e.lo >= kHmp0 && e.lo <= kHmbl && e.lo != kHmm0) return kMotion[source];
        if (e.lo == kGrp0 || e.lo == kGrp1) return kGraphics[source];
        if (e.lo >= kPf0 && e.lo <= kPf2) return kField[source];
        if (is_level_register(e.lo)) return kLevel[source];
        return is_ignored_register(e.lo) ? Ignored : kTia[source];
      }
      case Mode::Abs: return can_switch(e.arg) ? Slow : kAbs[source];
      case Mode::ZpX: return source == 0 ? StaZpX : StyZpX;
      case Mode::ZpY: return StxZpY;
      case Mode::AbsX: return StaAbsX;
      case Mode::AbsY: return StaAbsY;
      case Mode::IndY: return StaIndY;
      default: return Slow;
    }
  }

  FastOp choose_modify(CodeEntry& e, OpcodeInfo info) const {
    const bool increments = info.operation == Operation::Inc, decrements = info.operation == Operation::Dec;
    const bool zero_page = info.mode == Mode::Zp, indexed = info.mode == Mode::ZpX;
    if (info.mode == Mode::Abs && is_ram(e.arg) && (increments || decrements)) {
      e.lo &= 0x7F;
      return increments ? FastOp::IncAbs : FastOp::DecAbs;
    }
    if (zero_page && e.lo < 0x80 && (e.lo & 0x3F) > kWsync && (increments || decrements)) {
      return increments ? FastOp::IncIo : FastOp::DecIo;
    }
    if (!indexed && (!zero_page || e.lo < 0x80)) return FastOp::Slow;
    if (!indexed) e.lo &= 0x7F;
    switch (info.operation) {
      case Operation::Inc: return indexed ? FastOp::IncZpX : FastOp::IncZp;
      case Operation::Dec: return indexed ? FastOp::DecZpX : FastOp::DecZp;
      case Operation::Asl: return indexed ? FastOp::AslZpX : FastOp::AslZp;
      case Operation::Lsr: return indexed ? FastOp::LsrZpX : FastOp::LsrZp;
      case Operation::Rol: return indexed ? FastOp::RolZpX : FastOp::RolZp;
      default: return indexed ? FastOp::RorZpX : FastOp::RorZp;
    }
  }

  // Decodes a BRK whose vector is constant. Sets `arg` to the vector, and `hi` to its high byte.
  FastOp choose_break(CodeEntry& e, u32 at) const {
    const u32 low = constant_data(0xFFFE), high = constant_data(0xFFFF);
    if (low == kNoData || high == kNoData || !plain_code(at, 2) || at + 2 >= size_) return FastOp::Slow;
    e.lo = rom_.data[low];
    e.hi = rom_.data[high];
    e.arg = static_cast<u16>(e.lo | e.hi << 8);
    return FastOp::Brk;
  }

  // Decodes a jump through a pointer in RAM, or through a constant pointer in ROM, which becomes a direct jump.
  FastOp choose_indirect_jump(CodeEntry& e) const {
    if (e.lo == 0xFF) return FastOp::Slow;
    if (e.hi == 0 && e.lo >= 0x80) {
      e.lo &= 0x7F;
      return FastOp::JmpInd;
    }
    const u32 low = constant_data(e.arg), high = constant_data(static_cast<u16>(e.arg + 1));
    if (low == kNoData || high == kNoData || rom_.mapper == kFE) return FastOp::Slow;
    e.lo = rom_.data[low];
    e.hi = rom_.data[high];
    e.arg = static_cast<u16>(e.lo | e.hi << 8);
    return FastOp::Jmp;
  }

  // Decodes a branch within the page. Sets `arg` to the distance of the target in entries, and `extra` to the number of
  // additional cycles that the branch takes if it is taken.
  FastOp choose_branch(CodeEntry& e, u32 at, OpcodeInfo info) const {
    const i32 next = static_cast<i32>(at) + 2;
    const i32 target = next + static_cast<i8>(e.lo);
    if (target < 0 || target >= static_cast<i32>(size_)) return FastOp::Slow;
    e.arg = static_cast<u16>(target - static_cast<i32>(at));
    e.extra = (target ^ next) & 0xFF00 ? 2 : 1;
    return branch_op(info.operation);
  }

  // If a BNE, BPL or BMI follows the instruction of `size` bytes at `at` and branches back to it, returns the cycles of
  // that branch when it is taken. Otherwise returns 0.
  u32 loop_back(u32 at, u32 size) const {
    const u32 branch = at + size;
    if (branch + 2 >= size_ || !plain_code(branch, 2)) return 0;
    if (bytes_[branch] != 0xD0 && bytes_[branch] != 0x10 && bytes_[branch] != 0x30) return 0;
    if (bytes_[branch + 1] != static_cast<u8>(-2 - static_cast<i32>(size))) return 0;
    return ((branch + 2) ^ at) & 0xFF00 ? 4 : 3;
  }

  LoopBranch loop_branch(u32 at) const {
    return bytes_[at] == 0xD0 ? kLoopBne : bytes_[at] == 0x10 ? kLoopBpl : kLoopBmi;
  }

  // Returns `op` for a loop of one instruction and a branch. Sets `extra` to the cycles of one iteration, and `hi` to
  // the LoopBranch.
  FastOp with_loop(CodeEntry& e, u32 branch_cycles, FastOp op, u32 branch) const {
    e.extra = static_cast<u16>(e.cycles + branch_cycles);
    e.hi = loop_branch(branch);
    return op;
  }

  // Decodes a loop that waits for the timer: a read of INTIM and a branch, or a read of the timer's flag and BPL.
  FastOp timer_loop(CodeEntry& e, u32 at, Operation operation) const {
    const u32 cycles = loop_back(at, 3);
    if ((e.arg & 0x1284) != 0x0284 || cycles == 0) return FastOp::Slow;
    const LoopBranch branch = loop_branch(at + 3);
    if (is_timer_flag(e.arg) && branch != kLoopBpl) return FastOp::Slow;
    switch (operation) {
      case Operation::Lda: return with_loop(e, cycles, FastOp::WaitTimerA, at + 3);
      case Operation::Ldx: return with_loop(e, cycles, FastOp::WaitTimerX, at + 3);
      case Operation::Ldy: return with_loop(e, cycles, FastOp::WaitTimerY, at + 3);
      case Operation::Bit:
        return branch == kLoopBne ? FastOp::Slow : with_loop(e, cycles, FastOp::WaitTimerBit, at + 3);
      default: return FastOp::Slow;
    }
  }

  const Rom& rom_;
  const u8* bytes_;
  u32 start_, size_;
};

}  // namespace

void decode_rom(Rom& rom) {
  for (CodeEntry& e : rom.code) e = entry(FastOp::Slow);
  const u32 page_size = rom.mapper == kE0 ? 1024 : 4096;
  const u32 program = rom.mapper == kDPC ? 8192 : rom.data_size;
  for (u32 page = 0; page < program / page_size; ++page) {
    const PageDecoder decoder(rom, page * page_size, page_size);
    CodeEntry* entries = rom.code + page * (page_size + kPagePad);
    for (u32 at = 0; at < page_size; ++at) entries[at] = decoder.decode(at);
  }
}

}  // namespace envpool::atari
