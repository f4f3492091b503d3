// SPDX-License-Identifier: Apache-2.0
//
// A small x86-64 assembler with the instructions that native code uses. It writes into a growing buffer.
#pragma once

#include <cstring>
#include <vector>

#include "envpool/core/types.h"

namespace envpool::atari::x64 {

enum Reg : u8 { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };

// Conditions in the order of their encoding.
enum Cond : u8 {
  kOverflows,
  kNotOverflows,
  kBelow,
  kAboveEqual,
  kEqual,
  kNotEqual,
  kBelowEqual,
  kAbove,
  kNegative,
  kNotNegative,
  kEven,
  kOdd,
  kLess,
  kGreaterEqual,
  kLessEqual,
  kGreater
};
inline Cond operator!(Cond c) { return Cond(c ^ 1); }

// Two-operand arithmetic in the order of its encoding.
enum Alu : u8 { kAdd, kOr, kAdc, kSbb, kAnd, kSub, kXor, kCmp };
enum Shift : u8 { kRcl = 2, kRcr = 3, kShl = 4, kShr = 5 };

// [base + displacement], or [base + index + displacement].
struct Mem {
  Reg base;
  i32 disp = 0;
  Reg index = rsp;  // rsp means that there is no index, because rsp cannot be one
};

// The offset of a 32-bit distance that is to be patched. The distance is the last part of its instruction.
struct Fixup {
  size_t at;
};

class Assembler {
 public:
  std::vector<u8> code;

  size_t here() const { return code.size(); }

  void mov(Reg to, Reg from) { op_reg(0x89, from, to); }
  void mov(Reg to, u32 value) {
    rex(0, rax, rax, to);
    byte(u8(0xB8 + (to & 7)));
    word(value);
  }
  void mov(Reg to, Mem from) { op_mem(0x8B, to, from); }
  void mov(Mem to, Reg from) { op_mem(0x89, from, to); }
  void mov(Mem to, u32 value) {
    op_mem(0xC7, rax, to);
    word(value);
  }
  void mov64(Reg to, Mem from) { op_mem(0x8B, to, from, /*wide=*/true); }
  void mov64(Mem to, Reg from) { op_mem(0x89, from, to, /*wide=*/true); }
  void mov64(Reg to, Reg from) { op_reg(0x89, from, to, /*wide=*/true); }
  void mov16(Mem to, Reg from) {
    byte(0x66);
    op_mem(0x89, from, to);
  }
  void mov8(Mem to, Reg from) { op_mem8(0x88, from, to); }
  void mov8(Mem to, u8 value) {
    op_mem(0xC6, rax, to);
    byte(value);
  }
  void movzx8(Reg to, Mem from) {
    rex(0, to, from.index, from.base);
    byte(0x0F);
    byte(0xB6);
    operand(to, from);
  }
  void movzx8(Reg to, Reg from) {
    rex(0, to, rax, from, from >= rsp);
    byte(0x0F);
    byte(0xB6);
    byte(u8(0xC0 | (to & 7) << 3 | (from & 7)));
  }
  void movzx16(Reg to, Mem from) {
    rex(0, to, from.index, from.base);
    byte(0x0F);
    byte(0xB7);
    operand(to, from);
  }
  void lea(Reg to, Mem from) { op_mem(0x8D, to, from); }
  void lea64(Reg to, Mem from) { op_mem(0x8D, to, from, /*wide=*/true); }
  // Loads an address within this code, which patch() sets later.
  Fixup lea_rip(Reg to) {
    rex(1, to, rax, rax);
    byte(0x8D);
    byte(u8(0x05 | (to & 7) << 3));
    return placeholder();
  }

