// SPDX-License-Identifier: Apache-2.0
//
// A small assembler for aarch64 with the instructions that native code uses. It writes into a growing buffer. Operands
// that do not fit an instruction take several; these may overwrite x16 and x17.
#pragma once

#include <bit>
#include <cstring>
#include <vector>

#include "envpool/core/types.h"

namespace envpool::atari::a64 {

// clang-format off
enum Reg : u8 {
  x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17, x18, x19, x20, x21, x22, x23, x24,
  x25, x26, x27, x28, x29, x30, zr, sp = zr
};
// clang-format on

// Conditions with their encodings.
enum Cond : u8 {
  kEqual,
  kNotEqual,
  kAboveEqual,
  kBelow,
  kNegative,
  kNotNegative,
  kOverflows,
  kNotOverflows,
  kAbove,
  kBelowEqual,
  kGreaterEqual,
  kLess,
  kGreater,
  kLessEqual,
};
inline Cond operator!(Cond c) { return Cond(c ^ 1); }

enum Alu : u8 { kAdd, kSub, kCmp, kAnd, kOr, kXor };
enum Shift : u8 { kShl, kShr };

// [base + displacement], or [base + index + displacement] with a 32-bit index.
struct Mem {
  Reg base;
  i32 disp = 0;
  Reg index = zr;  // zr means that there is no index
};

// The offset of an instruction whose target is to be patched.
struct Fixup {
  size_t at;
};

// Returns the 12 bits by which a logical instruction on 32 bits encodes this operand, or -1 if it cannot. Such an
// operand repeats an element of 2 to 32 bits, in which the ones are contiguous when it is rotated.
inline i32 logical_immediate(u32 value) {
  if (value == 0 || value == ~0u) return -1;
  const auto low = [](u32 bits) { return bits == 32 ? ~0u : (1u << bits) - 1; };
  u32 size = 32;
  while (size > 2 && (value & low(size / 2)) == (value >> size / 2 & low(size / 2))) size /= 2;
  const u32 element = value & low(size);
  const u32 ones = static_cast<u32>(std::popcount(element));
  for (u32 rotation = 0; rotation < size; ++rotation) {
    const u32 run = low(ones);
    const u32 rotated = rotation == 0 ? run : (run >> rotation | run << (size - rotation)) & low(size);
    if (rotated == element) return static_cast<i32>(rotation << 6 | ((0x40 - 2 * size) & 0x3F) | (ones - 1));
  }
  return -1;
}

class Assembler {
 public:
  std::vector<u8> code;

  size_t here() const { return code.size(); }
  // Returns whether all distances and displacements fitted their instructions.
  bool valid() const { return valid_; }

  // --- moves ---

  void mov(Reg to, Reg from) { word(0x2A0003E0 | from << 16 | to); }
  void mov64(Reg to, Reg from) { word(0xAA0003E0 | from << 16 | to); }
  void mov(Reg to, u32 value) {
    if (value >> 16 == 0xFFFF) {
      word(0x12800000 | (~value & 0xFFFF) << 5 | to);
    } else if ((value & 0xFFFF) == 0 && value != 0) {
      word(0x52A00000 | value >> 16 << 5 | to);
    } else {
      word(0x52800000 | (value & 0xFFFF) << 5 | to);
      if (value >> 16 != 0) word(0x72A00000 | value >> 16 << 5 | to);
    }
  }
  // Loads an address of 48 bits.
  void mov_address(Reg to, u64 value) {
    word(0xD2800000 | u32(value & 0xFFFF) << 5 | to);
    word(0xF2A00000 | u32(value >> 16 & 0xFFFF) << 5 | to);
    word(0xF2C00000 | u32(value >> 32 & 0xFFFF) << 5 | to);
    if (value >> 48 != 0) word(0xF2E00000 | u32(value >> 48) << 5 | to);
  }
  void mov(Reg to, Mem from) { access(0xB9400000, 2, to, from); }
  void mov(Mem to, Reg from) { access(0xB9000000, 2, from, to); }
  void mov64(Reg to, Mem from) { access(0xF9400000, 3, to, from); }
  void mov64(Mem to, Reg from) { access(0xF9000000, 3, from, to); }
  void mov16(Mem to, Reg from) { access(0x79000000, 1, from, to); }
  void mov8(Mem to, Reg from) { access(0x39000000, 0, from, to); }
  void mov8(Mem to, u8 value) {
    if (value != 0) mov(x16, u32{value});
    mov8(to, value != 0 ? x16 : zr);
  }
  void movzx8(Reg to, Mem from) { access(0x39400000, 0, to, from); }
  void movzx8(Reg to, Reg from) { bits(to, from, 0, 8); }
  void movzx16(Reg to, Mem from) { access(0x79400000, 1, to, from); }
  void store_pair(Reg first, Reg second, Reg base, i32 disp) { pair(0xA9000000, first, second, base, disp); }
  void load_pair(Reg first, Reg second, Reg base, i32 disp) { pair(0xA9400000, first, second, base, disp); }
  // Moves the base by the displacement, before the store or after the load.
  void push_pair(Reg first, Reg second, Reg base, i32 disp) { pair(0xA9800000, first, second, base, disp); }
  void pop_pair(Reg first, Reg second, Reg base, i32 disp) { pair(0xA8C00000, first, second, base, disp); }
  void load_word(Reg to, Reg base, Reg index) { word(0xB8605800 | index << 16 | base << 5 | to); }  // base + 4 index

