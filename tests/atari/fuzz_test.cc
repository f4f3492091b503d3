// SPDX-License-Identifier: Apache-2.0
//
// Plays cartridges of random bytes. Every frame must end and access nothing outside the machine. Results must not
// depend on which frames are drawn, or on whether the interpreter or native code runs the cartridge.
// ENVPOOL_FUZZ_IMAGES sets the number of cartridges; `make asan` plays many under the sanitizers.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "envpool/atari/console/console.h"
#include "envpool/atari/console/rom_builder.h"
#include "tests/atari/random_cartridge.h"
#include "tests/support/testing.h"

namespace envpool::atari {

u32 images() {
  const char* wanted = std::getenv("ENVPOOL_FUZZ_IMAGES");
  return wanted ? u32(std::atoi(wanted)) : 150;
}

// A console between guard bytes, because the sanitizers do not check native code.
struct Guarded {
  u8 before[4096] = {};
  WithScreens<Console> console;
  u8 after[4096] = {};

  bool intact() const {
    static constexpr u8 kUntouched[4096] = {};
    return std::memcmp(before, kUntouched, 4096) == 0 && std::memcmp(after, kUntouched, 4096) == 0;
  }
};

TEST(random_cartridges_stay_within_the_machine) {
  constexpr int kFrames = 12;
  const auto drawn = std::make_unique<Guarded>(), sampled = std::make_unique<Guarded>(),
             native = std::make_unique<Guarded>();
  u32 mappers[9] = {};
  for (u32 number = 0; number < images(); ++number) {
    Rng rng{.seed = number};
    const std::vector<u8> image = random_image(rng, number);
    std::unique_ptr<Rom> rom;
    try {
      rom = build_rom(image.data(), image.size());
    } catch (const std::invalid_argument&) {
      continue;  // detected as an unsupported cartridge type
    }
    ++mappers[rom->mapper];
    const std::shared_ptr<const void> code = compile_rom(*rom);
    const void* const interpreted = nullptr;
    const auto players = {std::pair{&*drawn, interpreted}, std::pair{&*sampled, interpreted},
                          std::pair{&*native, code.get()}};
    for (const auto& [player, its_code] : players) power_on(player->console, *rom);
    const std::size_t pixels = std::size_t(kWidth) * std::size_t(rom->height);
    for (int frame = 0; frame < kFrames; ++frame) {
      const Inputs in = random_inputs(rng);
      const bool look = frame % 4 >= 2;
      const auto valid = std::make_unique<Console>(drawn->console);
      repair(*valid, *rom);
      bool same = std::memcmp(&*valid, &drawn->console, sizeof(Console)) == 0;
      for (const auto& [player, its_code] : players) {
        Console& c = player->console;
        const Console& reference = drawn->console;
        if (frame == kFrames / 2) system_reset(c, *rom);
        run_frame(c, *rom, in, look || player == &*drawn, its_code);
        same &= player->intact() && std::memcmp(c.ram, reference.ram, 128) == 0 && c.cycles == reference.cycles &&
                (!look || std::memcmp(screen(c), screen(reference), pixels) == 0);
      }
      if (same) continue;
      testing::fail(__FILE__, __LINE__, "image " + std::to_string(number) + ", frame " + std::to_string(frame));
      break;
    }
  }
  std::printf("cartridges of each type:");
  for (const u32 count : mappers) std::printf(" %u", count);
  std::printf("\n");
  if (images() >= 150) {
    for (const u32 count : mappers) CHECK(count > 0);
  }
}

TEST(images_of_wrong_size_are_rejected) {
  const std::vector<u8> bytes(70000, 0xEA);
  for (const std::size_t size : {0, 1, 100, 2047, 2049, 4095, 4097, 8191, 10000, 12288, 16383, 32768, 70000}) {
    bool rejected = false;
    try {
      build_rom(bytes.data(), size);
    } catch (const std::invalid_argument&) {
      rejected = true;
    }
    if (!rejected) testing::fail(__FILE__, __LINE__, std::to_string(size) + " bytes were accepted");
  }
}

}  // namespace envpool::atari

TEST_MAIN()
