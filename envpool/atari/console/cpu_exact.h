// SPDX-License-Identifier: Apache-2.0
//
// The exact CPU: interprets one 6507 instruction at a time over the bus. It is complete (undocumented opcodes, code
// outside the ROM, bank switching within an instruction) and slow. The fast CPU (cpu_fast.h) uses it for unusual cases.
//
// The functions are templates, so that a test can give a console a bus of its own: read_bus() and write_bus() for its
// type.
//
// Timing: base cycles are added before any operand is read, a page-crossing penalty before the data are read, and a
// branch penalty at the end.
#pragma once

#include "envpool/atari/console/bus.h"
#include "envpool/atari/console/opcodes.h"

namespace envpool::atari {

ENVPOOL_FN void set_nz(Cpu& cpu, u32 value) { cpu.nz = static_cast<u16>(value & 0xFF); }

ENVPOOL_FN u8 pack_flags(const Cpu& cpu) {
  return static_cast<u8>(((cpu.nz & 0x8080) ? 0x80 : 0) | cpu.overflow << 6 | 0x30 | cpu.decimal << 3 |
                         cpu.interrupt << 2 | ((cpu.nz & 0xFF) == 0 ? 2 : 0) | cpu.carry);
}

ENVPOOL_FN void unpack_flags(Cpu& cpu, u8 p) {
  cpu.nz = static_cast<u16>((p & 2 ? 0 : 1) | (p & 0x80) << 8);
  cpu.overflow = p >> 6 & 1;
  cpu.decimal = p >> 3 & 1;
  cpu.interrupt = p >> 2 & 1;
  cpu.carry = p & 1;
}

// Decimal arithmetic accepts digits above 9: the value of a byte is 10 times the high nibble plus the low nibble.
ENVPOOL_FN i32 from_bcd(u32 v) { return static_cast<i32>(10 * (v >> 4) + (v & 15)); }
ENVPOOL_FN u8 to_bcd(i32 n) { return static_cast<u8>(16 * (n % 100 / 10) + n % 10); }

ENVPOOL_FN void add(Cpu& cpu, u8 m) {
  const u8 a = cpu.a;
  u8 result;
  if (cpu.decimal) {
    const i32 sum = from_bcd(a) + from_bcd(m) + cpu.carry;
    cpu.carry = sum > 99;
    result = to_bcd(sum & 0xFF);
  } else {
    const u32 sum = static_cast<u32>(a) + m + cpu.carry;
    cpu.carry = sum > 0xFF;
    result = static_cast<u8>(sum);
  }
  cpu.overflow = ((a ^ result) & (result ^ m) & 0x80) != 0;
  cpu.a = result;
  set_nz(cpu, result);
}

ENVPOOL_FN void subtract(Cpu& cpu, u8 m) {
  const u8 a = cpu.a;
  const i32 borrow = 1 - cpu.carry;
  u8 result;
  if (cpu.decimal) {
    i32 difference = from_bcd(a) - from_bcd(m) - borrow;
    if (difference < 0) difference += 100;
    result = difference >= 0 ? to_bcd(difference) : static_cast<u8>(from_bcd(static_cast<u32>(256 + difference)));
    cpu.overflow = ((a ^ result) & (result ^ m) & 0x80) != 0;
  } else {
    result = static_cast<u8>(a - m - borrow);
    cpu.overflow = ((a ^ result) & (a ^ m) & 0x80) != 0;
  }
  cpu.carry = a >= m + borrow;
  cpu.a = result;
  set_nz(cpu, result);
}

ENVPOOL_FN void compare(Cpu& cpu, u8 reg, u8 m) {
  cpu.carry = reg >= m;
  set_nz(cpu, static_cast<u32>(reg) - m);
}

ENVPOOL_FN u8 shift_left(Cpu& cpu, u8 v, u8 in) {
  cpu.carry = v >> 7;
  const u8 result = static_cast<u8>(v << 1 | in);
  set_nz(cpu, result);
  return result;
}

ENVPOOL_FN u8 shift_right(Cpu& cpu, u8 v, u8 in) {
  cpu.carry = v & 1;
  const u8 result = static_cast<u8>(v >> 1 | in << 7);
  set_nz(cpu, result);
  return result;
}

ENVPOOL_FN void and_rotate(Cpu& cpu, u8 m) {  // ARR
  const u8 v = cpu.a & m;
  u8 r = static_cast<u8>(v >> 1 | cpu.carry << 7);
  if (cpu.decimal) {
    cpu.nz = static_cast<u16>((r != 0 ? 1 : 0) | cpu.carry << 15);
    cpu.overflow = (v ^ r) >> 6 & 1;
    if ((v & 15) + (v & 1) > 5) r = static_cast<u8>((r & 0xF0) | ((r + 6) & 15));
    cpu.carry = (v & 0xF0) + (v & 0x10) > 0x50;
    if (cpu.carry) r = static_cast<u8>(r + 0x60);
  } else {
    set_nz(cpu, r);
    cpu.carry = r >> 6 & 1;
    cpu.overflow = (r >> 6 ^ r >> 5) & 1;
  }
  cpu.a = r;
}

template <class AnyConsole>
ENVPOOL_FN u8 fetch(AnyConsole& c, const Rom& rom) {
  return read_bus(c, rom, c.cpu.pc++);
}

template <class AnyConsole>
ENVPOOL_FN u16 fetch_word(AnyConsole& c, const Rom& rom) {
  const u8 low = fetch(c, rom);
  return static_cast<u16>(low | fetch(c, rom) << 8);
}

template <class AnyConsole>
ENVPOOL_FN u16 read_word(AnyConsole& c, const Rom& rom, u16 at, u16 high_at) {
  const u8 low = read_bus(c, rom, at);
  return static_cast<u16>(low | read_bus(c, rom, high_at) << 8);
}

template <class AnyConsole>
ENVPOOL_FN void push(AnyConsole& c, const Rom& rom, u8 value) {
  write_bus(c, rom, 0x100 + c.cpu.sp--, value);
}
template <class AnyConsole>
ENVPOOL_FN u8 pull(AnyConsole& c, const Rom& rom) {
  return read_bus(c, rom, 0x100 + ++c.cpu.sp);
}
template <class AnyConsole>
ENVPOOL_FN void read_stack_top(AnyConsole& c, const Rom& rom) {
  read_bus(c, rom, 0x100 + c.cpu.sp);
}

template <class AnyConsole>
ENVPOOL_FN u16 pull_word(AnyConsole& c, const Rom& rom) {
  const u8 low = pull(c, rom);
  return static_cast<u16>(low | pull(c, rom) << 8);
}

template <class AnyConsole>
ENVPOOL_FN void branch(AnyConsole& c, const Rom& rom, bool taken) {
  const i8 distance = static_cast<i8>(fetch(c, rom));
  if (!taken) return;
  const u16 target = static_cast<u16>(c.cpu.pc + distance);
  c.cycles += (target ^ c.cpu.pc) & 0xFF00 ? 2 : 1;
  c.cpu.pc = target;
}

ENVPOOL_FN bool has_crossing_penalty(Operation operation) {
  using enum Operation;
  switch (operation) {
    case Adc:
    case And:
    case Cmp:
    case Eor:
    case Lda:
    case Ldx:
    case Ldy:
    case Ora:
    case Sbc:
    case Lax:
    case Las:
    case Nop: return true;
    default: return false;
  }
}

// Fetches the operand bytes and returns the effective address (of the operand itself in immediate mode).
template <class AnyConsole>
ENVPOOL_FN u16 effective_address(AnyConsole& c, const Rom& rom, OpcodeInfo info) {
  Cpu& cpu = c.cpu;
  u16 base = 0;
  u8 index = 0;
  switch (info.mode) {
    case Mode::Imm: return cpu.pc++;
    case Mode::Zp: return fetch(c, rom);
    case Mode::ZpX: return (fetch(c, rom) + cpu.x) & 0xFF;
    case Mode::ZpY: return (fetch(c, rom) + cpu.y) & 0xFF;
    case Mode::Abs: return fetch_word(c, rom);
    case Mode::IndX: {
      const u16 pointer = (fetch(c, rom) + cpu.x) & 0xFF;
      return read_word(c, rom, pointer, pointer + 1);  // for a pointer at $FF, the high byte is at $0100
    }
    case Mode::AbsX:
      base = fetch_word(c, rom);
      index = cpu.x;
      break;
    case Mode::AbsY:
      base = fetch_word(c, rom);
      index = cpu.y;
      break;
    case Mode::IndY: {
      const u16 pointer = fetch(c, rom);
      base = read_word(c, rom, pointer, pointer + 1);
      index = cpu.y;
      break;
    }
    default: return 0;
  }
  const u16 address = static_cast<u16>(base + index);
  if ((address ^ base) & 0xFF00 && has_crossing_penalty(info.operation)) ++c.cycles;
  return address;
}

// Returns the result of a read-modify-write instruction, which reads once and writes once.
ENVPOOL_FN u8 modify(Cpu& cpu, Operation operation, u8 v) {
  using enum Operation;
  switch (operation) {
    case Asl:
    case Slo: return shift_left(cpu, v, 0);
    case Rol:
    case Rla: return shift_left(cpu, v, cpu.carry);
    case Lsr:
    case Sre: return shift_right(cpu, v, 0);
    case Ror:
    case Rra: return shift_right(cpu, v, cpu.carry);
    case Inc:
    case Isb: ++v; break;
    default: --v; break;
  }
  set_nz(cpu, v);
  return v;
}

// Executes an instruction without an effective address.
template <class AnyConsole>
ENVPOOL_FN void execute_implied(AnyConsole& c, const Rom& rom, Operation operation) {
  using enum Operation;
  Cpu& cpu = c.cpu;
  switch (operation) {
    case AslA: cpu.a = shift_left(cpu, cpu.a, 0); break;
    case RolA: cpu.a = shift_left(cpu, cpu.a, cpu.carry); break;
    case LsrA: cpu.a = shift_right(cpu, cpu.a, 0); break;
    case RorA: cpu.a = shift_right(cpu, cpu.a, cpu.carry); break;
    case Tax: set_nz(cpu, cpu.x = cpu.a); break;
    case Tay: set_nz(cpu, cpu.y = cpu.a); break;
    case Txa: set_nz(cpu, cpu.a = cpu.x); break;
    case Tya: set_nz(cpu, cpu.a = cpu.y); break;
    case Tsx: set_nz(cpu, cpu.x = cpu.sp); break;
    case Txs: cpu.sp = cpu.x; break;
    case Inx: set_nz(cpu, ++cpu.x); break;
    case Iny: set_nz(cpu, ++cpu.y); break;
    case Dex: set_nz(cpu, --cpu.x); break;
    case Dey: set_nz(cpu, --cpu.y); break;
    case Clc: cpu.carry = 0; break;
    case Sec: cpu.carry = 1; break;
    case Cld: cpu.decimal = 0; break;
    case Sed: cpu.decimal = 1; break;
    case Cli: cpu.interrupt = 0; break;
    case Sei: cpu.interrupt = 1; break;
    case Clv: cpu.overflow = 0; break;
    case Pha: push(c, rom, cpu.a); break;
    case Php: push(c, rom, pack_flags(cpu)); break;
    case Pla:
      read_stack_top(c, rom);
      set_nz(cpu, cpu.a = pull(c, rom));
      break;
    case Plp:
      read_stack_top(c, rom);
      unpack_flags(cpu, pull(c, rom));
      break;
    case Jmp: cpu.pc = fetch_word(c, rom); break;
    case JmpInd: {
      const u16 at = fetch_word(c, rom);
      cpu.pc = read_word(c, rom, at, static_cast<u16>((at & 0xFF00) | ((at + 1) & 0xFF)));
      break;
    }
    case Jsr: {
      const u8 low = fetch(c, rom);
      read_stack_top(c, rom);
      push(c, rom, static_cast<u8>(cpu.pc >> 8));
      push(c, rom, static_cast<u8>(cpu.pc));
      cpu.pc = static_cast<u16>(low | fetch(c, rom) << 8);
      break;
    }
    case Rts:
      read_stack_top(c, rom);
      cpu.pc = pull_word(c, rom);
      fetch(c, rom);
      break;
    case Rti:
      read_stack_top(c, rom);
      unpack_flags(cpu, pull(c, rom));
      cpu.pc = pull_word(c, rom);
      break;
    case Brk:
      fetch(c, rom);
      push(c, rom, static_cast<u8>(cpu.pc >> 8));
      push(c, rom, static_cast<u8>(cpu.pc));
      push(c, rom, pack_flags(cpu));
      cpu.interrupt = 1;
      cpu.pc = read_word(c, rom, 0xFFFE, 0xFFFF);
      break;
    case Jam: cpu.jammed = true; break;
    default: break;
  }
}

ENVPOOL_FN bool branch_taken(const Cpu& cpu, Operation operation) {
  using enum Operation;
  switch (operation) {
    case Bpl: return (cpu.nz & 0x8080) == 0;
    case Bmi: return (cpu.nz & 0x8080) != 0;
    case Bvc: return cpu.overflow == 0;
    case Bvs: return cpu.overflow != 0;
    case Bcc: return cpu.carry == 0;
    case Bcs: return cpu.carry != 0;
    case Bne: return (cpu.nz & 0xFF) != 0;
    default: return (cpu.nz & 0xFF) == 0;
  }
}

// Executes an instruction that reads its operand m.
ENVPOOL_FN void execute_read(Cpu& cpu, Operation operation, u8 m) {
  using enum Operation;
  switch (operation) {
    case Lda: set_nz(cpu, cpu.a = m); break;
    case Ldx: set_nz(cpu, cpu.x = m); break;
    case Ldy: set_nz(cpu, cpu.y = m); break;
    case Lax: set_nz(cpu, cpu.a = cpu.x = m); break;
    case Adc: add(cpu, m); break;
    case Sbc: subtract(cpu, m); break;
    case And: set_nz(cpu, cpu.a &= m); break;
    case Ora: set_nz(cpu, cpu.a |= m); break;
    case Eor: set_nz(cpu, cpu.a ^= m); break;
    case Cmp: compare(cpu, cpu.a, m); break;
    case Cpx: compare(cpu, cpu.x, m); break;
    case Cpy: compare(cpu, cpu.y, m); break;
    case Bit:
      cpu.nz = static_cast<u16>((cpu.a & m) | (m & 0x80) << 8);
      cpu.overflow = m >> 6 & 1;
      break;
    case Anc:
      set_nz(cpu, cpu.a &= m);
      cpu.carry = cpu.a >> 7;
      break;
    case Alr: cpu.a = shift_right(cpu, cpu.a & m, 0); break;
    case Arr: and_rotate(cpu, m); break;
    case Ane: set_nz(cpu, cpu.a = (cpu.a | 0xEE) & cpu.x & m); break;
    case Lxa: set_nz(cpu, cpu.a = cpu.x = (cpu.a | 0xEE) & m); break;
    case Sbx: {
      const u8 both = cpu.a & cpu.x;
      compare(cpu, both, m);
      cpu.x = static_cast<u8>(both - m);
      break;
    }
    case Las: set_nz(cpu, cpu.a = cpu.x = cpu.sp = cpu.sp & m); break;
    default: break;  // NOP
  }
}

ENVPOOL_FN u8 store_value(Cpu& cpu, Operation operation, u16 address) {
  using enum Operation;
  const u8 high = static_cast<u8>((address >> 8) + 1);
  switch (operation) {
    case Sta: return cpu.a;
    case Stx: return cpu.x;
    case Sty: return cpu.y;
    case Sax: return cpu.a & cpu.x;
    case Sha: return cpu.a & cpu.x & high;
    case Shs: cpu.sp = cpu.a & cpu.x; return cpu.sp & high;
    case Shx: return cpu.x & high;
    default: return cpu.y & high;  // SHY
  }
}

// Executes the second half of an undocumented read-modify-write instruction, which combines A with the result.
ENVPOOL_FN void combine(Cpu& cpu, Operation operation, u8 result) {
  using enum Operation;
  switch (operation) {
    case Slo: set_nz(cpu, cpu.a |= result); break;
    case Rla: set_nz(cpu, cpu.a &= result); break;
    case Sre: set_nz(cpu, cpu.a ^= result); break;
    case Rra: add(cpu, result); break;
    case Isb: subtract(cpu, result); break;
    case Dcp: compare(cpu, cpu.a, result); break;
    default: break;
  }
}

// Executes one instruction.
template <class AnyConsole>
ENVPOOL_DEVICE_CALL void step_exact(AnyConsole& c, const Rom& rom) {
  using enum Operation;
  const u8 opcode = fetch(c, rom);
  const OpcodeInfo info = opcode_info(opcode);
  c.cycles += opcode_cycles(opcode);
  if (info.mode == Mode::Imp) return execute_implied(c, rom, info.operation);
  if (info.mode == Mode::Rel) return branch(c, rom, branch_taken(c.cpu, info.operation));
  const u16 address = effective_address(c, rom, info);
  switch (info.operation) {
    case Sta:
    case Stx:
    case Sty:
    case Sax:
    case Sha:
    case Shs:
    case Shx:
    case Shy: write_bus(c, rom, address, store_value(c.cpu, info.operation, address)); break;
    case Asl:
    case Rol:
    case Lsr:
    case Ror:
    case Inc:
    case Dec:
    case Slo:
    case Rla:
    case Sre:
    case Rra:
    case Isb:
    case Dcp: {
      const u8 result = modify(c.cpu, info.operation, read_bus(c, rom, address));
      write_bus(c, rom, address, result);
      combine(c.cpu, info.operation, result);
      break;
    }
    default: execute_read(c.cpu, info.operation, read_bus(c, rom, address)); break;
  }
}

}  // namespace envpool::atari
