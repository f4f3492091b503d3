// SPDX-License-Identifier: Apache-2.0
//
// Checks that the resizer and the painter use SIMD code if the processor has it. No other test would notice, because
// scalar code gives the same bits. The resizer and the painter call `has_simd`, which is replaced here by a function
// that counts its calls. This test is a separate program because inline functions must be the same throughout a
// program.
#include "tests/support/simd.h"

#include "envpool/core/math/simd.h"

namespace envpool {

inline i32 times_chosen = 0;

inline bool choose_simd() {
  const bool available = has_simd();
  times_chosen += available;
  return available;
}

}  // namespace envpool

#define has_simd choose_simd
#include "envpool/atari/console/tia_rows.h"
#include "envpool/atari/resize.h"
#undef has_simd

#include <cstring>
#include <memory>
#include <vector>

#include "envpool/core/math/rng.h"
#include "tests/atari/random_line.h"
#include "tests/support/testing.h"

namespace envpool::atari {

template <class Function>
bool chosen_by(Function&& function) {
  times_chosen = 0;
  function();
  return times_chosen == 1;
}

TEST(the_resizer_uses_simd) {
  constexpr i32 kHeight = 210, kWide = 160, kSide = 84;
  const ResizePlanBlock block = make_resize_plan(kHeight, kWide, kSide, kSide, Interpolation::kArea);
  const ResizePlan& plan = as_resize_plan(block);
  const std::vector<u8> frame(size_t(kHeight) * kWide, 7), table(3 * 256, 9);
  std::vector<u8> out(size_t(3) * kSide * kSide);
  const bool wanted = testing::wants_simd();
  CHECK_EQ(chosen_by([&] { resize_gray(plan, frame.data(), kWide, out.data()); }), wanted);
  CHECK_EQ(out[0], 7);
  CHECK_EQ(chosen_by([&] { resize_indexed_max(plan, frame.data(), frame.data(), table.data(), out.data()); }), wanted);
  CHECK_EQ(chosen_by([&] { resize_rgb_max(plan, frame.data(), nullptr, table.data(), out.data()); }), wanted);
  CHECK_EQ(out[0], 9);
}

// Some pixels have odd palette indices, which the tables of the SIMD code do not contain, and some rows are equal.
TEST(the_resizer_has_the_bits_of_scalar_code) {
  constexpr struct {
    i32 height, width, to_height, to_width;
  } kSizes[] = {{210, 160, 84, 84},  {250, 160, 84, 84}, {210, 160, 96, 80},  {210, 160, 105, 80},
                {210, 160, 64, 120}, {210, 160, 50, 37}, {96, 96, 84, 84},    {240, 320, 84, 84},
                {30, 17, 11, 9},     {84, 84, 200, 300}, {210, 160, 210, 160}};
  Rng rng{.seed = 11};
  i32 different = 0;
  for (const auto& size : kSizes) {
    for (const Interpolation interpolation : {Interpolation::kArea, Interpolation::kLinear}) {
      const ResizePlanBlock block =
          make_resize_plan(size.height, size.width, size.to_height, size.to_width, interpolation);
      const ResizePlan& plan = as_resize_plan(block);
      std::vector<u8> a(size_t(size.height) * size_t(size.width)), b(a.size()), table(3 * 256);
      for (u8& value : table) value = u8(rng.below(256));
      for (size_t i = 0; i < a.size(); ++i) {
        const bool repeats = i >= size_t(size.width) && i / size_t(size.width) % 3 == 1;
        const bool odd = rng.below(2000) == 0;
        a[i] = repeats ? a[i - size_t(size.width)] : u8(rng.below(128) * 2 + odd);
        b[i] = rng.below(9) == 0 ? u8(rng.below(128) * 2) : a[i];
      }
      std::vector<u8> found(3 * size_t(size.to_height) * size_t(size.to_width)), expected(found.size());
      using namespace resize_detail;
      resize_gray(plan, a.data(), size.width, found.data());
      gray<ScalarOps>(plan, a.data(), size.width, expected.data());
      different += found != expected;
      resize_indexed_max(plan, a.data(), b.data(), table.data(), found.data());
      indexed_max<ScalarOps>(plan, a.data(), b.data(), table.data(), {}, expected.data());
      different += found != expected;
      resize_rgb_max(plan, a.data(), b.data(), table.data(), found.data());
      rgb_max<ScalarOps>(plan, a.data(), b.data(), table.data(), {}, expected.data());
      different += found != expected;
    }
  }
  CHECK_EQ(different, 0);
}

TEST(the_painter_uses_simd) {
  const auto c = std::make_unique<WithScreens<Console>>();
  c->tia.line.look.colour[3] = 0x42;
  c->tia.line.look.blank_left = kNoBlank;
  u64 row[kWidth / 8]{};
  CHECK_EQ(chosen_by([&] { paint_line(*c, row, 0, kWidth); }), testing::wants_simd());
  CHECK_EQ(row[0], u64{0x4242424242424242});
#if ENVPOOL_TEST_AVX2
  CHECK_EQ(chosen_by([&] { find_collisions(*c, kLatches.of[kAllObjects], 0, kWidth); }), testing::wants_simd());
#endif
}

// Compares whole lines and parts of lines.
TEST(the_painter_has_the_bits_of_scalar_code) {
  const auto c = std::make_unique<WithScreens<Console>>();
  Rng rng{.seed = 5};
  i32 different = 0;
  for (i32 i = 0; i < 100'000; ++i) {
    set_line(*c, random_line(rng));
    if (rng.below(8) == 0) c->tia.line.look.pos[rng.below(5)] = u8(rng.bits());  // a restored state may have any
    const bool whole = rng.below(2) == 0;
    const i32 from = whole ? 0 : i32(rng.below(kWidth)), to = whole ? kWidth : from + 1 + i32(rng.below(kWidth - from));
    u64 row[kWidth / 8], expected[kWidth / 8];
    const bool blank = rng.below(4) == 0;  // few pixels change
    for (i32 w = 0; w < kWidth / 8; ++w) row[w] = expected[w] = blank ? 0 : u64{rng.bits()} << 32 | rng.bits();
    const Painting painting = paint_line(*c, row, from, to);
    const Painting wanted = paint_line_in_words(*c, expected, from, to);
    different += std::memcmp(row, expected, sizeof(row)) != 0 || painting.changed != wanted.changed ||
                 painting.collisions != wanted.collisions;
    const Painting again = paint_line(*c, row, from, to);
    different += again.changed || std::memcmp(row, expected, sizeof(row)) != 0;
    const u32 latches = rng.bits() & kLatches.of[kAllObjects];
    different += find_collisions(*c, latches, from, to) != find_collisions_in_words(*c, latches, from, to);
  }
  CHECK_EQ(different, 0);
}

}  // namespace envpool::atari

TEST_MAIN()
