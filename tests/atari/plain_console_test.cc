// SPDX-License-Identifier: Apache-2.0
//
// Compares the console with one whose TIA is as plain as possible (plain_tia.h), on random cartridges: memory, the
// processor, collision latches and positions after every frame, everything read from the TIA, and the pixels of drawn
// frames. ENVPOOL_FUZZ_IMAGES sets the number of cartridges. `make test` plays others every day; ENVPOOL_TEST_DAY
// repeats those of a day, such as 2026-11-26. ENVPOOL_ROMS names a folder with ROM files, of which 200 frames each are
// compared too.
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/atari/console/rom_builder.h"
#include "tests/atari/plain_console.h"
#include "tests/atari/random_cartridge.h"
#include "tests/atari/tia_cartridge.h"
#include "tests/support/testing.h"

namespace envpool::atari {

constexpr u32 kDaily = 100;  // cartridges

struct Images {
  u32 first, count;
};

// The cartridges to play.
Images images() {
  if (const char* wanted = std::getenv("ENVPOOL_FUZZ_IMAGES")) return {0, u32(std::atoi(wanted))};
  const char* date = std::getenv("ENVPOOL_TEST_DAY");
  int year, month, day;
  if (date == nullptr || std::sscanf(date, "%d-%d-%d", &year, &month, &day) != 3) {
    const std::time_t now = std::time(nullptr);
    const std::tm* const today = std::gmtime(&now);
    year = today->tm_year + 1900, month = today->tm_mon + 1, day = today->tm_mday;
  }
  return {kDaily * u32((year * 12 + month) * 31 + day), kDaily};
}

// Plays a cartridge on the plain console and on four others: native code and the interpreter, which draw every frame or
// some frames.
class Comparison {
 public:
  Comparison(const Rom& rom, std::string name)
      : rom_(rom), name_(std::move(name)), code_(compile_rom(rom)), plain_(std::make_unique<PlainConsole>(rom, true)) {
    for (Player& player : players_) {
      player.console = std::make_unique<WithScreens<Console>>();
      power_on(*player.console, rom);
    }
  }

  void reset() {
    plain_->reset();
    for (Player& player : players_) system_reset(*player.console, rom_);
  }

  // Plays a frame and returns whether all consoles are equal.
  bool play(const Inputs& in, bool look) {
    plain_->run(in, look);
    if (!plain_->difference.empty()) return differs("the TIA by itself", plain_->difference);
    for (Player& player : players_) {
      const bool draw = look || player.draws_all;
      run_frame(*player.console, rom_, in, draw, player.native ? code_.get() : nullptr);
      const std::string what = difference(*player.console, draw);
      if (!what.empty()) return differs(player.name, what);
    }
    ++frame_;
    return true;
  }

  const PlainConsole& plain() const { return *plain_; }

 private:
  struct Player {
    const char* name;
    bool native, draws_all;
    std::unique_ptr<WithScreens<Console>> console{};
  };

  bool differs(const char* who, const std::string& what) const {
    testing::fail(__FILE__, __LINE__, name_ + ", frame " + std::to_string(frame_) + ", " + who + ": " + what);
    return false;
  }

  static std::string values(const std::string& what, i64 got, i64 wanted) {
    return what + " is " + std::to_string(got) + " instead of " + std::to_string(wanted);
  }

  std::string difference(const Console& c, bool drawn) const {
    for (u32 i = 0; drawn && i < u32(rom_.height * kWidth); ++i) {
      const u8 wanted = plain_->chip.screen[plain_->chip.shown][i / kWidth][i % kWidth];
      if (screen(c)[i] == wanted) continue;
      const std::string at = "row " + std::to_string(i / kWidth) + ", pixel " + std::to_string(i % kWidth);
      return values(at, screen(c)[i], wanted) + cut_off();
    }
    for (u32 i = 0; i < 128; ++i) {
      if (c.ram[i] != plain_->ram[i]) return values("RAM " + std::to_string(i), c.ram[i], plain_->ram[i]);
    }
    for (u32 i = 0; i < 5; ++i) {
      const std::string what = "the position of object " + std::to_string(i);
      if (c.tia.line.look.pos[i] != plain_->chip.pos[i])
        return values(what, c.tia.line.look.pos[i], plain_->chip.pos[i]);
    }
    if (c.tia.collisions != plain_->chip.collisions) {
      return values("the set of collisions", c.tia.collisions, plain_->chip.collisions);
    }
    if (c.cycles != plain_->cycles) return values("the cycle", c.cycles, plain_->cycles);
    if (c.cpu.pc != plain_->cpu.pc) return values("the program counter", c.cpu.pc, plain_->cpu.pc);
    return {};
  }

