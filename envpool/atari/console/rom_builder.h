// SPDX-License-Identifier: Apache-2.0
//
// Host only: turns the bytes of a ROM file into the shared Rom (cartridge type, properties, decoded instructions, TV
// standard, boot state).
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "envpool/atari/console/rom.h"

namespace envpool::atari {

// Exceptions to the defaults of ALE's property table.
struct RomProperties {
  const char* md5;
  const char* name;
  i32 height = 210;
  i32 y_start = 34;
  bool hmove_blanks = true;
  bool paddles_left = false;
  bool paddles_right = false;
  bool swap_paddles = false;
  bool swap_ports = false;
  bool difficulty_a = false;
  i32 paddle_max = 790196;
};

std::string md5_hex(const u8* bytes, std::size_t size);

// Properties of a known ROM; the defaults if the sum is not in the table.
RomProperties find_properties(const std::string& md5);

// Throws std::invalid_argument for a size or a cartridge type that no supported game has.
Mapper detect_mapper(const u8* bytes, std::size_t size);

std::unique_ptr<Rom> build_rom(const u8* bytes, std::size_t size);

}  // namespace envpool::atari
