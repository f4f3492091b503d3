// SPDX-License-Identifier: Apache-2.0
//
// Cartridges of random bytes: whatever they do, a frame ends, stays inside the machine and depends neither on which
// frames are drawn nor on who runs it, the interpreter or native code. ENVPOOL_FUZZ_IMAGES says how many are tried;
// `make asan` tries many under the sanitizers.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "envpool/atari/console/console.h"
#include "envpool/atari/console/rom_builder.h"
#include "envpool/core/rng.h"
#include "envpool/core/testing.h"

namespace envpool::atari {

constexpr u32 kSizes[] = {2048, 4096, 8192, 10495, 16384};

// What ALE's detection of bank switching looks for, so that every kind of cartridge occurs.
constexpr u8 kHints[][5] = {{0x8D, 0xE0, 0x1F}, {0x20, 0x00, 0xD0, 0xC6, 0xC5}};

u8 structured_byte(Rng& rng, u8 before) {
  static constexpr u8 kOften[] = {0x85, 0x86, 0x84, 0xA9, 0xA5, 0xE8, 0xCA, 0x48, 0x68, 0x9A, 0xAD, 0x8D, 0x4C, 0xD0};
  if (before >= 0x84 && before <= 0x86) return u8(rng.below(0x2D));
  return rng.below(3) == 0 ? u8(rng.bits()) : kOften[rng.below(sizeof(kOften))];
}

std::vector<u8> random_image(Rng& rng, u32 number) {
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

Inputs random_inputs(Rng& rng) {
  Inputs in;
  in.swcha = u8(rng.bits());
  in.swchb = u8(rng.bits());
  in.fire[0] = rng.below(2) != 0;
  for (i32& ohms : in.paddle) ohms = rng.below(3) == 0 ? kOpen : i32(rng.below(1000000));
  return in;
}

u32 images() {
  const char* wanted = std::getenv("ENVPOOL_FUZZ_IMAGES");
  return wanted ? u32(std::atoi(wanted)) : 150;
}

// A console between bytes that nobody may write: the sanitizers do not see native code.
struct Guarded {
  u8 before[4096] = {};
  Console console;
  u8 after[4096] = {};

  bool intact() const {
    static constexpr u8 kUntouched[4096] = {};
    return std::memcmp(before, kUntouched, 4096) == 0 && std::memcmp(after, kUntouched, 4096) == 0;
  }
};

TEST(random_cartridges_stay_inside) {
  constexpr int kFrames = 12;
  const auto drawn = std::make_unique<Guarded>(), seen = std::make_unique<Guarded>(),
             native = std::make_unique<Guarded>();
  u32 mappers[9] = {};
  for (u32 number = 0; number < images(); ++number) {
    Rng rng{.seed = number};
    const std::vector<u8> image = random_image(rng, number);
    std::unique_ptr<Rom> rom;
    try {
      rom = build_rom(image.data(), image.size());
    } catch (const std::invalid_argument&) {
      continue;  // looks like a cartridge that no game has
    }
    ++mappers[rom->mapper];
    const auto compiled = std::make_unique<Rom>(*rom);
    const std::shared_ptr<const void> code = compile_rom(*compiled);
    const auto roms = {std::pair{&*drawn, &*rom}, std::pair{&*seen, &*rom}, std::pair{&*native, &*compiled}};
    for (const auto& [player, its_rom] : roms) power_on(player->console, *its_rom);
    const std::size_t pixels = std::size_t(kWidth) * std::size_t(rom->height);
    for (int frame = 0; frame < kFrames; ++frame) {
      const Inputs in = random_inputs(rng);
      const bool look = frame % 4 >= 2;
      bool same = true;
      for (const auto& [player, its_rom] : roms) {
        Console& c = player->console;
        const Console& reference = drawn->console;
        if (frame == kFrames / 2) system_reset(c, *its_rom);
        run_frame(c, *its_rom, in, look || player == &*drawn);
        same &= player->intact() && std::memcmp(c.ram, reference.ram, 128) == 0 && c.cycles == reference.cycles &&
                (!look || std::memcmp(screen(c), screen(reference), pixels) == 0);
      }
      if (same) continue;
      testing::fail(__FILE__, __LINE__, "image " + std::to_string(number) + ", frame " + std::to_string(frame));
      break;
    }
  }
  std::printf("cartridges of each kind:");
  for (const u32 count : mappers) std::printf(" %u", count);
  std::printf("\n");
  if (images() >= 150) {
    for (const u32 count : mappers) CHECK(count > 0);
  }
}

TEST(bad_images_are_refused) {
  const std::vector<u8> bytes(70000, 0xEA);
  for (const std::size_t size : {0, 1, 100, 2047, 2049, 4095, 4097, 8191, 10000, 12288, 16383, 32768, 70000}) {
    bool refused = false;
    try {
      build_rom(bytes.data(), size);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    if (!refused) testing::fail(__FILE__, __LINE__, std::to_string(size) + " bytes were taken");
  }
}

}  // namespace envpool::atari

TEST_MAIN()