  // --- arithmetic ---

  // Sets `to` to the low 32 bits of the address.
  void lea(Reg to, Mem from) {
    Reg base = from.base;
    if (from.index != zr) {
      alu(kAdd, to, base, from.index);
      base = to;
    }
    add(to, base, from.disp);
  }
  void add64(Reg to, Reg from, u32 value) { word(0x91000000 | (value & 0xFFF) << 10 | from << 5 | to); }
  void add64(Reg to, Reg a, Reg b) { word(0x8B000000 | b << 16 | a << 5 | to); }
  void alu(Alu op, Reg to, Reg from) { alu(op, op == kCmp ? zr : to, to, from); }
  // Computes a op (b << by). The comparison also subtracts.
  void alu(Alu op, Reg to, Reg a, Reg b, u32 by = 0) {
    static constexpr u32 kOpcodes[] = {0x0B000000, 0x4B000000, 0x6B000000, 0x0A000000, 0x2A000000, 0x4A000000};
    word(kOpcodes[op] | b << 16 | by << 10 | a << 5 | to);
  }
  // Adds the bits of b from `by` on.
  void add_shifted_right(Reg to, Reg a, Reg b, u32 by) { word(0x0B400000 | b << 16 | by << 10 | a << 5 | to); }
  void alu(Alu op, Reg to, Mem from) {
    mov(x16, from);
    alu(op, to, x16);
  }
  void alu(Alu op, Reg to, i32 value) {
    if (op == kAdd) {
      add(to, to, value);
    } else if (op == kSub) {
      add(to, to, -value);
    } else if (op == kCmp) {
      compare(to, value);
    } else {
      logic(op, to, to, static_cast<u32>(value));
    }
  }
  void logic(Alu op, Reg to, Reg from, u32 value) {
    static constexpr u32 kOpcodes[] = {0x12000000, 0x32000000, 0x52000000};
    if (const i32 immediate = logical_immediate(value); immediate >= 0) {
      word(kOpcodes[op - kAnd] | u32(immediate) << 10 | from << 5 | to);
      return;
    }
    mov(x16, value);
    alu(op, to, from, x16);
  }
  // Operations on bytes: registers hold bytes without a sign.
  void alu8(Alu op, Reg to, Reg from) { alu(op, to, from); }
  void alu8(Alu op, Reg to, u8 value) { alu(op, to, i32{value}); }
  void alu8(Alu op, Reg to, Mem from) {
    movzx8(x16, from);
    alu(op, to, x16);
  }
  void alu8(Alu op, Mem to, Reg from) {
    movzx8(x16, to);
    alu(op, x16, from);
  }
  void alu8(Alu op, Mem to, u8 value) {
    movzx8(x16, to);
    alu(op, x16, i32{value});
  }
  void inc8(Reg r) {
    add(r, r, 1);
    movzx8(r, r);
  }
  void dec8(Reg r) {
    add(r, r, -1);
    movzx8(r, r);
  }
  void test(Reg a, Reg b) { word(0x6A00001F | b << 16 | a << 5); }
  void test(Reg a, u32 value) {
    if (const i32 immediate = logical_immediate(value); immediate >= 0) {
      word(0x7200001F | u32(immediate) << 10 | a << 5);
      return;
    }
    mov(x16, value);
    test(a, x16);
  }
  void shift(Shift op, Reg r, u8 by) {
    if (op == kShl) {
      word(0x53000000 | u32((32 - by) & 31) << 16 | u32(31 - by) << 10 | r << 5 | r);
    } else {
      word(0x53007C00 | by << 16 | r << 5 | r);
    }
  }
  void shift_right64(Reg r, u8 by) { word(0xD340FC00 | by << 16 | r << 5 | r); }
  // Extracts `count` bits.
  void bits(Reg to, Reg from, u32 first, u32 count) {
    word(0x53000000 | first << 16 | (first + count - 1) << 10 | from << 5 | to);
  }
  // Shifts the lowest `count` bits to the left.
  void bits_to(Reg to, Reg from, u32 left, u32 count) {
    word(0x53000000 | ((32 - left) & 31) << 16 | (count - 1) << 10 | from << 5 | to);
  }
  void mul64(Reg to, Reg from) { word(0x9B007C00 | from << 16 | to << 5 | to); }
  void mul(Reg to, Reg from, u32 value) {
    mov(x16, value);
    word(0x1B007C00 | x16 << 16 | from << 5 | to);
  }
  void set(Cond c, Reg to) { word(0x1A9F07E0 | u32(!c) << 12 | to); }

