// SPDX-License-Identifier: Apache-2.0
//
// The 256 opcodes of the 6507: operation, addressing mode and base cycles. Each row of the tables has the 16
// opcodes with one high nibble.
#pragma once

#include "envpool/core/types.h"

namespace envpool::atari {

// The operations, including undocumented ones. A trailing A means "on the accumulator".
enum class Operation : u8 {
  Brk,
  Ora,
  Jam,
  Slo,
  Nop,
  Asl,
  Php,
  AslA,
  Anc,
  Bpl,
  Clc,
  Jsr,
  And,
  Rla,
  Bit,
  Rol,
  Plp,
  RolA,
  Bmi,
  Sec,
  Rti,
  Eor,
  Sre,
  Lsr,
  Pha,
  LsrA,
  Alr,
  Jmp,
  Bvc,
  Cli,
  Rts,
  Adc,
  Rra,
  Ror,
  Pla,
  RorA,
  Arr,
  JmpInd,
  Bvs,
  Sei,
  Sta,
  Sax,
  Sty,
  Stx,
  Dey,
  Txa,
  Ane,
  Bcc,
  Sha,
  Tya,
  Txs,
  Shs,
  Shy,
  Shx,
  Ldy,
  Lda,
  Ldx,
  Lax,
  Tay,
  Tax,
  Lxa,
  Bcs,
  Clv,
  Tsx,
  Las,
  Cpy,
  Cmp,
  Dcp,
  Dec,
  Iny,
  Dex,
  Sbx,
  Bne,
  Cld,
  Cpx,
  Sbc,
  Isb,
  Inc,
  Inx,
  Beq,
  Sed,
};

// Addressing modes. Imp includes instructions whose operands are treated specially (JSR, JMP).
enum class Mode : u8 { Imp, Imm, Zp, ZpX, ZpY, Abs, AbsX, AbsY, IndX, IndY, Rel };

struct OpcodeInfo {
  Operation operation;
  Mode mode;
};

namespace opcode_table {
using enum Operation;
using enum Mode;
// clang-format off
constexpr OpcodeInfo kOpcodes[256] = {
    // $00
    {Brk, Imp}, {Ora, IndX}, {Jam, Imp}, {Slo, IndX}, {Nop, Zp}, {Ora, Zp}, {Asl, Zp}, {Slo, Zp},
    {Php, Imp}, {Ora, Imm}, {AslA, Imp}, {Anc, Imm}, {Nop, Abs}, {Ora, Abs}, {Asl, Abs},
    {Slo, Abs},
    // $10
    {Bpl, Rel}, {Ora, IndY}, {Jam, Imp}, {Slo, IndY}, {Nop, ZpX}, {Ora, ZpX}, {Asl, ZpX},
    {Slo, ZpX}, {Clc, Imp}, {Ora, AbsY}, {Nop, Imp}, {Slo, AbsY}, {Nop, AbsX}, {Ora, AbsX},
    {Asl, AbsX}, {Slo, AbsX},
    // $20
    {Jsr, Imp}, {And, IndX}, {Jam, Imp}, {Rla, IndX}, {Bit, Zp}, {And, Zp}, {Rol, Zp}, {Rla, Zp},
    {Plp, Imp}, {And, Imm}, {RolA, Imp}, {Anc, Imm}, {Bit, Abs}, {And, Abs}, {Rol, Abs},
    {Rla, Abs},
    // $30
    {Bmi, Rel}, {And, IndY}, {Jam, Imp}, {Rla, IndY}, {Nop, ZpX}, {And, ZpX}, {Rol, ZpX},
    {Rla, ZpX}, {Sec, Imp}, {And, AbsY}, {Nop, Imp}, {Rla, AbsY}, {Nop, AbsX}, {And, AbsX},
    {Rol, AbsX}, {Rla, AbsX},
    // $40
    {Rti, Imp}, {Eor, IndX}, {Jam, Imp}, {Sre, IndX}, {Nop, Zp}, {Eor, Zp}, {Lsr, Zp}, {Sre, Zp},
    {Pha, Imp}, {Eor, Imm}, {LsrA, Imp}, {Alr, Imm}, {Jmp, Imp}, {Eor, Abs}, {Lsr, Abs},
    {Sre, Abs},
    // $50
    {Bvc, Rel}, {Eor, IndY}, {Jam, Imp}, {Sre, IndY}, {Nop, ZpX}, {Eor, ZpX}, {Lsr, ZpX},
    {Sre, ZpX}, {Cli, Imp}, {Eor, AbsY}, {Nop, Imp}, {Sre, AbsY}, {Nop, AbsX}, {Eor, AbsX},
    {Lsr, AbsX}, {Sre, AbsX},
    // $60
    {Rts, Imp}, {Adc, IndX}, {Jam, Imp}, {Rra, IndX}, {Nop, Zp}, {Adc, Zp}, {Ror, Zp}, {Rra, Zp},
    {Pla, Imp}, {Adc, Imm}, {RorA, Imp}, {Arr, Imm}, {JmpInd, Imp}, {Adc, Abs}, {Ror, Abs},
    {Rra, Abs},
    // $70
    {Bvs, Rel}, {Adc, IndY}, {Jam, Imp}, {Rra, IndY}, {Nop, ZpX}, {Adc, ZpX}, {Ror, ZpX},
    {Rra, ZpX}, {Sei, Imp}, {Adc, AbsY}, {Nop, Imp}, {Rra, AbsY}, {Nop, AbsX}, {Adc, AbsX},
    {Ror, AbsX}, {Rra, AbsX},
    // $80
    {Nop, Imm}, {Sta, IndX}, {Nop, Imm}, {Sax, IndX}, {Sty, Zp}, {Sta, Zp}, {Stx, Zp}, {Sax, Zp},
    {Dey, Imp}, {Nop, Imm}, {Txa, Imp}, {Ane, Imm}, {Sty, Abs}, {Sta, Abs}, {Stx, Abs},
    {Sax, Abs},
    // $90
    {Bcc, Rel}, {Sta, IndY}, {Jam, Imp}, {Sha, IndY}, {Sty, ZpX}, {Sta, ZpX}, {Stx, ZpY},
    {Sax, ZpY}, {Tya, Imp}, {Sta, AbsY}, {Txs, Imp}, {Shs, AbsY}, {Shy, AbsX}, {Sta, AbsX},
    {Shx, AbsY}, {Sha, AbsY},
    // $A0
    {Ldy, Imm}, {Lda, IndX}, {Ldx, Imm}, {Lax, IndX}, {Ldy, Zp}, {Lda, Zp}, {Ldx, Zp}, {Lax, Zp},
    {Tay, Imp}, {Lda, Imm}, {Tax, Imp}, {Lxa, Imm}, {Ldy, Abs}, {Lda, Abs}, {Ldx, Abs},
    {Lax, Abs},
    // $B0
    {Bcs, Rel}, {Lda, IndY}, {Jam, Imp}, {Lax, IndY}, {Ldy, ZpX}, {Lda, ZpX}, {Ldx, ZpY},
    {Lax, ZpY}, {Clv, Imp}, {Lda, AbsY}, {Tsx, Imp}, {Las, AbsY}, {Ldy, AbsX}, {Lda, AbsX},
    {Ldx, AbsY}, {Lax, AbsY},
    // $C0
    {Cpy, Imm}, {Cmp, IndX}, {Nop, Imm}, {Dcp, IndX}, {Cpy, Zp}, {Cmp, Zp}, {Dec, Zp}, {Dcp, Zp},
    {Iny, Imp}, {Cmp, Imm}, {Dex, Imp}, {Sbx, Imm}, {Cpy, Abs}, {Cmp, Abs}, {Dec, Abs},
    {Dcp, Abs},
    // $D0
    {Bne, Rel}, {Cmp, IndY}, {Jam, Imp}, {Dcp, IndY}, {Nop, ZpX}, {Cmp, ZpX}, {Dec, ZpX},
    {Dcp, ZpX}, {Cld, Imp}, {Cmp, AbsY}, {Nop, Imp}, {Dcp, AbsY}, {Nop, AbsX}, {Cmp, AbsX},
    {Dec, AbsX}, {Dcp, AbsX},
    // $E0
    {Cpx, Imm}, {Sbc, IndX}, {Nop, Imm}, {Isb, IndX}, {Cpx, Zp}, {Sbc, Zp}, {Inc, Zp}, {Isb, Zp},
    {Inx, Imp}, {Sbc, Imm}, {Nop, Imp}, {Sbc, Imm}, {Cpx, Abs}, {Sbc, Abs}, {Inc, Abs},
    {Isb, Abs},
    // $F0
    {Beq, Rel}, {Sbc, IndY}, {Jam, Imp}, {Isb, IndY}, {Nop, ZpX}, {Sbc, ZpX}, {Inc, ZpX},
    {Isb, ZpX}, {Sed, Imp}, {Sbc, AbsY}, {Nop, Imp}, {Isb, AbsY}, {Nop, AbsX}, {Sbc, AbsX},
    {Inc, AbsX}, {Isb, AbsX},
};
constexpr u8 kCycles[256] = {
    7, 6, 2, 8, 3, 3, 5, 5, 3, 2, 2, 2, 4, 4, 6, 6,
    2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,
    6, 6, 2, 8, 3, 3, 5, 5, 4, 2, 2, 2, 4, 4, 6, 6,
    2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,
    6, 6, 2, 8, 3, 3, 5, 5, 3, 2, 2, 2, 3, 4, 6, 6,
    2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,
    6, 6, 2, 8, 3, 3, 5, 5, 4, 2, 2, 2, 5, 4, 6, 6,
    2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,
    2, 6, 2, 6, 3, 3, 3, 3, 2, 2, 2, 2, 4, 4, 4, 4,
    2, 6, 2, 6, 4, 4, 4, 4, 2, 5, 2, 5, 5, 5, 5, 5,
    2, 6, 2, 6, 3, 3, 3, 4, 2, 2, 2, 2, 4, 4, 4, 4,
    2, 5, 2, 5, 4, 4, 4, 4, 2, 4, 2, 4, 4, 4, 4, 4,
    2, 6, 2, 8, 3, 3, 5, 5, 2, 2, 2, 2, 4, 4, 6, 6,
    2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,
    2, 6, 2, 8, 3, 3, 5, 5, 2, 2, 2, 2, 4, 4, 6, 6,
    2, 5, 2, 8, 4, 4, 6, 6, 2, 4, 2, 7, 4, 4, 7, 7,
};
// clang-format on
}  // namespace opcode_table

ENVPOOL_FN OpcodeInfo opcode_info(u8 opcode) { return opcode_table::kOpcodes[opcode]; }
ENVPOOL_FN u8 opcode_cycles(u8 opcode) { return opcode_table::kCycles[opcode]; }

}  // namespace envpool::atari
