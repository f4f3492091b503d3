// SPDX-License-Identifier: Apache-2.0
//
// The fast CPU: interprets decoded 6507 instructions (decode.h). Registers are local variables, busy-wait loops are
// skipped, and only accesses with side effects go over the bus. Unusual cases are left to the exact CPU (cpu_exact.h);
// a handler has to detect them before it changes any state.
//
//   fast_access.h   the registers, and accesses to memory and chips
//   fast_alu.h      arithmetic, and shortcuts for busy-wait loops
#pragma once

#include "envpool/atari/console/fast_alu.h"

namespace envpool::atari {

// clang-format off: it would indent the handlers like labels
//
// Dispatch: one handler per FastOp, each ending in NEXT. With computed gotos, every handler has its own indirect jump,
// which reduces branch mispredictions; other compilers, or ENVPOOL_ATARI_SWITCH, use a switch.
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(ENVPOOL_ATARI_SWITCH)
#define OP(name) op_##name:
#define NEXT                        \
  do {                              \
    e = rom.code + r.ip;            \
    r.cycles += e->cycles;          \
    goto* kHandlers[e->op];         \
  } while (0)
#define DISPATCH                                                                                         \
  static const void* const kHandlers[] = {ENVPOOL_ATARI_FAST_OPS(HANDLER, HANDLER_MODE)}; \
  NEXT;
#define HANDLER(op) &&op_##op,
#define HANDLER_MODE(op, mode) &&op_##op##mode,
#else
#define OP(name) case FastOp::name:
#define NEXT continue
#define DISPATCH \
  for (;;)       \
    switch (e = rom.code + r.ip, r.cycles += e->cycles, static_cast<FastOp>(e->op))
#endif

// Runs to the end of the frame. Returns false if that takes more than cycle_limit cycles; the state is then invalid.
ENVPOOL_FN bool run_fast(Console& c, const Rom& rom, i32 cycle_limit) {
  FastCpu r;
  load_registers(c, rom, r);
  u32 m = 0;
  const CodeEntry* e;
  DISPATCH {
#define FIXED_CASES(Name, apply)                                 \
  OP(Name##Imm)                                        \
    apply(c, r, e->lo);                                           \
    r.ip += 2;                                                   \
    NEXT;                                                    \
  OP(Name##Const)                                      \
    apply(c, r, e->lo);                                           \
    r.ip += 3;                                                   \
    NEXT;                                                    \
  OP(Name##Zp)                                         \
    apply(c, r, c.ram[e->lo]);                                    \
    r.ip += 2;                                                   \
    NEXT;                                                    \
  OP(Name##ZpIo)                                       \
    apply(c, r, read_chip(c, rom, e->lo, e->lo, r.cycles));        \
    r.ip += 2;                                                   \
    NEXT;                                                    \
  OP(Name##Abs)                                        \
    apply(c, r, read_absolute(c, rom, r, *e));                    \
    r.ip += 3;                                                   \
    NEXT;
#define ZP_CASE(Name, apply, Index, index)                       \
  OP(Name##Zp##Index)                                  \
    apply(c, r, read_zero_page(c, rom, r, *e, index));            \
    r.ip += 2;                                                   \
    NEXT;
#define TABLE_CASES(Name, apply, Index, index)                   \
  OP(Name##Rom##Index)                                 \
    r.cycles += static_cast<i32>((e->lo + index) >> 8);           \
    apply(c, r, rom.data[e->arg + index]);                        \
    r.ip += 3;                                                   \
    NEXT;                                                    \
  OP(Name##Abs##Index)                                 \
    if (!read_indexed(c, rom, r, *e, index, m)) goto slow;        \
    apply(c, r, m);                                              \
    r.ip += 3;                                                   \
    NEXT;
#define ALU_CASES(Name, apply)                                   \
  FIXED_CASES(Name, apply)                                       \
  ZP_CASE(Name, apply, X, r.x)                                   \
  TABLE_CASES(Name, apply, X, r.x)                               \
  TABLE_CASES(Name, apply, Y, r.y)                               \
  OP(Name##IndX)                                       \
    if (!read_indirect_x(c, rom, r, *e, m)) goto slow;            \
    apply(c, r, m);                                              \
    r.ip += 2;                                                   \
    NEXT;                                                    \
  OP(Name##IndY)                                       \
    if (!read_indirect(c, rom, r, *e, m)) goto slow;              \
    apply(c, r, m);                                              \
    r.ip += 2;                                                   \
    NEXT;
      ALU_CASES(Lda, do_lda)
      ALU_CASES(Adc, do_adc)
      ALU_CASES(Sbc, do_sbc)
      ALU_CASES(And, do_and)
      ALU_CASES(Ora, do_ora)
      ALU_CASES(Eor, do_eor)
      ALU_CASES(Cmp, do_cmp)
      FIXED_CASES(Ldx, do_ldx)
      ZP_CASE(Ldx, do_ldx, Y, r.y)
      TABLE_CASES(Ldx, do_ldx, Y, r.y)
      FIXED_CASES(Ldy, do_ldy)
      ZP_CASE(Ldy, do_ldy, X, r.x)
      TABLE_CASES(Ldy, do_ldy, X, r.x)
      FIXED_CASES(Cpx, do_cpx)
      FIXED_CASES(Cpy, do_cpy)
      FIXED_CASES(Bit, do_bit)
#undef ALU_CASES
#undef TABLE_CASES
#undef ZP_CASE
#undef FIXED_CASES

#define STORE_CASES(Name, source)                                 \
  OP(Name##Zp)                                                    \
    c.ram[e->lo] = static_cast<u8>(source);                       \
    r.ip += 2;                                                    \
    NEXT;                                                         \
  OP(Name##Level)                                                 \
    r.ip += 2;                                                    \
    if (c.tia.reg[e->lo] == source && r.cycles < c.tia.limit_cycle) NEXT; \
    m = source;                                                   \
    goto write_register;                                          \
  OP(Name##Tia)                                                   \
    r.ip += 2;                                                    \
    m = source;                                                   \
    goto write_register;                                          \
  OP(Name##Colour)                                                \
    m = source;                                                   \
    goto write_colour;                                            \
  OP(Name##Motion)                                                \
    m = source;                                                   \
    goto write_motion;                                            \
  OP(Name##Graphics)                                              \
    m = source;                                                   \
    goto write_graphics;                                          \
  OP(Name##Field)                                                 \
    m = source;                                                   \
    goto write_field;                                             \
  OP(Name##Abs)                                                   \
    r.ip += 3;                                                    \
    if (is_ram(e->arg)) {                                         \
      c.ram[e->arg & 0x7F] = static_cast<u8>(source);             \
      NEXT;                                                       \
    }                                                             \
    write_chip(c, rom, e->arg, source, r.cycles);                 \
    goto wrote_chip;
#define STORE_ZP_CASE(Name, source, index)                                            \
  OP(Name) {                                                             \
    const u32 address = (e->lo + index) & 0xFF;                                     \
    r.ip += 2;                                                                     \
    if (address & 0x80) {                                                          \
      c.ram[address & 0x7F] = static_cast<u8>(source);                                \
      NEXT;                                                                    \
    }                                                                              \
    write_chip(c, rom, address, source, r.cycles);                                    \
    goto wrote_chip;                                                               \
  }
      STORE_CASES(Sta, r.a)
      STORE_CASES(Stx, r.x)
      STORE_CASES(Sty, r.y)
      STORE_ZP_CASE(StaZpX, r.a, r.x)
      STORE_ZP_CASE(StyZpX, r.y, r.x)
      STORE_ZP_CASE(StxZpY, r.x, r.y)
#undef STORE_ZP_CASE
#undef STORE_CASES

      OP(StaAbsX) m = e->arg + r.x; goto store_absolute;
      OP(StaAbsY) m = e->arg + r.y; goto store_absolute;
      store_absolute:
        m &= 0xFFFF;
        if (m & 0x1000 && !is_plain(rom, m)) goto slow;
        r.ip += 3;
        goto store_anywhere;
      OP(StaIndY)
        if (!read_pointer(c, *e, m)) goto slow;
        m = (m + r.y) & 0xFFFF;
        if (m & 0x1000 && !is_plain(rom, m)) goto slow;
        r.ip += 2;
      store_anywhere:  // as native code does, without a transfer on the bus if the address is in RAM
        if (is_ram(m)) {
          c.ram[m & 0x7F] = static_cast<u8>(r.a);
          NEXT;
        }
        write_chip(c, rom, m, r.a, r.cycles);
        goto wrote_chip;

      OP(Wsync) {
        r.ip += 2;
        if (r.cycles >= c.tia.limit_cycle) {
          write_tia_register(c, rom, kWsync, 0, r.cycles);
          goto wrote_chip;
        }
        const u32 cycle = static_cast<u32>(r.cycles - c.tia.frame_start) % kCyclesPerLine;
        if (cycle != 0) r.cycles += kCyclesPerLine - static_cast<i32>(cycle);
        NEXT;
      }
      OP(Ignored)
        r.ip += 2;
        if (r.cycles < c.tia.limit_cycle) NEXT;
        write_tia_register(c, rom, e->lo, 0, r.cycles);
        goto wrote_chip;

#define MODIFY_CASE(Name, address, expression)              \
  OP(Name) {                                      \
    const u32 at = address;                                 \
    const u32 v = c.ram[at];                                \
    c.ram[at] = static_cast<u8>(expression);                \
    r.ip += 2;                                              \
    NEXT;                                               \
  }
      MODIFY_CASE(IncZp, e->lo, r.nz = (v + 1) & 0xFF)
      MODIFY_CASE(DecZp, e->lo, r.nz = (v - 1) & 0xFF)
      MODIFY_CASE(AslZp, e->lo, do_asl(r, v, 0))
      MODIFY_CASE(RolZp, e->lo, do_asl(r, v, r.carry))
      MODIFY_CASE(LsrZp, e->lo, do_lsr(r, v, 0))
      MODIFY_CASE(RorZp, e->lo, do_lsr(r, v, r.carry))
#undef MODIFY_CASE
      OP(IncAbs)
      OP(DecAbs)
        r.nz = (c.ram[e->lo] + (static_cast<FastOp>(e->op) == FastOp::IncAbs ? 1u : 255u)) & 0xFF;
        c.ram[e->lo] = static_cast<u8>(r.nz);
        r.ip += 3;
        NEXT;
#define MODIFY_INDEXED_CASE(Name, expression)                     \
  OP(Name) {                                                      \
    const u32 at = (e->lo + r.x) & 0xFF;                          \
    if (at < 0x80) goto slow;                                     \
    const u32 v = c.ram[at & 0x7F];                               \
    c.ram[at & 0x7F] = static_cast<u8>(expression);               \
    r.ip += 2;                                                    \
    NEXT;                                                         \
  }
      MODIFY_INDEXED_CASE(IncZpX, r.nz = (v + 1) & 0xFF)
      MODIFY_INDEXED_CASE(DecZpX, r.nz = (v - 1) & 0xFF)
      MODIFY_INDEXED_CASE(AslZpX, do_asl(r, v, 0))
      MODIFY_INDEXED_CASE(RolZpX, do_asl(r, v, r.carry))
      MODIFY_INDEXED_CASE(LsrZpX, do_lsr(r, v, 0))
      MODIFY_INDEXED_CASE(RorZpX, do_lsr(r, v, r.carry))
#undef MODIFY_INDEXED_CASE
      OP(IncIo)
      OP(DecIo)
        m = read_chip(c, rom, e->lo, e->lo, r.cycles);
        r.nz = (m + (static_cast<FastOp>(e->op) == FastOp::IncIo ? 1u : 255u)) & 0xFF;
        r.ip += 2;
        write_chip(c, rom, e->lo, r.nz, r.cycles);
        goto wrote_chip;

#define IMPLIED_CASE(Name, statement) \
  OP(Name)                  \
    statement;                        \
    ++r.ip;                           \
    NEXT;
      IMPLIED_CASE(AslA, r.a = do_asl(r, r.a, 0))
      IMPLIED_CASE(RolA, r.a = do_asl(r, r.a, r.carry))
      IMPLIED_CASE(LsrA, r.a = do_lsr(r, r.a, 0))
      IMPLIED_CASE(RorA, r.a = do_lsr(r, r.a, r.carry))
      IMPLIED_CASE(Tax, r.nz = r.x = r.a)
      IMPLIED_CASE(Tay, r.nz = r.y = r.a)
      IMPLIED_CASE(Txa, r.nz = r.a = r.x)
      IMPLIED_CASE(Tya, r.nz = r.a = r.y)
      IMPLIED_CASE(Tsx, r.nz = r.x = c.cpu.sp)
      IMPLIED_CASE(Txs, c.cpu.sp = static_cast<u8>(r.x))
      IMPLIED_CASE(Inx, r.nz = r.x = (r.x + 1) & 0xFF)
      IMPLIED_CASE(Iny, r.nz = r.y = (r.y + 1) & 0xFF)
      IMPLIED_CASE(Dex, r.nz = r.x = (r.x - 1) & 0xFF)
      IMPLIED_CASE(Dey, r.nz = r.y = (r.y - 1) & 0xFF)
      IMPLIED_CASE(Clc, r.carry = 0)
      IMPLIED_CASE(Sec, r.carry = 1)
      IMPLIED_CASE(Cld, c.cpu.decimal = 0)
      IMPLIED_CASE(Sed, c.cpu.decimal = 1)
      IMPLIED_CASE(Cli, c.cpu.interrupt = 0)
      IMPLIED_CASE(Sei, c.cpu.interrupt = 1)
      IMPLIED_CASE(Clv, c.cpu.overflow = 0)
      IMPLIED_CASE(Nop, )
#undef IMPLIED_CASE

      OP(Php)
        store_registers(c, r);
        m = pack_flags(c.cpu);
        goto push;
      OP(Pha) m = r.a; goto push;
      push: {
        const u32 sp = c.cpu.sp--;
        ++r.ip;
        if (sp & 0x80) {
          c.ram[sp & 0x7F] = static_cast<u8>(m);
          NEXT;
        }
        write_chip(c, rom, sp, m, r.cycles);
        goto wrote_chip;
      }
      OP(Pla) {
        const u32 sp = c.cpu.sp;
        if (sp < 0x80 || sp == 0xFF) goto slow;
        c.cpu.sp = static_cast<u8>(sp + 1);
        r.nz = r.a = c.ram[(sp + 1) & 0x7F];
        ++r.ip;
        NEXT;
      }
      OP(Plp) {
        const u32 sp = c.cpu.sp;
        if (sp < 0x80 || sp == 0xFF) goto slow;
        c.cpu.sp = static_cast<u8>(sp + 1);
        unpack_flags(c.cpu, c.ram[(sp + 1) & 0x7F]);
        r.nz = c.cpu.nz;
        r.carry = c.cpu.carry;
        ++r.ip;
        NEXT;
      }
      OP(Jsr) {
        const u32 sp = c.cpu.sp;
        if (sp <= 0x80) goto slow;
        const u32 back = r.ip + r.pc_offset + 2;
        c.ram[sp & 0x7F] = static_cast<u8>(back >> 8);
        c.ram[(sp - 1) & 0x7F] = static_cast<u8>(back);
        c.cpu.sp = static_cast<u8>(sp - 2);
        c.bus = e->hi;
        locate(c, rom, r, e->arg);
        if (r.cycles > cycle_limit) return false;
        NEXT;
      }
      OP(Brk) {
        const u32 sp = c.cpu.sp;
        if (sp <= 0x81) goto slow;
        const u32 back = r.ip + r.pc_offset + 2;
        c.cpu.nz = static_cast<u16>(r.nz);
        c.cpu.carry = static_cast<u8>(r.carry);
        c.ram[sp & 0x7F] = static_cast<u8>(back >> 8);
        c.ram[(sp - 1) & 0x7F] = static_cast<u8>(back);
        c.ram[(sp - 2) & 0x7F] = pack_flags(c.cpu);
        c.cpu.sp = static_cast<u8>(sp - 3);
        c.cpu.interrupt = 1;
        c.bus = e->hi;
        locate(c, rom, r, e->arg);
        if (r.cycles > cycle_limit) return false;
        NEXT;
      }
      OP(Rti) {
        const u32 sp = c.cpu.sp;
        if (sp < 0x80 || sp > 0xFC) goto slow;
        m = c.ram[(sp + 2) & 0x7F] | static_cast<u32>(c.ram[(sp + 3) & 0x7F]) << 8;
        if (!(m & 0x1000)) goto slow;
        c.bus = static_cast<u8>(m >> 8);
        c.cpu.sp = static_cast<u8>(sp + 3);
        unpack_flags(c.cpu, c.ram[(sp + 1) & 0x7F]);
        r.nz = c.cpu.nz;
        r.carry = c.cpu.carry;
        locate(c, rom, r, m);
        if (r.cycles > cycle_limit) return false;
        NEXT;
      }
      OP(Jmp)
        c.bus = e->hi;
        locate(c, rom, r, e->arg);
        if (r.cycles > cycle_limit) return false;
        NEXT;
      OP(JmpInd)
        m = c.ram[e->lo] | static_cast<u32>(c.ram[e->lo + 1]) << 8;
        c.bus = static_cast<u8>(m >> 8);
        locate(c, rom, r, m);
        if (r.cycles > cycle_limit) return false;
        NEXT;
      OP(Rts) {
        const u32 sp = c.cpu.sp;
        if (sp < 0x80 || sp > 0xFD) goto slow;
        const u32 pc = c.ram[(sp + 1) & 0x7F] | static_cast<u32>(c.ram[(sp + 2) & 0x7F]) << 8;
        if (!(pc & 0x1000) || !is_plain(rom, pc)) goto slow;  // RTS reads the byte at pc
        c.cpu.sp = static_cast<u8>(sp + 2);
        locate(c, rom, r, (pc + 1) & 0xFFFF);
        if (r.cycles > cycle_limit) return false;
        NEXT;
      }

#define BRANCH_CASE(Name, condition)                      \
  OP(Name)                                      \
    if (condition) goto take_branch;                      \
    r.ip += 2;                                            \
    NEXT;
      BRANCH_CASE(Bpl, (r.nz & 0x8080) == 0)
      BRANCH_CASE(Bmi, (r.nz & 0x8080) != 0)
      BRANCH_CASE(Bvc, c.cpu.overflow == 0)
      BRANCH_CASE(Bvs, c.cpu.overflow != 0)
      BRANCH_CASE(Bcc, r.carry == 0)
      BRANCH_CASE(Bcs, r.carry != 0)
      BRANCH_CASE(Bne, (r.nz & 0xFF) != 0)
      BRANCH_CASE(Beq, (r.nz & 0xFF) == 0)
#undef BRANCH_CASE
      take_branch:
        r.cycles += e->extra;
        r.ip += static_cast<u32>(static_cast<i16>(e->arg));
        if (r.cycles > cycle_limit) return false;
        NEXT;

#define WAIT_CASE(Name, apply)                                   \
  OP(Name)                                             \
    skip_timer_loop(c, r, *e);                                    \
    apply(c, r, read_chip(c, rom, e->arg, e->hi, r.cycles));       \
    r.ip += 3;                                                   \
    NEXT;
      WAIT_CASE(WaitTimerA, do_lda)
      WAIT_CASE(WaitTimerX, do_ldx)
      WAIT_CASE(WaitTimerY, do_ldy)
      WAIT_CASE(WaitTimerBit, do_bit)
#undef WAIT_CASE
      OP(DexLoop)
        r.x = run_counter_loop(r, *e, r.x);
        r.ip += 3;
        NEXT;
      OP(DeyLoop)
        r.y = run_counter_loop(r, *e, r.y);
        r.ip += 3;
        NEXT;

      OP(Slow)
        if (is_behind_slice(rom, r.ip)) {
          locate(c, rom, r, r.ip + r.pc_offset);
          if (r.cycles > cycle_limit) return false;
          NEXT;
        }
      slow:
        r.cycles -= rom.code[r.ip].cycles;
        store_registers(c, r);
        step_exact(c, rom);
        load_registers(c, rom, r);
        if (c.stop || c.cpu.jammed) goto done;
        if (r.cycles > cycle_limit) return false;
        NEXT;
      write_colour:
        r.ip += 2;
        if (r.cycles >= c.tia.limit_cycle) goto write_register;
        if (m != c.tia.reg[e->lo]) {
          if (c.drawing) goto write_register;
          c.tia.reg[e->lo] = static_cast<u8>(m);
          set_colour(c.tia, e->lo - kColup0, m);
        }
        NEXT;
      write_motion:
        r.ip += 2;
        if (r.cycles >= c.tia.limit_cycle) goto write_register;
        c.tia.reg[e->lo] = static_cast<u8>(m);
        c.tia.hm[e->lo - kHmp0] = static_cast<u8>(m >> 4);
        NEXT;
      write_graphics:
        r.ip += 2;
        if (r.cycles >= c.tia.limit_cycle) goto write_register;
        c.cycles = r.cycles;
        store_graphics(c, rom, e->lo - kGrp0, m);
        NEXT;
      write_field:
        r.ip += 2;
        if (r.cycles >= c.tia.limit_cycle) goto write_register;
        if (m != c.tia.reg[e->lo]) {
          c.cycles = r.cycles;
          store_playfield(c, rom, e->lo, m);
        }
        NEXT;
      write_register:
        write_tia_register(c, rom, e->lo, m, r.cycles);
        if (c.stop) goto done;
        NEXT;
      wrote_chip:
        r.cycles = c.cycles;
        if (c.stop) goto done;
        NEXT;
  }
done:
  store_registers(c, r);
  return r.cycles <= cycle_limit;
}

#undef OP
#undef NEXT
#undef DISPATCH
#undef HANDLER
#undef HANDLER_MODE
// clang-format on

}  // namespace envpool::atari
