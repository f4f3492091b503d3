// SPDX-License-Identifier: Apache-2.0
//
// The immutable data of a cartridge, which the host builds once (rom_builder.h) and all consoles share. It holds
// indices instead of pointers, so it can be copied to a device unchanged.
#pragma once

#include "envpool/atari/console/state.h"

namespace envpool::atari {

enum Mapper : u8 { k2K, k4K, kF8, kF8SC, kF6, kF6SC, kE0, kFE, kDPC };

// A decoded instruction. There is one for every ROM address (decode.h).
struct CodeEntry {
  u8 op;      // FastOp
  u8 cycles;  // base cycles
  u8 lo, hi;  // operand bytes, or values that decoding derives from them
  u16 arg;
  u16 extra;
};

constexpr u32 kPagePad = 4;  // extra entries after each page, which lead to the exact CPU
constexpr u32 kMaxCode = 4 * (4096 + kPagePad) + 1;
constexpr u32 kOutside = kMaxCode - 1;  // the entry of all code outside the cartridge

struct Rom {
  i32 height;    // visible lines
  i32 y_start;   // first visible line
  i32 max_line;  // a TIA write beyond this line ends the frame
  bool pal;
  bool hmove_blanks;
  bool paddles_left, paddles_right;  // paddles instead of joysticks in these jacks
  bool swap_paddles, swap_ports;
  bool difficulty_a[2];  // difficulty switches during TV standard detection; later the environment sets them
  i32 paddle_min, paddle_max;

  u8 mapper;
  bool superchip;
  u32 data_size;
  u16 plain_begin, plain_size;  // the cartridge offsets of plain ROM, whose reads have no side effects
  u8 data[16384];
  CodeEntry code[kMaxCode];

  Core boot;  // state after power-on and TV standard detection
  SystemRng boot_rng;
};

}  // namespace envpool::atari
