// SPDX-License-Identifier: Apache-2.0
//
// Compares the instructions that the assembler for aarch64 writes with those of GNU as 2.40 for the text beside them.
// The test runs on every processor.
#include "envpool/atari/console/a64.h"

#include <vector>

#include "tests/support/testing.h"

namespace envpool::atari::a64 {

template <typename Emit>
std::vector<u32> words(Emit emit) {
  Assembler a;
  emit(a);
  CHECK(a.valid());
  std::vector<u32> result(a.code.size() / 4);
  std::memcpy(result.data(), a.code.data(), a.code.size());
  return result;
}

// `text` is what the assembler was given.
#define CHECK_CODE(call, text, ...) CHECK(words([](Assembler& a) { a.call; }) == (std::vector<u32>{__VA_ARGS__}))

TEST(instructions_are_those_of_an_assembler) {
  CHECK_CODE(mov(x20, x21), "mov w20, w21", 0x2A1503F4);
  CHECK_CODE(mov64(x19, x0), "mov x19, x0", 0xAA0003F3);
  CHECK_CODE(mov(x9, 0x1234u), "mov w9, #0x1234", 0x52824689);
  CHECK_CODE(mov(x9, 0xFFFF1234u), "mov w9, #0xFFFF1234", 0x129DB969);
  CHECK_CODE(mov(x9, 0x12340000u), "mov w9, #0x12340000", 0x52A24689);
  CHECK_CODE(mov(x9, 0x12345678u), "movz w9, #0x5678; movk w9, #0x1234, lsl #16", 0x528ACF09, 0x72A24689);
  CHECK_CODE(mov_address(x16, 0x123456789ABC),
             "movz x16, #0x9ABC; movk x16, #0x5678, lsl #16; movk x16, #0x1234, lsl #32", 0xD2935790, 0xF2AACF10,
             0xF2C24690);
  CHECK_CODE(mov(x9, Mem{x19, 64}), "ldr w9, [x19, #64]", 0xB9404269);
  CHECK_CODE(mov(x9, Mem{x19, 63}), "ldur w9, [x19, #63]", 0xB843F269);
  CHECK_CODE(mov(x9, Mem{x19, -8}), "ldur w9, [x19, #-8]", 0xB85F8269);
  CHECK_CODE(mov(Mem{x19, 64}, x9), "str w9, [x19, #64]", 0xB9004269);
  CHECK_CODE(mov64(x1, Mem{sp, 96}), "ldr x1, [sp, #96]", 0xF94033E1);
  CHECK_CODE(mov64(Mem{sp, 96}, x1), "str x1, [sp, #96]", 0xF90033E1);
  CHECK_CODE(mov16(Mem{x19, 30}, x23), "strh w23, [x19, #30]", 0x79003E77);
  CHECK_CODE(mov8(Mem{x19, 4095}, x9), "strb w9, [x19, #4095]", 0x393FFE69);
  CHECK_CODE(mov8(Mem{x19, 5}, u8{0}), "strb wzr, [x19, #5]", 0x3900167F);
  CHECK_CODE(mov8(Mem{x19, 5}, u8{7}), "mov w16, #7; strb w16, [x19, #5]", 0x528000F0, 0x39001670);
  CHECK_CODE(movzx8(x0, Mem{x25, 0, x9}), "ldrb w0, [x25, w9, uxtw]", 0x38694B20);
  CHECK_CODE(movzx8(x0, Mem{x25, 3, x9}), "add x17, x25, w9, uxtw; ldrb w0, [x17, #3]", 0x8B294331, 0x39400E20);
  CHECK_CODE(movzx8(x0, x9), "uxtb w0, w9", 0x53001D20);
  CHECK_CODE(movzx16(x0, Mem{x25, 2}), "ldrh w0, [x25, #2]", 0x79400720);
  CHECK_CODE(store_pair(x19, x20, sp, 16), "stp x19, x20, [sp, #16]", 0xA90153F3);
  CHECK_CODE(load_pair(x19, x20, sp, 16), "ldp x19, x20, [sp, #16]", 0xA94153F3);
  CHECK_CODE(push_pair(x29, x30, sp, -112), "stp x29, x30, [sp, #-112]!", 0xA9B97BFD);
  CHECK_CODE(pop_pair(x29, x30, sp, 112), "ldp x29, x30, [sp], #112", 0xA8C77BFD);
  CHECK_CODE(load_word(x10, x9, x0), "ldr w10, [x9, w0, uxtw #2]", 0xB860592A);
  CHECK_CODE(lea(x0, Mem{x21, -5}), "sub w0, w21, #5", 0x510016A0);
  CHECK_CODE(lea(x0, Mem{x21, 5000}), "mov w16, #5000; add w0, w21, w16", 0x52827110, 0x0B1002A0);
  CHECK_CODE(lea(x0, Mem{x21, 1, x9}), "add w0, w21, w9; add w0, w0, #1", 0x0B0902A0, 0x11000400);
  CHECK_CODE(add64(x29, sp, 0), "mov x29, sp", 0x910003FD);
  CHECK_CODE(add64(x9, x9, x10), "add x9, x9, x10", 0x8B0A0129);
  CHECK_CODE(alu(kAdd, x9, x20), "add w9, w9, w20", 0x0B140129);
  CHECK_CODE(alu(kSub, x9, x20), "sub w9, w9, w20", 0x4B140129);
  CHECK_CODE(alu(kCmp, x9, x20), "cmp w9, w20", 0x6B14013F);
  CHECK_CODE(alu(kAnd, x9, x20), "and w9, w9, w20", 0x0A140129);
  CHECK_CODE(alu(kOr, x9, x20, x10, 8), "orr w9, w20, w10, lsl #8", 0x2A0A2289);
  CHECK_CODE(alu(kXor, x9, x20, x10), "eor w9, w20, w10", 0x4A0A0289);
  CHECK_CODE(add_shifted_right(x24, x24, x0, 8), "add w24, w24, w0, lsr #8", 0x0B402318);
  CHECK_CODE(alu(kAdd, x9, Mem{x19, 8}), "ldr w16, [x19, #8]; add w9, w9, w16", 0xB9400A70, 0x0B100129);
  CHECK_CODE(alu(kCmp, x9, 100), "cmp w9, #100", 0x7101913F);
  CHECK_CODE(alu(kCmp, x9, -100), "cmn w9, #100", 0x3101913F);
  CHECK_CODE(alu(kAnd, x9, 0xFFF), "and w9, w9, #0xFFF", 0x12002D29);
  CHECK_CODE(alu(kAnd, x9, 5), "mov w16, #5; and w9, w9, w16", 0x528000B0, 0x0A100129);
  CHECK_CODE(logic(kXor, x0, x0, 0xFF), "eor w0, w0, #0xFF", 0x52001C00);
  CHECK_CODE(logic(kOr, x0, x1, 0x80000001), "orr w0, w1, #0x80000001", 0x32010420);
  CHECK_CODE(logic(kAnd, x0, x1, 0x33333333), "and w0, w1, #0x33333333", 0x1200E420);
  CHECK_CODE(alu8(kOr, x9, x10), "orr w9, w9, w10", 0x2A0A0129);
  CHECK_CODE(inc8(x21), "add w21, w21, #1; uxtb w21, w21", 0x110006B5, 0x53001EB5);
  CHECK_CODE(dec8(x21), "sub w21, w21, #1; uxtb w21, w21", 0x510006B5, 0x53001EB5);
  CHECK_CODE(test(x9, x10), "tst w9, w10", 0x6A0A013F);
  CHECK_CODE(test(x23, 0x80808080u), "tst w23, #0x80808080", 0x7201C2FF);
  CHECK_CODE(test(x23, 0x1001u), "mov w16, #0x1001; tst w23, w16", 0x52820030, 0x6A1002FF);
  CHECK_CODE(shift(kShl, x9, 2), "lsl w9, w9, #2", 0x531E7529);
  CHECK_CODE(shift(kShr, x9, 8), "lsr w9, w9, #8", 0x53087D29);
  CHECK_CODE(shift_right64(x9, 32), "lsr x9, x9, #32", 0xD360FD29);
  CHECK_CODE(bits(x9, x0, 6, 1), "ubfx w9, w0, #6, #1", 0x53061809);
  CHECK_CODE(bits_to(x0, x0, 1, 7), "ubfiz w0, w0, #1, #7", 0x531F1800);
  CHECK_CODE(mul64(x9, x10), "mul x9, x9, x10", 0x9B0A7D29);
  CHECK_CODE(mul(x9, x10, 171u), "mov w16, #171; mul w9, w10, w16", 0x52801570, 0x1B107D49);
  CHECK_CODE(set(kAboveEqual, x28), "cset w28, hs", 0x1A9F37FC);
  CHECK_CODE(set(kBelow, x28), "cset w28, lo", 0x1A9F27FC);
  CHECK_CODE(address(x9, 0), "adr x9, .", 0x10000009);
  CHECK_CODE(load_constant(x16, 0), "ldr x16, .", 0x58000010);
  CHECK_CODE(call(x16), "blr x16", 0xD63F0200);
  CHECK_CODE(jump(x4), "br x4", 0xD61F0080);
  CHECK_CODE(ret(), "ret", 0xD65F03C0);
  CHECK_CODE(patch(a.jump(), 0), "b .", 0x14000000);
  CHECK_CODE(patch(a.jump(kNotEqual), 4), "b.ne .+4", 0x54000021);
  CHECK_CODE(patch(a.jump(kAbove), 8), "b.hi .+8", 0x54000048);
  CHECK_CODE(patch(a.jump_if_zero(x9), 4096), "cbz w9, .+4096", 0x34008009);
  CHECK_CODE(patch(a.jump_if_not_zero(x9), 0), "cbnz w9, .", 0x35000009);
  CHECK_CODE(patch(a.jump_if_clear(x23, 7), 8), "tbz w23, #7, .+8", 0x36380057);
  CHECK_CODE(patch(a.jump_if_set(x23, 7), 0), "tbnz w23, #7, .", 0x37380017);
}

TEST(distances_that_do_not_fit_are_reported) {
  Assembler far;
  far.patch(far.jump_if_clear(x9, 7), 1 << 15);
  CHECK(!far.valid());
  Assembler near;
  near.patch(near.jump_if_clear(x9, 7), (1 << 15) - 4);
  CHECK(near.valid());
  Assembler unaligned;
  unaligned.mov(x9, Mem{x19, 257});
  CHECK(!unaligned.valid());
}

}  // namespace envpool::atari::a64

TEST_MAIN()
