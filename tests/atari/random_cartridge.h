// SPDX-License-Identifier: Apache-2.0
//
// Generates cartridges of every type, with random bytes or a random program, and random inputs.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "envpool/atari/console/rom.h"
#include "envpool/core/math/rng.h"

namespace envpool::atari {

inline constexpr u32 kSizes[] = {2048, 4096, 8192, 10495, 16384};

// Byte patterns that ALE's detection of bank switching searches for, so that every cartridge type occurs.
inline constexpr u8 kHints[][5] = {{0x8D, 0xE0, 0x1F}, {0x20, 0x00, 0xD0, 0xC6, 0xC5}};

inline u8 structured_byte(Rng& rng, u8 before) {
  static constexpr u8 kOften[] = {0x85, 0x86, 0x84, 0xA9, 0xA5, 0xE8, 0xCA, 0x48, 0x68, 0x9A, 0xAD, 0x8D, 0x4C, 0xD0};
  if (before >= 0x84 && before <= 0x86) return u8(rng.below(0x2D));
  return rng.below(3) == 0 ? u8(rng.bits()) : kOften[rng.below(sizeof(kOften))];
}

inline std::vector<u8> random_image(Rng& rng, u32 number) {
  const u32 size = kSizes[number % 5];
  std::vector<u8> image(size);
  const bool structured = number % 3 != 0;
  for (u32 i = 0; i < size; ++i) image[i] = structured && i > 0 ? structured_byte(rng, image[i - 1]) : u8(rng.bits());
  const u32 code = size == 10495 ? 8192 : size;
  for (u32 end = code; end >= 2048; end -= 2048) image[end - 3] = u8(0xF0 | rng.below(16));  // starts in the cartridge
  if (number % 7 == 0 && size >= 8192) {                                                     // superchip
    for (u32 bank = 0; bank < code; bank += 4096) std::memset(&image[bank], image[bank], 256);
  } else if (number % 2 == 0) {
    std::memcpy(&image[100], kHints[number / 2 % 2], 5);
  }
  return image;
}

// A program that draws frames of about 262 lines. It writes to the TIA's registers within and between lines. It reads
// tables, pointers, collisions and the timer, and waits for the timer. It also calls a subroutine, interrupts itself,
// pushes bytes onto the stack, and switches between banks, which all hold the same program. With `long_frames`, a delay
// loop after each frame takes longer than the longest update of the console.
class RandomProgram {
 public:
  RandomProgram(Rng& rng, Mapper mapper, u16 origin, bool long_frames) : rng_(rng), mapper_(mapper), origin_(origin) {
    put({0x60, 0x40});  // RTS, for JSR; RTI, for BRK
    const u16 frame = here();
    put({0xD8, 0xA2, 0xFF, 0x9A, 0xA9, 0x02, 0x85, 0x00});              // CLD, initialize SP, VSYNC on
    put({0x85, 0x02, 0x85, 0x02, 0x85, 0x02, 0xA9, 0x00, 0x85, 0x00});  // three lines, VSYNC off
    while (lines_ < 240 && code.size() < 850) instruction();
    if (long_frames) put({0xA0, 0xC0, 0xA2, 0x00, 0xEA, 0xCA, 0xD0, 0xFC, 0x88, 0xD0, 0xF7});  // two loops
    put({0x4C, u8(frame), u8(frame >> 8)});
  }

  std::vector<u8> code;

 private:
  void put(std::initializer_list<u8> bytes) { code.insert(code.end(), bytes); }
  u16 here() const { return u16(origin_ + code.size()); }
  u8 any() { return u8(rng_.bits()); }
  u8 ram() { return u8(0x80 | any()); }
  u8 tia() { return u8(4 + rng_.below(0x29)); }  // not VSYNC, VBLANK, WSYNC

  void instruction() {
    switch (rng_.below(25)) {
      case 0: put({0xA9, any(), 0x85, tia()}); break;  // LDA #, STA TIA
      case 1: put({0xA9, any(), 0x85, tia(), 0xA0, any(), 0x84, tia()}); break;
      case 2: put({0x85, 0x02}), ++lines_; break;  // STA WSYNC
      case 3:
      case 4: {  // lines, each of which writes other values to two registers
        const u8 count = u8(1 + rng_.below(24));
        put({0xA2, count, 0x85, 0x02, 0x86, tia(), 0x86, tia(), 0xCA, 0xD0, 0xF7});
        lines_ += count;
        break;
      }
      case 5: put({0xE6, ram(), 0x65, ram(), 0x85, ram()}); break;                           // INC, ADC, STA
      case 6: put({0xA6, ram(), 0xBD, any(), u8(0xF0 | (any() & 15)), 0x95, ram()}); break;  // LDX, LDA abs,X, STA zp,X
      case 7: put({0xA4, ram(), 0xB1, u8(0x80 + rng_.below(0x7F))}); break;                  // LDY, LDA (zp),Y
      case 8: put({0x48, 0x08, 0x28, 0x68}); break;                                          // PHA, PHP, PLP, PLA
      case 9: put({0x20, u8(origin_), u8(origin_ >> 8)}); break;                             // JSR
      case 10:                                                                               // TIM64T, wait for INTIM
        put({0xA9, u8(2 + rng_.below(6)), 0x8D, 0x96, 0x02, 0xAD, 0x84, 0x02, 0xD0, 0xFB});
        lines_ += 4;
        break;
      case 11: put({0xA5, u8(rng_.below(16)), 0x26, ram(), 0x46, ram()}); break;        // a TIA register, ROL, LSR
      case 15: put({0x6A, 0xAA, 0xBD, any(), u8(0xF0 | rng_.below(15)), 0x2A}); break;  // ROR, TAX, LDA abs,X, ROL
      case 12: put({0xF8, 0x69, any(), 0xE9, any(), 0xD8}); break;                      // decimal ADC and SBC
      case 13: put({0x85, 0x2A, 0xA9, any(), 0x85, u8(0x1B + rng_.below(2))}); break;   // HMOVE, graphics
      case 14: put({0x24, u8(rng_.below(8)), 0x10, 0x02, 0xA9, any()}); break;          // BIT a collision, BPL
      case 16: put({choose({0xE6, 0xC6}), tia()}); break;                               // INC or DEC of a TIA register
      case 17: put({0xA2, any(), 0xA1, ram()}); break;                                  // LDX #, LDA (zp,X)
      case 18:  // LDX #, a shift, INC or DEC of zp,X
        put({0xA2, u8(rng_.below(8)), choose({0x16, 0x36, 0x56, 0x76, 0xD6, 0xF6}), u8(ram() & 0xEF)});
        break;
      case 19: put({choose({0xEE, 0xCE, 0xAD, 0x8D}), ram(), u8(rng_.below(2))}); break;  // a 3-byte address of RAM
      case 20:
      case 21: wait_for_timer(); break;
      case 22: put({0x00, any()}); break;  // BRK
      case 23:                             // WSYNC, a delay that ends at any cycle of the line, HMOVE
        put({0x85, 0x02});
        for (u32 n = rng_.below(4); n > 0; --n) put({0x24, ram()});
        put({0xA2, u8(1 + rng_.below(15)), 0xCA, 0xD0, 0xFD, 0x85, 0x2A});
        ++lines_;
        break;
      default: switch_bank(); break;
    }
  }

