// SPDX-License-Identifier: Apache-2.0
//
// Lists the operations of the fast CPU: the documented instructions, specialized by the operand kind that decoding
// determines (decode.h). All other code is decoded as Slow, which the exact CPU executes.
#pragma once

#include "envpool/core/types.h"

namespace envpool::atari {

// An instruction that reads has one of these operand kinds:
//   Imm      a byte of the instruction
//   Const    a constant ROM byte at a fixed address (3-byte instruction)
//   Zp       a byte of RAM                       ZpIo     a TIA register
//   Abs      any fixed address that cannot switch banks
//   ZpX ZpY  indexed zero page
//   RomX RomY  an indexed table of constant ROM bytes
//   AbsX AbsY IndX IndY  an address that is known only at run time
// clang-format off
#define ENVPOOL_ATARI_ALU_OPS(X) X(Lda) X(Adc) X(Sbc) X(And) X(Ora) X(Eor) X(Cmp)
#define ENVPOOL_ATARI_ALU_MODES(X, op) \
  X(op, Imm) X(op, Const) X(op, Zp) X(op, ZpIo) X(op, Abs) X(op, ZpX) X(op, RomX) X(op, RomY) X(op, AbsX) \
  X(op, AbsY) X(op, IndX) X(op, IndY)
#define ENVPOOL_ATARI_LDX_MODES(X, op) \
  X(op, Imm) X(op, Const) X(op, Zp) X(op, ZpIo) X(op, Abs) X(op, ZpY) X(op, RomY) X(op, AbsY)
#define ENVPOOL_ATARI_LDY_MODES(X, op) \
  X(op, Imm) X(op, Const) X(op, Zp) X(op, ZpIo) X(op, Abs) X(op, ZpX) X(op, RomX) X(op, AbsX)
#define ENVPOOL_ATARI_FIXED_MODES(X, op) X(op, Imm) X(op, Const) X(op, Zp) X(op, ZpIo) X(op, Abs)

// The list below has all other operations. A store to the TIA is specialized by the register that it writes:
//   Wsync      WSYNC, which waits for the end of the line
//   Colour     COLUxx                            Motion   HMxx except HMM0
//   Graphics   GRPx                              Field    PFx
//   Level      another register for which writing the same value again changes nothing (is_level_register)
//   Ignored    a register that is not emulated, such as sound (is_ignored_register)
//   Tia        any other register
// An instruction that modifies memory is specialized by its operand: Zp is RAM; Abs is RAM, with a 3-byte instruction;
// Io is a TIA register.
#define ENVPOOL_ATARI_OTHER_OPS(X) \
  X(StaZp) X(StxZp) X(StyZp) X(StaLevel) X(StxLevel) X(StyLevel) X(StaTia) X(StxTia) X(StyTia) X(Wsync) X(Ignored) \
  X(StaColour) X(StxColour) X(StyColour) X(StaMotion) X(StxMotion) X(StyMotion) X(StaGraphics) X(StxGraphics) \
  X(StyGraphics) X(StaField) X(StxField) X(StyField) X(StaAbs) X(StxAbs) X(StyAbs) X(StaZpX) X(StyZpX) X(StxZpY) \
  X(StaAbsX) X(StaAbsY) X(StaIndY) X(IncZp) X(DecZp) X(AslZp) X(LsrZp) X(RolZp) X(RorZp) X(IncAbs) X(DecAbs) \
  X(IncIo) X(DecIo) X(IncZpX) X(DecZpX) X(AslZpX) X(LsrZpX) X(RolZpX) X(RorZpX) \
  X(AslA) X(LsrA) X(RolA) X(RorA) X(Tax) X(Tay) X(Txa) X(Tya) X(Tsx) X(Txs) X(Inx) X(Iny) X(Dex) X(Dey) \
  X(Clc) X(Sec) X(Cld) X(Sed) X(Cli) X(Sei) X(Clv) X(Nop) X(Pha) X(Php) X(Pla) X(Plp) X(Jsr) X(Rts) X(Brk) X(Rti) X(Jmp) \
  X(JmpInd) \
  X(Bpl) X(Bmi) X(Bvc) X(Bvs) X(Bcc) X(Bcs) X(Bne) X(Beq) X(WaitTimerA) X(WaitTimerX) X(WaitTimerY) X(WaitTimerBit) \
  X(DexLoop) X(DeyLoop) X(Slow)

// Expands to one(op) for each operation without an operand kind and moded(op, mode) for each operation with one.
#define ENVPOOL_ATARI_FAST_OPS(one, moded) \
  ENVPOOL_ATARI_ALU_MODES(moded, Lda) ENVPOOL_ATARI_ALU_MODES(moded, Adc) ENVPOOL_ATARI_ALU_MODES(moded, Sbc) \
  ENVPOOL_ATARI_ALU_MODES(moded, And) ENVPOOL_ATARI_ALU_MODES(moded, Ora) ENVPOOL_ATARI_ALU_MODES(moded, Eor) \
  ENVPOOL_ATARI_ALU_MODES(moded, Cmp) ENVPOOL_ATARI_LDX_MODES(moded, Ldx) ENVPOOL_ATARI_LDY_MODES(moded, Ldy) \
  ENVPOOL_ATARI_FIXED_MODES(moded, Cpx) ENVPOOL_ATARI_FIXED_MODES(moded, Cpy) ENVPOOL_ATARI_FIXED_MODES(moded, Bit) \
  ENVPOOL_ATARI_OTHER_OPS(one)
// clang-format on

enum class FastOp : u8 {
#define ENVPOOL_ATARI_NAME(op) op,
#define ENVPOOL_ATARI_MODE_NAME(op, mode) op##mode,
  ENVPOOL_ATARI_FAST_OPS(ENVPOOL_ATARI_NAME, ENVPOOL_ATARI_MODE_NAME)
#undef ENVPOOL_ATARI_MODE_NAME
#undef ENVPOOL_ATARI_NAME
};

// The branch at the end of a loop that an operation replaces, in CodeEntry::hi.
enum LoopBranch : u8 { kLoopBne, kLoopBpl, kLoopBmi };

// Returns whether an address is in RAM.
constexpr bool is_ram(u32 address) { return (address & 0x1280) == 0x80; }

// Returns whether a timer loop reads the timer's flag. Otherwise it reads INTIM.
constexpr bool is_timer_flag(u32 address) { return (address & 1) != 0; }

}  // namespace envpool::atari
