// SPDX-License-Identifier: Apache-2.0
#include "envpool/atari/console/rom_builder.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <stdexcept>

#include "envpool/atari/console/console.h"
#include "envpool/atari/console/decode.h"

namespace envpool::atari {
namespace {

const RomProperties kProperties[] = {
    {.md5 = "acb7750b4d0c4bd34969802a7deb2990", .name = "amidar", .difficulty_a = true},
    {.md5 = "ccbd36746ed4525821a8083b0d6d2c2c", .name = "asteroids", .hmove_blanks = false},
    {.md5 = "8556b42aa05f94bc29ff39c39b11bff4", .name = "backgammon", .paddles_left = true, .paddle_max = 1000000},
    {.md5 = "41f252a66c6301f1e8ab3612c19bc5d4", .name = "battle_zone", .hmove_blanks = false},
    {.md5 = "0a981c03204ac2b278ba392674682560", .name = "blackjack", .paddles_left = true, .paddle_max = 795000},
    {.md5 = "f34f08e5eb96e500e851a80be3277a56", .name = "breakout", .paddles_left = true},
    {.md5 = "028024fb8e5e5f18ea586652f9799c96", .name = "carnival", .height = 214, .y_start = 26},
    {.md5 = "b816296311019ab69a21cb9e9e235d12", .name = "casino", .paddles_left = true},
    {.md5 = "0ef64cdbecccb7049752a3de0b7ade14", .name = "combat", .height = 256, .y_start = 39},
    {.md5 = "106855474c69d08c8ffa308d47337269", .name = "darkchambers", .hmove_blanks = false},
    {.md5 = "718ae62c70af4e5fd8e932fee216948a", .name = "journey_escape", .height = 230},
    {.md5 = "5428cdfada281c569c74c7308c7f2c26", .name = "kaboom", .paddles_left = true},
    {.md5 = "87e79cd41ce136fd4f72cc6e2c161bee", .name = "ms_pacman", .hmove_blanks = false},
    {.md5 = "60e0ea3cbe0913d39803477945e9e5ec",
     .name = "pong",
     .paddles_left = true,
     .paddles_right = true,
     .swap_paddles = true},
    {.md5 = "4799a40b6e889370b7ee55c17ba65141", .name = "pooyan", .height = 220, .y_start = 26},
    {.md5 = "484b0076816a104875e00467d431c2d2", .name = "qbert", .y_start = 40},
    {.md5 = "4d7517ae69f95cfbc053be01312b7dba", .name = "surround", .swap_ports = true},
    {.md5 = "a499d720e7ee35c62424de882a3351b6", .name = "up_n_down", .y_start = 30},
    {.md5 = "cbe5a166550a8129a5e6d374901dffad", .name = "warlords", .paddles_left = true, .paddles_right = true},
    {.md5 = "7e8aa18bc9502eb57daaf5e7c1e94da7", .name = "wizard_of_wor", .swap_ports = true},
};

// Searches bytes as ALE does: the last possible start of a match is not tried, and matches do not overlap.
bool contains(const u8* bytes, std::size_t size, std::initializer_list<u8> pattern, int times = 1) {
  int count = 0;
  for (std::size_t i = 0; i + pattern.size() < size; ++i) {
    if (!std::equal(pattern.begin(), pattern.end(), bytes + i)) continue;
    if (++count == times) return true;
    i += pattern.size() - 1;
  }
  return false;
}

bool has_superchip(const u8* bytes, std::size_t size) {
  for (std::size_t bank = 0; bank < size; bank += 4096) {
    if (!std::all_of(bytes + bank, bytes + bank + 256, [&](u8 b) { return b == bytes[bank]; })) return false;
  }
  return true;
}

[[noreturn]] void unsupported(const std::string& type) {
  throw std::invalid_argument("expected a cartridge of type 2K, 4K, F8, F8SC, F6, F6SC, E0, FE or DPC, got " + type);
}

bool halves_equal(const u8* bytes, std::size_t size) { return std::memcmp(bytes, bytes + size / 2, size / 2) == 0; }

Mapper detect_8k(const u8* b, std::size_t n) {
  if (has_superchip(b, n)) return kF8SC;
  if (halves_equal(b, n)) return k4K;
  if (contains(b, n, {0x8D, 0xE0, 0x1F}) || contains(b, n, {0x8D, 0xE0, 0x5F}) || contains(b, n, {0x8D, 0xE9, 0xFF}) ||
      contains(b, n, {0xAD, 0xE9, 0xFF}) || contains(b, n, {0xAD, 0xED, 0xFF}) || contains(b, n, {0xAD, 0xF3, 0xBF})) {
    return kE0;
  }
  if (contains(b, n, {0x85, 0x3E, 0xA9, 0x00})) unsupported("3E");
  if (contains(b, n, {0x85, 0x3F}, 2)) unsupported("3F");
  if (contains(b, n, {0x8D, 0x40, 0x02})) unsupported("UA");
  if (contains(b, n, {0x20, 0x00, 0xD0, 0xC6, 0xC5}) || contains(b, n, {0x20, 0xC3, 0xF8, 0xA5, 0x82}) ||
      contains(b, n, {0xD0, 0xFB, 0x20, 0x73, 0xFE}) || contains(b, n, {0x20, 0x00, 0xF0, 0x84, 0xD6})) {
    return kFE;
  }
  return kF8;
}

Mapper detect_16k(const u8* b, std::size_t n) {
  if (has_superchip(b, n)) return kF6SC;
  if (contains(b, n, {0x85, 0x3E, 0xA9, 0x00})) unsupported("3E");
  if (contains(b, n, {0x85, 0x3F}, 2)) unsupported("3F");
  return kF6;
}

void set_plain_range(Rom& rom) {
  u16 begin = 0, end = 0x1000;
  switch (rom.mapper) {
    case kF8: end = 0xFF8; break;
    case kF6: end = 0xFF6; break;
    case kF8SC:
      begin = 0x100;
      end = 0xFF8;
      break;
    case kF6SC:
      begin = 0x100;
      end = 0xFF6;
      break;
    case kE0: end = 0xFE0; break;
    case kFE: end = 0; break;
    case kDPC:
      begin = 0x80;
      end = 0xFC0;
      break;
    default: break;
  }
  rom.plain_begin = begin;
  rom.plain_size = static_cast<u16>(end - begin);
}

void copy_bytes(Rom& rom, const u8* bytes, std::size_t size) {
  rom.mapper = detect_mapper(bytes, size);
  rom.superchip = rom.mapper == kF8SC || rom.mapper == kF6SC;
  if (rom.mapper == kDPC) size = 10240;
  if (rom.mapper == k4K) size = 4096;
  std::copy(bytes, bytes + size, rom.data);
  if (rom.mapper == k2K) {
    std::copy(bytes, bytes + 2048, rom.data + 2048);
    size = 4096;
  }
  rom.data_size = static_cast<u32>(size);
  set_plain_range(rom);
}

// Detects the TV standard as ALE does: runs 60 frames as NTSC, and decides on PAL if at least half of the last 30 are
// long.
bool detect_pal(Console& c, const Rom& rom) {
  Inputs idle;
  idle.swchb = static_cast<u8>(0x3F | rom.difficulty_a[0] << 6 | rom.difficulty_a[1] << 7);
  if (!rom.paddles_left) idle.paddle[0] = idle.paddle[1] = kOpen;
  if (!rom.paddles_right) idle.paddle[2] = idle.paddle[3] = kOpen;
  int long_frames = 0;
  system_reset(c, rom);
  for (int i = 0; i < 60; ++i) {
    run_frame(c, rom, idle, /*draw=*/true);
    const i32 lines = (c.cycles - c.tia.frame_start) / kCyclesPerLine;
    if (i >= 30 && lines > 285) ++long_frames;
  }
  return long_frames >= 15;
}

}  // namespace

Mapper detect_mapper(const u8* bytes, std::size_t size) {
  switch (size) {
    case 2048: return k2K;
    case 4096: return halves_equal(bytes, size) ? k2K : k4K;
    case 8192: return detect_8k(bytes, size);
    case 10240:
    case 10495:
    case 10496: return kDPC;
    case 16384: return detect_16k(bytes, size);
    default:
      throw std::invalid_argument("expected a cartridge of 2048, 4096, 8192, 10240, 10495, 10496 or 16384 bytes, got " +
                                  std::to_string(size) + " bytes");
  }
}

RomProperties find_properties(const std::string& md5) {
  for (const RomProperties& p : kProperties) {
    if (md5 == p.md5) return p;
  }
  return {.md5 = "", .name = ""};
}

std::unique_ptr<Rom> build_rom(const u8* bytes, std::size_t size) {
  auto rom = std::make_unique<Rom>();
  const RomProperties p = find_properties(md5_hex(bytes, size));
  rom->height = 210;  // for detect_pal; the final height is set below
  rom->y_start = p.y_start;
  rom->max_line = 290;
  rom->hmove_blanks = p.hmove_blanks;
  rom->paddles_left = p.paddles_left;
  rom->paddles_right = p.paddles_right;
  rom->swap_paddles = p.swap_paddles;
  rom->swap_ports = p.swap_ports;
  rom->difficulty_a[0] = rom->difficulty_a[1] = p.difficulty_a;
  rom->paddle_min = 27450;
  rom->paddle_max = p.paddle_max;
  copy_bytes(*rom, bytes, size);
  decode_rom(*rom);

  auto console = std::make_unique<WithScreens<Console>>();
  construct(*console);
  rom->pal = detect_pal(*console, *rom);
  rom->height = rom->pal && p.height == 210 ? 250 : p.height;
  if (rom->pal) rom->max_line = 342;
  system_reset(*console, *rom);
  rom->boot = *console;
  rom->boot_rng = console->rng;
  return rom;
}

}  // namespace envpool::atari
