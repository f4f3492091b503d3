// SPDX-License-Identifier: Apache-2.0
//
// Everything about a game that never changes: made once on the host (rom_builder.h), then shared by all consoles.
// Holds indices instead of pointers, so it can be copied to another device as it is.
#pragma once

#include "envpool/atari/console/state.h"

namespace envpool::atari {

enum Mapper : u8 { k2K, k4K, kF8, kF8SC, kF6, kF6SC, kE0, kFE, kDPC };

// One instruction, decoded in advance for every ROM address it could start at (decode.h).
struct CodeEntry {
  u8 op;      // FastOp
  u8 cycles;  // base cycles
  u8 lo, hi;  // operand bytes, or what decoding made of them
  u16 arg;
  u16 extra;
};

constexpr u32 kPagePad = 4;  // entries after each page that send the CPU to the exact path
constexpr u32 kMaxCode = 4 * (4096 + kPagePad) + 1;
constexpr u32 kOutside = kMaxCode - 1;  // entry that stands for all code outside the cartridge

struct Rom {
  i32 height;    // visible lines
  i32 y_start;   // first visible line
  i32 max_line;  // a TIA write beyond this line ends the frame
  bool pal;
  bool hmove_blanks;
  bool paddles_left, paddles_right;  // paddles instead of joysticks in these jacks
  bool swap_paddles, swap_ports;
  bool difficulty_a[2];  // switches during power-on; the environment sets its own later
  i32 paddle_min, paddle_max;

  u8 mapper;
  bool superchip;
  u32 data_size;
  u16 plain_begin, plain_size;  // cartridge offsets that are ROM without side effects
  u8 data[16384];
  CodeEntry code[kMaxCode];

  Core boot;  // state after power-on and TV standard detection
  SystemRng boot_rng;
};

}  // namespace envpool::atari
