// SPDX-License-Identifier: Apache-2.0
//
// Generates cartridges that stress the TIA: nearly every instruction writes one of its registers, at any cycle of a
// line, or adds the content of a collision register to a byte of RAM.
#pragma once

#include <initializer_list>
#include <vector>

#include "envpool/core/math/rng.h"

namespace envpool::atari {

class TiaProgram {
 public:
  std::vector<u8> image;  // 4 KB, which begin with the program

  explicit TiaProgram(Rng& rng) : image(4096), rng_(rng) {
    for (u8& byte : image) byte = any();
    favourite_ = one_of({0x04, 0x05, 0x0A, 0x10, 0x14, 0x1B, 0x1C, 0x2A, 0x2C, 0x28});
    sparse_ = rng_.below(4) == 0;
    cuts_frames_ = sparse_ || rng_.below(4) == 0;
    put({0xD8, 0xA9, 0x02, 0x85, 0x00});                                // CLD, VSYNC on
    put({0x85, 0x02, 0x85, 0x02, 0x85, 0x02, 0xA9, 0x00, 0x85, 0x00});  // three lines, VSYNC off
    if (rng_.below(4) != 0) put({0xA2, u8(25 + rng_.below(12)), 0x85, 0x02, 0xCA, 0xD0, 0xFB});  // lines before row 0
    put({0xA9, 0x00, 0x85, 0x01});                                                               // VBLANK off
    const u32 end = 300 + rng_.below(3300);
    while (at_ < end) rng_.below(4) == 0 ? loop() : instruction();
    if (rng_.below(3) == 0) put({0xA2, u8(rng_.below(0x30)), 0x9A, 0x00});  // TXS, BRK: pushes three bytes at once
    put({0x4C, 0x00, 0xF0});
    image[0xFFC] = image[0xFFE] = 0x00;  // all vectors lead to the start
    image[0xFFD] = image[0xFFF] = 0xF0;
  }

 private:
  void put(std::initializer_list<u8> bytes) {
    for (const u8 byte : bytes) image[at_++] = byte;
  }
  u8 any() { return u8(rng_.bits()); }
  u8 ram() { return u8(0x80 | any()); }
  u8 one_of(std::initializer_list<u8> list) { return list.begin()[rng_.below(u32(list.size()))]; }

  // A program writes one register all the time. Those that move, shape or enable objects are frequent, except in sparse
  // programs, which have few objects: ALE draws ahead of the beam only there, see tia_overshoot.h.
  u8 reg() {
    if (sparse_) return one_of({favourite_, 0x08, 0x09, 0x0A, 0x0D, 0x0E, 0x0F, 0x2A});
    switch (rng_.below(8)) {
      case 0: return favourite_;
      case 1: return one_of({0x1B, 0x1C, 0x0D, 0x0E, 0x0F});
      case 2: return one_of({0x1D, 0x1E, 0x1F, 0x25, 0x26, 0x27, 0x28, 0x29});
      case 3: return one_of({0x10, 0x11, 0x12, 0x13, 0x14, 0x2A});
      case 4: return one_of({0x04, 0x05, 0x0A, 0x0B, 0x0C});
      default: return u8(0x04 + rng_.below(0x29));  // not VSYNC, VBLANK, WSYNC
    }
  }

  // Every later value of this byte of RAM depends on what is read here.
  void read_collision() {
    const u8 to = ram();
    put({0xA5, u8(rng_.below(8)), 0x65, to, 0x2A, 0x85, to});  // LDA, ADC, ROL, STA
  }

  void set(u8 reg, u8 value) { put({0xA9, value, 0x85, reg}); }

  // An instruction that leaves X as it is.
  void simple() {
    switch (rng_.below(14)) {
      case 0: put({0x85, 0x02}); break;              // WSYNC
      case 1: put({0x85, 0x02, 0x85, 0x2A}); break;  // HMOVE at the start of a line
      case 2: put({0xEA}); break;
      case 3: put({0x24, ram()}); break;  // takes three cycles
      case 4:
      case 5: read_collision(); break;
      case 6: put({0xE6, reg()}); break;  // INC: reads a collision, and writes another register in the same cycle
      case 7: put({0x86, reg()}); break;
      case 8: put({0x85, reg(), 0x84, reg()}); break;
      case 9: put({0xA4, ram(), 0x84, reg()}); break;
      case 10: put({0xBD, any(), u8(0xF0 | (any() & 15)), 0x85, reg()}); break;  // LDA abs,X
      default: set(reg(), any()); break;
    }
  }

  void instruction() {
    switch (rng_.below(32)) {
      case 0:
      case 1:
        if (cuts_frames_) write_vsync();
        break;
      case 2:  // blanks a part of a line
        set(0x01, u8((any() & 0xC0) | 2));
        simple();
        set(0x01, 0);
        break;
      case 3: put({0xA2, u8(1 + rng_.below(6)), 0x85, 0x02, 0xCA, 0xD0, 0xFB}); break;  // lines without a change
      default: sparse_ ? simple() : for_any_object(); break;
    }
  }

  void for_any_object() {
    switch (rng_.below(30)) {
      case 0: {  // JSR pushes two bytes into the TIA in the same cycle
        const u32 next = 0xF000 + at_ + 6;
        put({0xA2, u8(rng_.below(0x2E)), 0x9A, 0x20, u8(next), u8(next >> 8)});
        break;
      }
      case 1: put({0xA2, u8(rng_.below(0x2E)), 0x9A, 0x48, 0x08}); break;  // TXS, PHA, PHP
      case 2: put({0xA6, ram(), 0x95, reg()}); break;                      // writes any register
      case 3: star_field(); break;
      case 4: strobe_after_move(); break;
      default: simple(); break;
    }
  }

  void wait(u32 nops, bool three_more) {
    for (; nops != 0; --nops) put({0xEA});
    if (three_more) put({0x24, ram()});
  }

  // Writes HMM0 21 cycles after HMOVE, as "Cosmic Ark" does.
  void star_field() {
    set(0x22, u8(0x70 | any()));
    put({0x85, 0x02, 0x85, 0x2A, 0xA9, u8(0x60 | (any() & 15))});  // WSYNC, HMOVE, LDA
    wait(8, false);
    put({0x85, 0x22});
  }

  // Sets the position of a missile or the ball shortly after HMOVE, which may disturb it.
  void strobe_after_move() {
    put({0x85, 0x02});
    wait(rng_.below(2), false);
    put({0x85, 0x2A});
    wait(rng_.below(9), rng_.below(2) != 0);
    put({0x85, one_of({0x12, 0x13, 0x14})});
  }

  // Ends the frame if VSYNC goes off here after at least a line.
  void write_vsync() {
    put({0xA9, any()});
    switch (rng_.below(4)) {
      case 0: put({0x8D, 0x40, 0x01}); break;        // STA abs, to a mirror of the address
      case 1: put({0xA2, 0x00, 0x95, 0x00}); break;  // STA zp,X
      case 2: put({0xE6, 0x00}); break;              // INC
      default: put({0x85, 0x00}); break;
    }
  }

  // Repeats some instructions. They take any number of cycles, so they drift through the lines.
  void loop() {
    put({0xA2, u8(1 + rng_.below(40))});
    const u32 begin = at_;
    for (u32 n = 1 + rng_.below(8); n != 0; --n) simple();
    put({0xCA, 0xD0, u8(begin - at_ - 3)});  // DEX, BNE
  }

  Rng& rng_;
  u32 at_ = 0;
  u8 favourite_;
  bool sparse_, cuts_frames_;
};

}  // namespace envpool::atari