  void alu(Alu op, Reg to, Reg from) { op_reg(u8(op * 8 + 1), from, to); }
  void alu(Alu op, Reg to, Mem from) { op_mem(u8(op * 8 + 3), to, from); }
  void alu(Alu op, Reg to, i32 value) {
    rex(0, rax, rax, to);
    byte(0x81);
    byte(u8(0xC0 | op << 3 | (to & 7)));
    word(u32(value));
  }
  void alu64(Alu op, Reg to, Reg from) { op_reg(u8(op * 8 + 1), from, to, /*wide=*/true); }
  void alu64(Alu op, Reg to, i8 value) {
    rex(1, rax, rax, to);
    byte(0x83);
    byte(u8(0xC0 | op << 3 | (to & 7)));
    byte(u8(value));
  }
  void alu8(Alu op, Reg to, Reg from) { op_reg8(u8(op * 8), from, to); }
  void alu8(Alu op, Reg to, u8 value) {
    rex(0, rax, rax, to, to >= rsp);
    byte(0x80);
    byte(u8(0xC0 | op << 3 | (to & 7)));
    byte(value);
  }
  void alu8(Alu op, Mem to, Reg from) { op_mem8(u8(op * 8), from, to); }
  void alu8(Alu op, Reg to, Mem from) { op_mem8(u8(op * 8 + 2), to, from); }
  void alu8(Alu op, Mem to, u8 value) {
    op_mem(0x80, Reg(op), to);
    byte(value);
  }
  void test8(Reg a, Reg b) { op_reg8(0x84, b, a); }
  void test(Reg a, Reg b) { op_reg(0x85, b, a); }
  void test(Reg a, u32 value) {
    rex(0, rax, rax, a);
    byte(0xF7);
    byte(u8(0xC0 | (a & 7)));
    word(value);
  }
  void inc8(Reg r) { op_reg8(0xFE, Reg(0), r); }
  void dec8(Reg r) { op_reg8(0xFE, Reg(1), r); }
  void shift(Shift op, Reg r, u8 by) {
    rex(0, rax, rax, r);
    byte(0xC1);
    byte(u8(0xC0 | op << 3 | (r & 7)));
    byte(by);
  }
  void shift_right64(Reg r, u8 by) {
    rex(1, rax, rax, r);
    byte(0xC1);
    byte(u8(0xC0 | kShr << 3 | (r & 7)));
    byte(by);
  }
  // Shifts or rotates a byte by one bit.
  void shift8(Shift op, Reg r) { op_reg8(0xD0, Reg(op), r); }
  void mul64(Reg to, Reg from) {
    rex(1, to, rax, from);
    byte(0x0F);
    byte(0xAF);
    byte(u8(0xC0 | (to & 7) << 3 | (from & 7)));
  }
  void mul(Reg to, Reg from, u32 value) {
    rex(0, to, rax, from);
    byte(0x69);
    byte(u8(0xC0 | (to & 7) << 3 | (from & 7)));
    word(value);
  }
  void set(Cond c, Mem to) {
    rex(0, rax, to.index, to.base);
    byte(0x0F);
    byte(u8(0x90 | c));
    operand(rax, to);
  }
  void cmc() { byte(0xF5); }
  void push(Reg r) {
    rex(0, rax, rax, r);
    byte(u8(0x50 | (r & 7)));
  }
  void pop(Reg r) {
    rex(0, rax, rax, r);
    byte(u8(0x58 | (r & 7)));
  }
  void ret() { byte(0xC3); }

  void call(const void* function) {
    byte(0x48);
    byte(0xB8);
    const u64 address = u64(reinterpret_cast<uintptr_t>(function));
    word(u32(address));
    word(u32(address >> 32));
    byte(0xFF);
    byte(0xD0);
  }
  void jump(Reg to) {
    rex(0, rax, rax, to);
    byte(0xFF);
    byte(u8(0xE0 | (to & 7)));
  }
  Fixup jump() {
    byte(0xE9);
    return placeholder();
  }
  Fixup jump(Cond c) {
    byte(0x0F);
    byte(u8(0x80 | c));
    return placeholder();
  }
  void patch(Fixup jump, size_t target) { put32(jump.at, u32(target - (jump.at + 4))); }
  void patch(Fixup jump) { patch(jump, here()); }
  void put32(size_t at, u32 value) { std::memcpy(code.data() + at, &value, 4); }

 private:
  void byte(u8 b) { code.push_back(b); }
  void word(u32 v) {
    code.resize(code.size() + 4);
    put32(code.size() - 4, v);
  }
  Fixup placeholder() {
    word(0);
    return {code.size() - 4};
  }
  void rex(u32 wide, Reg reg, Reg index, Reg base, bool force = false) {
    const u8 v = u8(0x40 | wide << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | (base >> 3));
    if (v != 0x40 || force) byte(v);
  }
  void op_reg(u8 op, Reg reg, Reg rm, bool wide = false) {
    rex(wide, reg, rax, rm);
    byte(op);
    byte(u8(0xC0 | (reg & 7) << 3 | (rm & 7)));
  }
  void op_reg8(u8 op, Reg reg, Reg rm) {
    rex(0, reg, rax, rm, reg >= rsp || rm >= rsp);
    byte(op);
    byte(u8(0xC0 | (reg & 7) << 3 | (rm & 7)));
  }
  void op_mem(u8 op, Reg reg, Mem m, bool wide = false) {
    rex(wide, reg, m.index, m.base);
    byte(op);
    operand(reg, m);
  }
  void op_mem8(u8 op, Reg reg, Mem m) {
    rex(0, reg, m.index, m.base, reg >= rsp);
    byte(op);
    operand(reg, m);
  }
  void operand(Reg reg, Mem m) {
    const bool small = m.disp >= -128 && m.disp < 128;
    const u8 mode = small ? 0x40 : 0x80;
    const bool sib = m.index != rsp || (m.base & 7) == rsp;
    byte(u8(mode | (reg & 7) << 3 | (sib ? 4 : m.base & 7)));
    if (sib) byte(u8((m.index & 7) << 3 | (m.base & 7)));
    if (small) {
      byte(u8(m.disp));
    } else {
      word(u32(m.disp));
    }
  }
};

}  // namespace envpool::atari::x64
