// SPDX-License-Identifier: Apache-2.0
//
// Tests the exact properties of math.h: special values, symmetry, agreement of related functions, and rounding
// functions. math_test.py measures the accuracy.
#include "envpool/core/math/math.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "envpool/core/math/rng.h"
#include "tests/support/testing.h"

namespace {

using namespace envpool;

template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (std::isnan(a) && std::isnan(b));
}

// Returns numbers of all magnitudes and both signs, and special values.
template <class T>
std::vector<T> samples() {
  using L = std::numeric_limits<T>;
  std::vector<T> all{0,
                     L::denorm_min(),
                     L::min(),
                     L::epsilon(),
                     0.5,
                     1,
                     1.5,
                     2.5,
                     3,
                     T(kPi),
                     T(kPi) / 2,
                     L::max() / 4,
                     L::max(),
                     L::infinity(),
                     L::quiet_NaN(),
                     512,
                     102400,
                     T(1) / L::epsilon()};
  Rng rng{.seed = 5};
  for (int i = 0; i < 20000; ++i) {
    const T size =
        std::ldexp(T(1 + rng.uniform()), int(rng.below(L::max_exponent - L::min_exponent)) + L::min_exponent);
    all.push_back(size);
    all.push_back(T(1000 * rng.uniform()));
  }
  const size_t half = all.size();
  for (size_t i = 0; i < half; ++i) all.push_back(-all[i]);
  return all;
}

template <class T>
void check_angles() {
  for (const T x : samples<T>()) {
    const auto [s, c] = sincos(x);
    CHECK(same(s, envpool::sin(x)) && same(c, envpool::cos(x)));
    CHECK(same(envpool::sin(-x), -s) && same(envpool::cos(-x), c));
    CHECK(std::isfinite(x) ? envpool::fabs(s) <= 1 && envpool::fabs(c) <= 1 : std::isnan(s) && std::isnan(c));
  }
  CHECK(same(envpool::sin(T(0)), T(0)) && same(envpool::sin(-T(0)), -T(0)));
  CHECK_EQ(envpool::cos(T(0)), T(1));
}
TEST(sin_is_odd_cos_is_even_and_sincos_agrees) {
  check_angles<f64>();
  check_angles<f32>();
}

template <class T>
void check_exp_log() {
  using L = std::numeric_limits<T>;
  CHECK_EQ(envpool::exp(T(0)), T(1));
  CHECK_EQ(envpool::exp(L::infinity()), L::infinity());
  CHECK_EQ(envpool::exp(-L::infinity()), T(0));
  CHECK_EQ(envpool::exp(L::max()), L::infinity());
  CHECK_EQ(envpool::exp(L::lowest()), T(0));
  CHECK(std::isfinite(envpool::exp(std::log(L::max()) * T(0.99999))));
  CHECK(envpool::exp(std::log(L::denorm_min())) > 0);
  CHECK(std::isnan(envpool::exp(L::quiet_NaN())) && std::isnan(envpool::exp(-L::quiet_NaN())));
  CHECK_EQ(envpool::log(T(1)), T(0));
  CHECK_EQ(envpool::log(T(0)), -L::infinity());
  CHECK_EQ(envpool::log(-T(0)), -L::infinity());
  CHECK_EQ(envpool::log(L::infinity()), L::infinity());
  CHECK(std::isnan(envpool::log(T(-1))) && std::isnan(envpool::log(L::quiet_NaN())));
}
TEST(exp_and_log_at_the_edges) {
  check_exp_log<f64>();
  check_exp_log<f32>();
}

template <class T>
void check_atan2() {
  const T huge = std::numeric_limits<T>::infinity();
  for (const T y : {T(0), T(1), huge, -T(0), T(-1), -huge}) {
    for (const T x : {T(0), T(1), huge, -T(0), T(-1), -huge}) CHECK(same(envpool::atan2(y, x), std::atan2(y, x)));
  }
  const T nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(std::isnan(envpool::atan2(nan, T(1))) && std::isnan(envpool::atan2(T(1), nan)) &&
        std::isnan(envpool::atan(nan)));
  for (const T x : samples<T>()) CHECK(same(envpool::atan(-x), -envpool::atan(x)));
}
TEST(atan2_of_signed_zeros_and_infinities) {
  check_atan2<f64>();
  check_atan2<f32>();
}

template <class T>
void check_whole() {
  const std::vector<T> all = samples<T>();
  for (const T x : all) {
    CHECK(same(envpool::rint(x), std::nearbyint(x)));
    CHECK(same(envpool::floor(x), std::floor(x)));
    CHECK(same(envpool::ceil(x), std::ceil(x)));
    CHECK(same(envpool::fabs(x), std::fabs(x)));
    CHECK(same(envpool::sqrt(x), std::sqrt(x)));
    CHECK_EQ(is_finite(x), bool(std::isfinite(x)));
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const T x = all[i], y = all[(i * 7919 + 1) % all.size()];
    CHECK(same(envpool::fmod(x, y), std::fmod(x, y)));
    CHECK(same(envpool::fmod(x, T(2 * kPi)), std::fmod(x, T(2 * kPi))));
    CHECK(same(envpool::copysign(x, y), std::copysign(x, y)));
  }
}
TEST(rounding_functions_and_sqrt_equal_those_of_c) {
  check_whole<f64>();
  check_whole<f32>();
}

TEST(min_max_clamp) {
  const f64 nan = std::numeric_limits<f64>::quiet_NaN();
  CHECK_EQ(min(2, 3), 2);
  CHECK_EQ(max(2.0f, 3.0f), 3.0f);
  CHECK_EQ(clamp(5, 0, 3), 3);
  CHECK_EQ(clamp(-5.0, -3.0, 3.0), -3.0);
  CHECK(std::isnan(clamp(nan, -1.0, 1.0)));
}

TEST(branchless_selection) {
  for (const f32 x : samples<f32>()) {
    CHECK(same(keep_if(true, x), x));
    CHECK(same(keep_if(false, x), 0.0f));
  }
  CHECK(same(one_if(true), 1.0f));
  CHECK(same(one_if(false), 0.0f));
}

// Compilers, optimization levels and devices must all produce these bits. If this number changes, so does every
// recorded trajectory.
TEST(golden_bits) {
  u64 hash = 0xcbf29ce484222325;
  const auto take = [&](auto value) {
    math::Bits<decltype(value)> bits = math::bits(value);
    for (size_t i = 0; i < sizeof(bits); ++i) hash = (hash ^ u8(bits >> (8 * i))) * 0x100000001b3;
  };
  const auto all = [&]<class T>(T x, T y) {
    const auto [s, c] = sincos(x);
    take(s);
    take(c);
    take(envpool::exp(x / 64));
    take(envpool::log(envpool::fabs(x)));
    take(envpool::atan2(y, x));
    take(envpool::fmod(x, y));
  };
  Rng rng{.seed = 11};
  for (int i = 0; i < 20000; ++i) {
    const f64 size = i % 4 == 0 ? 1e9 : i % 4 == 1 ? 1e3 : 4;
    const f64 x = rng.uniform(-size, size), y = rng.uniform(-1, 1);
    all(x, y);
    all(f32(x), f32(y));
  }
  CHECK_EQ(hash, u64{4384655335463974180});
}

}  // namespace

TEST_MAIN()
