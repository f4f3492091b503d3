// SPDX-License-Identifier: Apache-2.0
//
// Checks that the resizer and the painter use AVX2 if the processor has it. No other test would notice, because scalar
// code gives the same bits. The resizer and the painter call `has_avx2`, which is replaced here by a function that
// counts its calls. This test is a separate program because inline functions must be the same throughout a program.
#include "envpool/core/testing/avx2.h"

#include "envpool/core/math/avx2.h"

namespace envpool {

inline i32 times_chosen = 0;

inline bool choose_avx2() {
  const bool available = has_avx2();
  times_chosen += available;
  return available;
}

}  // namespace envpool

#define has_avx2 choose_avx2
#include "envpool/atari/console/tia_paint.h"
#include "envpool/atari/resize.h"
#undef has_avx2

#include "envpool/core/testing/testing.h"

namespace envpool::atari {

template <class Function>
bool chosen_by(Function&& function) {
  times_chosen = 0;
  function();
  return times_chosen == 1;
}

TEST(the_resizer_uses_avx2) {
  constexpr i32 kHeight = 210, kWide = 160, kSide = 84;
  const ResizePlanBlock block = make_resize_plan(kHeight, kWide, kSide, kSide, Interpolation::kArea);
  const ResizePlan& plan = as_resize_plan(block);
  const std::vector<u8> frame(size_t(kHeight) * kWide, 7), table(3 * 256, 9);
  std::vector<u8> out(size_t(3) * kSide * kSide);
  const bool wanted = testing::wants_avx2();
  CHECK_EQ(chosen_by([&] { resize_gray(plan, frame.data(), kWide, out.data()); }), wanted);
  CHECK_EQ(out[0], 7);
  CHECK_EQ(chosen_by([&] { resize_indexed_max(plan, frame.data(), frame.data(), table.data(), out.data()); }), wanted);
  CHECK_EQ(chosen_by([&] { resize_rgb_max(plan, frame.data(), nullptr, table.data(), out.data()); }), wanted);
  CHECK_EQ(out[0], 9);
}

TEST(the_painter_uses_avx2) {
  const u64 nothing[4]{};
  Scene scene{};
  for (const u64*& pixels : scene.pixels) pixels = nothing;
  scene.colour[3] = 0x42;
  alignas(32) u64 row[kWidth / 8]{};
  CHECK_EQ(chosen_by([&] { paint(scene, row, 0, kWidth); }), testing::wants_avx2());
  CHECK_EQ(row[0], u64{0x4242424242424242});
}

}  // namespace envpool::atari

TEST_MAIN()