  std::string cut_off() const {
    const i64 line = plain_->line() - rom_.y_start;
    return line >= rom_.height ? "" : " (the frame was cut off in row " + std::to_string(line) + ")";
  }

  const Rom& rom_;
  std::string name_;
  std::shared_ptr<const void> code_;
  std::unique_ptr<PlainConsole> plain_;
  Player players_[4] = {{"native code", true, false},
                        {"native code, all drawn", true, true},
                        {"the interpreter", false, false},
                        {"the interpreter, all drawn", false, true}};
  int frame_ = 0;
};

// Of every four cartridges, three are made for the TIA. The others are of all types, with random bytes or a program.
std::vector<u8> cartridge(Rng& rng, u32 number) {
  if (number % 4 != 3) return TiaProgram(rng).image;
  if (number % 8 == 7) return random_image(rng, number / 8);
  return random_program(rng, Mapper(number / 8 % 9), number / 8 % 5 == 0);
}

TEST(random_cartridges_look_as_on_the_plain_console) {
  constexpr u32 kFrames = 12;
  const Images wanted = images();
  u32 played = 0, frames = 0, unfinished = 0, cut_off = 0;
  for (u32 number = wanted.first; number < wanted.first + wanted.count; ++number) {
    Rng rng{.seed = number, .stream = 3};
    const std::vector<u8> image = cartridge(rng, number);
    std::unique_ptr<Rom> rom;
    try {
      rom = build_rom(image.data(), image.size());
    } catch (const std::invalid_argument&) {
      continue;  // detected as an unsupported cartridge type
    }
    rom->hmove_blanks = rng.below(8) != 0;
    Comparison comparison(*rom, "cartridge " + std::to_string(number));
    ++played;
    for (u32 frame = 0; frame < kFrames; ++frame) {
      if (frame == kFrames / 2) comparison.reset();
      const bool look = rng.below(3) == 0;
      if (!comparison.play(random_inputs(rng), look)) break;
      const PlainConsole& plain = comparison.plain();
      ++frames;
      unfinished += plain.unfinished;
      cut_off += plain.line() < rom->y_start + rom->height;
    }
  }
  std::printf("%u cartridges from number %u, %u frames: %u cut off in the visible window, %u unfinished\n", played,
              wanted.first, frames, cut_off, unfinished);
  CHECK(played > 0);
}

TEST(roms_look_as_on_the_plain_console) {
  const char* folder = std::getenv("ENVPOOL_ROMS");
  if (folder == nullptr) return;
  u32 played = 0, cut_off = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> image(std::istreambuf_iterator<char>(file), {});
    std::unique_ptr<Rom> rom;
    try {
      rom = build_rom(reinterpret_cast<const u8*>(image.data()), image.size());
    } catch (const std::invalid_argument& error) {
      std::printf("%s: %s\n", entry.path().filename().string().c_str(), error.what());
      continue;
    }
    Comparison comparison(*rom, entry.path().stem().string());
    Rng rng{.seed = 0};
    Inputs in;
    for (u32 frame = 0; frame < 200; ++frame) {
      if (frame == 100) comparison.reset();
      // The switches select and reset the game at first. Then every move lasts for some frames.
      const bool starting = frame % 100 < 20;
      if (starting || frame % 4 == 0) in = random_inputs(rng);
      in.swchb = u8(starting ? in.swchb | 0x3C : 0x3F);
      if (!comparison.play(in, rng.below(3) == 0)) break;
      cut_off += comparison.plain().line() < rom->y_start + rom->height;
    }
    ++played;
  }
  std::printf("%u ROMs, %u frames cut off\n", played, cut_off);
  CHECK(played > 0);
}

}  // namespace envpool::atari

TEST_MAIN()
