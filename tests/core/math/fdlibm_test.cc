// SPDX-License-Identifier: Apache-2.0
//
// Tests that fdlibm.h has fdlibm's bits, which those of the GNU C library 2.36 are: the hash is that of the
// results of its atan2f for the same arguments.
#include "envpool/core/math/fdlibm.h"

#include <bit>
#include <cmath>

#include "envpool/core/math/rng.h"
#include "tests/support/testing.h"

namespace {

using namespace envpool;

struct Point {
  f32 y, x;
};

// Returns points around 0 for even i, and others of any size for odd i.
Point sample(Rng& rng, int i) {
  if (i % 2 == 0) {
    const f32 y = f32(rng.uniform(-8, 8));
    return {y, f32(rng.uniform(-8, 8))};
  }
  const auto any = [&] {
    const u32 word = rng.bits();
    const u32 exponent = 1 + (word >> 23 & 255) % 254;
    return std::bit_cast<f32>((word & 0x807FFFFFu) | exponent << 23);
  };
  const f32 y = any();
  return {y, any()};
}

TEST(atan2_has_the_bits_of_fdlibm) {
  Rng rng{.seed = 7};
  u64 hash = 14695981039346656037u;
  for (int i = 0; i < 200000; ++i) {
    const auto [y, x] = sample(rng, i);
    hash = (hash ^ std::bit_cast<u32>(fdlibm::atan2(y, x))) * 1099511628211u;
  }
  CHECK(hash == 0x8d9efa27cb5d1d71u);
}

TEST(atan2_is_accurate) {
  Rng rng{.seed = 8};
  for (int i = 0; i < 200000; ++i) {
    const auto [y, x] = sample(rng, i);
    const f32 exact = f32(std::atan2(f64(y), f64(x))), got = fdlibm::atan2(y, x);
    CHECK(std::fabs(got - exact) <= std::fabs(exact) * 0x1p-22f);
  }
}

TEST(atan2_of_points_on_the_axes) {
  for (const f32 y : {0.0f, -0.0f, 1.0f, -1.0f, 0x1p-149f, 0x1p127f}) {
    for (const f32 x : {0.0f, -0.0f, 1.0f, -1.0f, 0x1p-149f, -0x1p127f}) {
      const f32 exact = f32(std::atan2(f64(y), f64(x)));
      if (y == 0 || x == 0 || std::fabs(y) == std::fabs(x)) {
        CHECK(std::bit_cast<u32>(fdlibm::atan2(y, x)) == std::bit_cast<u32>(exact));
      }
    }
  }
}

}  // namespace

TEST_MAIN()
