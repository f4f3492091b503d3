// SPDX-License-Identifier: Apache-2.0
//
// Host only. Builds a Rom from the bytes of a ROM file, with its cartridge type, properties, decoded instructions, TV
// standard and boot state.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "envpool/atari/console/rom.h"

namespace envpool::atari {

// Properties of a ROM. The defaults are the same as in ALE's property table.
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

// Returns the properties of a known ROM, or the defaults for an unknown checksum.
RomProperties find_properties(const std::string& md5);

// Detects the cartridge type as ALE does. Throws std::invalid_argument for an unsupported size or type.
Mapper detect_mapper(const u8* bytes, std::size_t size);

std::unique_ptr<Rom> build_rom(const u8* bytes, std::size_t size);

}  // namespace envpool::atari