  // --- addresses within this code, which begins at a page ---

  void address(Reg to, size_t target) {
    const i64 distance = i64(target) - i64(here());
    if (distance >= -(1 << 20)) {
      word(0x10000000 | u32(distance & 3) << 29 | (u32(distance >> 2) & 0x7FFFF) << 5 | to);
      return;
    }
    const i64 pages = i64(target >> 12) - i64(here() >> 12);
    word(0x90000000 | u32(pages & 3) << 29 | (u32(pages >> 2) & 0x7FFFF) << 5 | to);
    if ((target & 0xFFF) != 0) add64(to, to, u32(target & 0xFFF));
  }
  // Loads 8 bytes of this code, at most 1 MB before this instruction.
  void load_constant(Reg to, size_t target) {
    word(0x58000000 | (u32((i64(target) - i64(here())) >> 2) & 0x7FFFF) << 5 | to);
  }

  // --- jumps ---

  void call(Reg to) { word(0xD63F0000 | to << 5); }
  void jump(Reg to) { word(0xD61F0000 | to << 5); }
  void ret() { word(0xD65F03C0); }
  Fixup jump() { return placeholder(0x14000000); }
  Fixup jump(Cond c) { return placeholder(0x54000000 | c); }
  Fixup jump_if_zero(Reg r) { return placeholder(0x34000000 | r); }
  Fixup jump_if_not_zero(Reg r) { return placeholder(0x35000000 | r); }
  Fixup jump_if_clear(Reg r, u32 bit) { return placeholder(0x36000000 | bit << 19 | r); }
  Fixup jump_if_set(Reg r, u32 bit) { return placeholder(0x37000000 | bit << 19 | r); }

  void patch(Fixup jump, size_t target) {
    u32 instruction;
    std::memcpy(&instruction, code.data() + jump.at, 4);
    const i64 distance = (i64(target) - i64(jump.at)) >> 2;
    const bool near = instruction >> 25 == 0x1B, always = instruction >> 26 == 5;  // tests of a bit, and B
    const u32 width = always ? 26 : near ? 14 : 19;
    if (distance < -(i64{1} << (width - 1)) || distance >= i64{1} << (width - 1)) valid_ = false;
    const u32 field = u32(distance) & ((1u << width) - 1);
    put32(jump.at, instruction | (always ? field : field << 5));
  }
  void patch(Fixup jump) { patch(jump, here()); }
  void put32(size_t at, u32 value) { std::memcpy(code.data() + at, &value, 4); }

 protected:
  void word(u32 v) {
    code.resize(code.size() + 4);
    put32(code.size() - 4, v);
  }
  static constexpr u32 add_instruction(Reg to, Reg from, i32 value) {
    return value < 0 ? 0x51000000 | u32(-value) << 10 | from << 5 | to : 0x11000000 | u32(value) << 10 | from << 5 | to;
  }

 private:
  static bool fits_add(i32 value) { return value > -4096 && value < 4096; }

  void add(Reg to, Reg from, i32 value) {
    if (fits_add(value)) {
      word(add_instruction(to, from, value));
      return;
    }
    mov(x16, static_cast<u32>(value));
    alu(kAdd, to, from, x16);
  }
  void compare(Reg a, i32 value) {
    if (fits_add(value)) {
      word((value < 0 ? 0x3100001F : 0x7100001F) | u32(value < 0 ? -value : value) << 10 | a << 5);
      return;
    }
    mov(x16, static_cast<u32>(value));
    alu(kCmp, a, x16);
  }
  Fixup placeholder(u32 instruction) {
    word(instruction);
    return {code.size() - 4};
  }
  void pair(u32 op, Reg first, Reg second, Reg base, i32 disp) {
    word(op | (u32(disp / 8) & 0x7F) << 15 | second << 10 | base << 5 | first);
  }
  // Emits a load or a store of 1 << scale bytes. `op` is the instruction whose displacement is a multiple of that size.
  void access(u32 op, u32 scale, Reg r, Mem m) {
    Reg base = m.base;
    if (m.index != zr) {
      if (m.disp == 0) {
        word((op & ~0x01000000u) | 0x00204800 | m.index << 16 | base << 5 | r);
        return;
      }
      word(0x8B204000 | m.index << 16 | base << 5 | x17);
      base = x17;
    }
    if (m.disp >= 0 && m.disp % (1 << scale) == 0 && m.disp >> scale < 4096) {
      word(op | u32(m.disp >> scale) << 10 | base << 5 | r);
    } else if (m.disp >= -256 && m.disp < 256) {
      word((op & ~0x01000000u) | (u32(m.disp) & 0x1FF) << 12 | base << 5 | r);
    } else {
      valid_ = false;
    }
  }

  bool valid_ = true;
};

}  // namespace envpool::atari::a64