  u8 choose(std::initializer_list<u8> bytes) { return bytes.begin()[rng_.below(u32(bytes.size()))]; }

  // Sets the timer with any prescaler. Reads INTIM or the timer's flag with LDA, LDX, LDY or BIT, and branches back
  // with BNE, BPL or BMI.
  void wait_for_timer() {
    const u32 prescaler = rng_.below(4);
    const u8 value = prescaler < 2 ? any() : u8(1 + rng_.below(prescaler == 2 ? 12 : 2));
    const bool flag = rng_.below(3) == 0;
    const bool expires_soon = prescaler == 0 || value < 2;  // BNE or BMI would then wait for the flag forever
    const u8 read = choose({0xAD, 0xAE, 0xAC, 0x2C});
    const u8 branch = flag && expires_soon ? u8{0x10} : choose({0xD0, 0x10, 0x30});
    put({0xA9, value, 0x8D, u8(0x94 + prescaler), 0x02, read, u8((flag ? 0x85 : 0x84) + 2 * rng_.below(2)), 0x02});
    put({branch, 0xFB});
    lines_ += 4;
  }

  void switch_bank() {
    switch (mapper_) {
      case kF8:
      case kF8SC:
      case kDPC: put({0xAD, u8(0xF8 + rng_.below(2)), 0xFF}); break;
      case kF6:
      case kF6SC: put({0xAD, u8(0xF6 + rng_.below(4)), 0xFF}); break;
      case kE0: put({0xAD, u8(0xE0 + rng_.below(24)), 0xFF}); break;
      case kFE: put({0xAD, 0x00, u8(rng_.below(2) ? 0xF3 : 0xD3)}); break;
      default: put({0xEA}); break;
    }
    if (mapper_ == kF8SC || mapper_ == kF6SC)
      put({0x8D, u8(rng_.below(128)), 0xF0, 0xAD, u8(rng_.below(128) | 128), 0xF0});
    if (mapper_ == kDPC) put({0x8D, u8(0x40 | rng_.below(64)), 0xF0, 0xAD, u8(rng_.below(64)), 0xF0});
  }

  Rng& rng_;
  Mapper mapper_;
  u16 origin_;
  u32 lines_ = 0;
};

// Returns a cartridge of this type with a random program, surrounded by random bytes.
inline std::vector<u8> random_program(Rng& rng, Mapper mapper, bool long_frames = false) {
  static constexpr u32 kSizeOf[] = {2048, 4096, 8192, 8192, 16384, 16384, 8192, 8192, 10495};
  const u32 code_size = mapper == kDPC ? 8192 : kSizeOf[mapper];
  const u32 bank_size = std::min(code_size, 4096u);
  const u32 offset = mapper == kE0 ? 0xC00 : 0x100;
  const u16 origin = u16(0xF000 + offset);
  std::vector<u8> image(kSizeOf[mapper]);
  for (u8& byte : image) byte = u8(rng.bits());
  const std::vector<u8> program = RandomProgram(rng, mapper, origin, long_frames).code;
  for (u32 bank = 0; bank < code_size; bank += bank_size) {
    std::copy(program.begin(), program.end(), &image[bank + offset]);
    image[bank + bank_size - 4] = u8(origin + 2);
    image[bank + bank_size - 3] = u8(origin >> 8);
    image[bank + bank_size - 2] = u8(origin + 1);
    image[bank + bank_size - 1] = u8(origin >> 8);
    if (mapper == kF8SC || mapper == kF6SC) std::memset(&image[bank], 0x55, 256);
  }
  if (mapper == kE0) std::memcpy(&image[100], kHints[0], 5);
  if (mapper == kFE) std::memcpy(&image[20], kHints[1], 5);
  return image;
}

inline Inputs random_inputs(Rng& rng) {
  Inputs in;
  in.swcha = u8(rng.bits());
  in.swchb = u8(rng.bits());
  in.fire[0] = rng.below(2) != 0;
  for (i32& ohms : in.paddle) ohms = rng.below(3) == 0 ? kOpen : i32(rng.below(1000000));
  return in;
}

}  // namespace envpool::atari
