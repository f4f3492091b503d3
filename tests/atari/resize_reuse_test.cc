// SPDX-License-Identifier: Apache-2.0
//
// Tests the reuse of rows of the last image: the resizer must give the same image without it, and environments the same
// observations if they forget what they know of their screens.
#include <cstring>
#include <string>
#include <vector>

#include "envpool/atari/atari_env.h"
#include "tests/atari/random_cartridge.h"
#include "tests/support/functions.h"
#include "tests/support/testing.h"

namespace envpool::atari {

struct Size {
  i32 height, width;
  Interpolation interpolation;
};

TEST(an_image_is_the_same_with_rows_of_the_last_one) {
  constexpr i32 kHeight = 210;
  Rng rng{.seed = 1};
  u8 gray[256], rgb[256][3];
  for (u8& value : gray) value = u8(rng.bits());
  for (auto& colour : rgb) {
    for (u8& value : colour) value = u8(rng.bits());
  }
  for (const Size& size :
       {Size{84, 84, Interpolation::kArea}, Size{1, 3, Interpolation::kArea}, Size{83, 300, Interpolation::kArea},
        Size{300, 79, Interpolation::kArea}, Size{105, 80, Interpolation::kArea}, Size{210, 160, Interpolation::kArea},
        Size{84, 84, Interpolation::kLinear}}) {
    const ResizePlanBlock block = make_resize_plan(kHeight, kWidth, size.height, size.width, size.interpolation);
    const ResizePlan& plan = as_resize_plan(block);
    const size_t pixels = size_t(size.height * size.width);
    std::vector<u8> frames[2], image(3 * pixels), before, expected(3 * pixels);
    for (auto& frame : frames) frame.assign(kHeight * kWidth, 0);
    u8 changed[kHeight];
    for (u32 step = 0; step < 60; ++step) {
      const bool colour = step >= 30, two = step / 10 % 3 != 0, in_place = step % 2 != 0;
      std::memset(changed, 0, sizeof(changed));
      for (u32 n = rng.below(8); n > 0; --n) {  // a change of equal rows, of one row, or none although it is announced
        const u32 first = rng.below(kHeight), count = rng.below(2) == 0 ? 1 : rng.below(20);
        u8 pattern[kWidth];
        for (u8& pixel : pattern) pixel = u8(rng.bits());
        const u32 frame = two ? rng.below(3) : 0;  // 2: neither
        for (u32 row = first; row < std::min<u32>(first + count, kHeight); ++row) {
          changed[row] = 1;
          if (frame < 2) std::memcpy(&frames[frame][row * kWidth], pattern, kWidth);
        }
      }
      const u8 *const a = frames[0].data(), *const b = two ? frames[1].data() : nullptr;
      before = image;
      LastImage last;
      last.changed = changed;
      if (step % 10 != 0) last.pixels = in_place ? image.data() : before.data();  // otherwise other frames were used
      if (!in_place) std::fill(image.begin(), image.end(), u8(0xA5));
      if (colour) {
        resize_rgb_max(plan, a, b, rgb[0], image.data(), last);
        resize_rgb_max(plan, a, b, rgb[0], expected.data());
      } else {
        resize_indexed_max(plan, a, b, gray, image.data(), last);
        resize_indexed_max(plan, a, b, gray, expected.data());
      }
      CHECK_EQ(std::memcmp(image.data(), expected.data(), (colour ? 3 : 1) * pixels), 0);
    }
  }
}

abi::Option whole(const char* name, i64 value) { return {name, abi::kOptionInt, value, 0, nullptr, 0}; }
abi::Option flag(const char* name, bool value) { return {name, abi::kOptionBool, value, 0, nullptr, 0}; }

// Plays two environments with the same actions. One forgets what it knows of its screens now and then.
void play_with_and_without_memory(const char* task, std::vector<abi::Option> options, u32 number) {
  Rng rng{.seed = number};
  const std::vector<u8> image = random_program(rng, Mapper(number % 9));
  options.push_back({"task", abi::kOptionText, 0, 0, task, i64(std::strlen(task))});
  options.push_back({"rom", abi::kOptionText, 0, 0, reinterpret_cast<const char*>(image.data()), i64(image.size())});
  options.push_back(whole("noop_max", 1));
  const abi::Options given{options.data(), i32(options.size())};
  const testing::Functions<AtariEnv> env(&given);
  using State = AtariEnv::State;
  const size_t words = size_t(env.stride + 15) / 16;
  struct alignas(16) Word {
    u8 bytes[16];
  };
  std::vector<Word> memory[2];
  u8* bytes[2];
  std::vector<std::vector<u8>> rows[2];
  std::vector<void*> fields[2];
  State* states[2];
  f32 reward;
  u8 terminated;
  for (u32 k = 0; k < 2; ++k) {
    memory[k].resize(words);
    states[k] = new (memory[k].data()) State{};
    bytes[k] = memory[k].data()->bytes;
    for (const i64 row : env.row_bytes) rows[k].emplace_back(size_t(row));
    for (auto& row : rows[k]) fields[k].push_back(row.data());
    env.reset(3, 0, bytes[k], 1);
  }
  for (u32 step = 0; step < 30; ++step) {
    const i32 action = i32(rng.below(env.params.action_count));
    if (rng.below(3) == 0) std::memset(static_cast<void*>(&states[1]->machine.console.memory), 0, sizeof(ScreenMemory));
    for (u32 k = 0; k < 2; ++k) {
      if (step == 15) env.reset(3, 0, bytes[k], 1);  // a new game
      env.step(3, bytes[k], &action, &reward, &terminated, 1);
      env.observe(bytes[k], fields[k].data(), 1);
    }
    if (rows[0] == rows[1]) continue;
    testing::fail(__FILE__, __LINE__,
                  std::string(task) + ", cartridge " + std::to_string(number) + ", step " + std::to_string(step));
    return;
  }
}

TEST(observations_do_not_depend_on_the_memory_of_screens) {
  for (u32 number = 0; number < 8; ++number) {
    play_with_and_without_memory("pong", {}, number);
    play_with_and_without_memory("pong", {whole("frame_skip", 3), flag("max_pool", false)}, number);
    play_with_and_without_memory("pong", {whole("frame_skip", 2), flag("max_pool", false), whole("stack_num", 1)},
                                 number);
    play_with_and_without_memory("pong", {flag("gray_scale", false), whole("stack_num", 2)}, number);
    play_with_and_without_memory("pong", {flag("use_inter_area_resize", false)}, number);
    play_with_and_without_memory("miniature_golf", {whole("frame_skip", 1)}, number);
    play_with_and_without_memory("tic_tac_toe_3d", {}, number);  // its second screen is a copy
  }
}

}  // namespace envpool::atari

TEST_MAIN()
