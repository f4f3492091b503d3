// SPDX-License-Identifier: Apache-2.0
//
// Plays frames of an Atari game, for instructions.py, which counts their instructions in an emulator:
//
//   atari_frames GAME ROM FRAMES
//
// Of every four frames, the last two are drawn, as with a frame skip of 4. Prints whether the game ran as native code,
// and a checksum of the memory after each frame and of every twentieth screen.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "envpool/atari/console/rom_builder.h"
#include "envpool/atari/games/game_info.h"
#include "envpool/atari/machine.h"

namespace {

using namespace envpool;
using namespace envpool::atari;

u64 checksum(u64 sum, const u8* bytes, size_t size) {
  for (size_t i = 0; i < size; i += 8) {
    u64 word;
    std::memcpy(&word, bytes + i, 8);
    sum = (sum ^ word) * 0x9E3779B97F4A7C15ull;
    sum ^= sum >> 29;
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::ifstream file(argv[2], std::ios::binary);
  const std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
  const GameInfo info = find_game(argv[1]);
  const std::unique_ptr<Rom> rom = build_rom(reinterpret_cast<const u8*>(image.data()), image.size());
  const std::shared_ptr<const void> code = compile_rom(*rom);
  Setup setup;
  setup.rom = rom.get();
  setup.native = code.get();
  setup.traits = info.traits;
  setup.game = u8(info.game);
  setup.mode = info.traits.default_mode;
  Rng rng{.seed = 1};
  const auto machine = std::make_unique<Machine>(), start = std::make_unique<Machine>();
  load(*start, setup, rng);
  *machine = *start;
  u64 sum = 0;
  i32 action = kNoop;
  for (i32 frame = 0; frame < std::atoi(argv[3]); ++frame) {
    if (frame % 4 == 0) action = i32(rng.below(kActions));
    const bool draw = frame % 4 >= 2;
    act(*machine, setup, action, draw);
    sum = checksum(sum, machine->console.ram, sizeof machine->console.ram);
    if (frame % 40 == 39) sum = checksum(sum, screen(*machine), size_t(kWidth) * size_t(rom->height));
    if (machine->rules.terminal) *machine = *start;
  }
  std::printf("%s %016llx\n", code ? "native" : "interpreted", sum);
}
