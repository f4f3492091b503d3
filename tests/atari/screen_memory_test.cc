// SPDX-License-Identifier: Apache-2.0
//
// Tests that what the console remembers of its screens (ScreenMemory) has no effect on them. Lines that it takes for
// equal must have the same pixels and collisions. Random cartridges run on three consoles: one as usual, one that
// forgets everything before some of its frames, and a plain one, which paints every pixel soon after the beam has
// passed it and remembers nothing. ENVPOOL_FUZZ_IMAGES sets the number of cartridges.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/atari/console/console.h"
#include "envpool/atari/console/rom_builder.h"
#include "tests/atari/random_cartridge.h"
#include "tests/atari/random_line.h"
#include "tests/support/testing.h"

namespace envpool::atari {

u32 images() {
  const char* wanted = std::getenv("ENVPOOL_FUZZ_IMAGES");
  return wanted ? u32(std::atoi(wanted)) : 150;
}

void forget(Console& c) { std::memset(static_cast<void*>(&c.memory), 0, sizeof(c.memory)); }

// Returns a line that differs in one field, or in one event.
RandomLine similar_line(Rng& rng, const RandomLine& line) {
  RandomLine result = line;
  const u32 what = rng.below(sizeof(Look) + 4);
  if (what < sizeof(Look)) {
    bytes_of(result.line.look)[what] = random_field(rng, what);
  } else {
    Event& event = result.event[what - sizeof(Look)];
    if (rng.below(2) == 0) event.field = u8(rng.below(offsetof(Look, blank_left)));
    event.before = random_field(rng, event.field);
  }
  if (rng.below(8) == 0 && result.line.events > 0) --result.line.events;
  return result;
}

TEST(lines_that_are_taken_for_equal_have_equal_pixels_and_collisions) {
  constexpr i32 kRow = 5;
  const auto c = std::make_unique<WithScreens<Console>>();
  Rng rng{.seed = 1};
  u32 equal_pixels = 0, equal_collisions = 0;
  for (u32 n = 0; n < 200'000; ++n) {
    const RandomLine first = random_line(rng), second = similar_line(rng, first);
    forget(*c);
    c->tia.row = kRow;
    set_line(*c, first);
    paint_row(*c, contents_of_line(*c));
    set_line(*c, second);
    u64 pixels[kWidth / 8] = {};
    const Painting painting = paint_line(*c, pixels, 0, kWidth);
    const u32 painted = c->memory.contents[0][kRow];
    const bool same = is_painted(*c, 0, kRow, kRelevance.pixels[contents_of_line(*c)]);
    CHECK_EQ(is_painted(*c, 0, kRow, kRelevance.pixels[painted]), same);
    if (same) {
      ++equal_pixels;
      CHECK_EQ(std::memcmp(pixels, row_of(*c, 0, kRow), sizeof(pixels)), 0);
      CHECK_EQ(painting.collisions, u32{c->memory.painted[0][kRow].collisions});
    }
    set_line(*c, second, /*with_colours=*/false);
    const bool same_collisions = collides_as_painted(*c, 0, kRow, kRelevance.collisions[contents_of_line(*c)]);
    // A black line without its events of colours may equal one that is black only at its end.
    CHECK(same_collisions || !collides_as_painted(*c, 0, kRow, kRelevance.collisions[painted]));
    if (same_collisions) {
      ++equal_collisions;
      CHECK_EQ(painting.collisions, u32{c->memory.painted[0][kRow].collisions});
    }
  }
  CHECK(equal_pixels > 10'000);
  CHECK(equal_collisions > equal_pixels);
}

// Runs one update and paints up to the beam after each instruction.
void run_plain_frame(Console& c, const Rom& rom, const Inputs& inputs) {
  forget(c);
  set_inputs(c, inputs);
  c.unfinished ? limit_clock(c) : start_frame(c, rom);
  c.unfinished = true;
  c.stop = false;
  c.drawing = c.exact = true;
  for (i32 n = 0; n < kMaxInstructions && !c.stop && !c.cpu.jammed; ++n) {
    step_exact(c, rom);
    flush(c, rom, 3 * c.cycles);
    if (c.tia.row < rom.height && beam_x(c.tia) > c.tia.finished) finish_row(c, beam_x(c.tia));
  }
  end_frame(c, rom);
  ++c.frames;
}

TEST(the_memory_of_a_screen_has_no_effect) {
  constexpr u32 kFrames = 16;
  const auto usual = std::make_unique<WithScreens<Console>>(), forgetful = std::make_unique<WithScreens<Console>>(),
             plain = std::make_unique<WithScreens<Console>>();
  u64 compared = 0;
  for (u32 number = 0; number < images(); ++number) {
    Rng rng{.seed = number};
    const std::vector<u8> image =
        number % 3 == 0 ? random_image(rng, number) : random_program(rng, Mapper(number / 3 % 9));
    std::unique_ptr<Rom> rom;
    try {
      rom = build_rom(image.data(), image.size());
    } catch (const std::invalid_argument&) {
      continue;  // detected as an unsupported cartridge type
    }
    const std::shared_ptr<const void> code = compile_rom(*rom);
    for (Console* c : {&*usual, &*forgetful, &*plain}) power_on(*c, *rom);
    const size_t pixels = size_t(kWidth) * size_t(rom->height);
    u32 whole = 0;  // successive frames that were not cut off, where ALE draws beyond the beam
    for (u32 frame = 0; frame < kFrames; ++frame) {
      const Inputs in = random_inputs(rng);
      const bool draw = frame % 4 >= 2 || number % 4 == 1;
      if (rng.below(3) == 0) forget(*forgetful);
      run_frame(*usual, *rom, in, draw, code.get());
      run_frame(*forgetful, *rom, in, draw);
      run_plain_frame(*plain, *rom, in);
      whole = usual->unfinished || usual->tia.drawn < usual->tia.window_end ? 0 : whole + 1;
      const auto same = [&](const Console& c) {
        return std::memcmp(c.ram, usual->ram, 128) == 0 && c.cycles == usual->cycles &&
               c.tia.collisions == usual->tia.collisions;
      };
      const auto same_screen = [&](const Console& c) {
        return !draw || std::memcmp(screen(c), screen(*usual), pixels) == 0;
      };
      const bool good =
          same(*forgetful) && same_screen(*forgetful) && same(*plain) && (whole < 3 || same_screen(*plain));
      compared += draw && whole >= 3;
      if (good) continue;
      testing::fail(__FILE__, __LINE__, "image " + std::to_string(number) + ", frame " + std::to_string(frame));
      break;
    }
  }
  std::printf("%llu frames\n", compared);
  if (images() >= 150) CHECK(compared > 200);
}

}  // namespace envpool::atari

TEST_MAIN()
