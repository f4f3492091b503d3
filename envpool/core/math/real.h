// SPDX-License-Identifier: Apache-2.0
//
// The representation of floating-point numbers, and double-word arithmetic: the basis of the algorithms in math.h. A
// double-word number has about twice the bits of its type. NVRTC compiles this file, so it includes no standard header.
#pragma once

#include "envpool/core/types.h"

#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
// Functions of lanes (lanes.h) are always inlined, so the ABI for passing vectors does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace envpool {

inline constexpr f64 kPi = 0x1.921fb54442d18p+1;

namespace math {

// The properties of a floating-point type that the algorithms use. pi/32 and log(2) are split into parts short enough
// for the products below to be exact.
template <class T>
struct Real;

template <>
struct Real<f64> {
  using Scalar = f64;
  using Mask = bool;  // the result of a comparison
  using Bits = u64;
  using Signed = i64;
  using Steps = u32;
  using Exponent = i32;
  ENVPOOL_FN static f64 whole(Exponent k) { return k; }
  static constexpr int kMantissa = 52, kBias = 1023;
  static constexpr u64 kHead = ~u64{0} << 27;  // masks the leading 26 bits; products of two such heads are exact
  static constexpr f64 kRound = 0x1.8p52;      // x + kRound - kRound is x rounded to a whole number
  static constexpr f64 kNear = 102400;         // largest |x| that sin and cos reduce in straight-line code
  static constexpr f64 kStep1 = 0x1.921fb544p-4, kStep2 = 0x1.0b4611a6p-38, kStep3 = 0x1.3198a2ep-73,
                       kStep4 = 0x1.b839a252049c1p-108;
  static constexpr f64 kLog2Hi = 0x1.62e42feep-1, kLog2Lo = 0x1.a39ef35793c76p-33;
  static constexpr f64 kExpLow = -746, kExpHigh = 710;
  static constexpr f64 kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLo = 0x1.1a62633145c07p-54;
  static constexpr f64 kAtanHalf = 0x1.dac670561bb4fp-2, kAtanHalfLo = 0x1.a2b7f222f65e2p-56;
};

template <>
struct Real<f32> {
  using Scalar = f32;
  using Mask = bool;
  using Bits = u32;
  using Signed = i32;
  using Steps = u32;
  using Exponent = i32;
  ENVPOOL_FN static f32 whole(Exponent k) { return f32(k); }
  static constexpr int kMantissa = 23, kBias = 127;
  static constexpr u32 kHead = ~u32{0} << 12;
  static constexpr f32 kRound = 0x1.8p23f;
  static constexpr f32 kNear = 512;
  static constexpr f32 kStep1 = 0x1.92p-4f, kStep2 = 0x1.fb4p-16f, kStep3 = 0x1.444p-28f, kStep4 = 0x1.68c234p-43f;
  static constexpr f32 kLog2Hi = 0x1.62ep-1f, kLog2Lo = 0x1.0bfbe8p-15f;
  static constexpr f32 kExpLow = -104, kExpHigh = 89;
  static constexpr f32 kHalfPi = 0x1.921fb6p+0f, kHalfPiLo = -0x1.777a5cp-25f;
  static constexpr f32 kAtanHalf = 0x1.dac67p-2f, kAtanHalfLo = 0x1.586ed4p-28f;
};

template <class T>
using Bits = typename Real<T>::Bits;

// The type of one lane if T is a SIMD type (lanes.h), else T.
template <class T>
using Scalar = typename Real<T>::Scalar;

template <class T>
using Mask = typename Real<T>::Mask;

template <class T>
inline constexpr Bits<T> kSign = Bits<T>{1} << (8 * sizeof(T) - 1);

template <class T>
ENVPOOL_ALWAYS_INLINE Bits<T> bits(T x) {
  return __builtin_bit_cast(Bits<T>, x);
}
template <class T>
ENVPOOL_ALWAYS_INLINE T real(Bits<T> x) {
  return __builtin_bit_cast(T, x);
}
template <class T>
ENVPOOL_ALWAYS_INLINE T infinity() {
  return real<T>(Bits<T>(2 * Real<T>::kBias + 1) << Real<T>::kMantissa);
}
template <class T>
ENVPOOL_ALWAYS_INLINE T nan() {
  return real<T>(Bits<T>(4 * Real<T>::kBias + 3) << (Real<T>::kMantissa - 1));
}

// Returns 2^k, which must be a normal number.
template <class T>
ENVPOOL_ALWAYS_INLINE T power_of_two(typename Real<T>::Exponent k) {
  return real<T>(Bits<T>(k + Real<T>::kBias) << Real<T>::kMantissa);
}

// Returns c0 + x * (c1 + x * (c2 + ...)).
template <class T, class C>
ENVPOOL_ALWAYS_INLINE C polynomial(T, C c) {
  return c;
}
template <class T, class C, class... More>
ENVPOOL_ALWAYS_INLINE T polynomial(T x, C c, More... more) {
  static_assert(sizeof(C) == sizeof(Scalar<T>));
  return c + x * polynomial(x, more...);
}

// Double-word arithmetic: a number as an unevaluated sum of two. `lo` is small compared to `hi`, but not always below
// its last place.
template <class T>
struct DoubleWord {
  T hi, lo;
};

template <class T>
ENVPOOL_ALWAYS_INLINE DoubleWord<T> add(T a, T b) {
  const T sum = a + b, b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}
// Requires |a| >= |b|, or a = 0.
template <class T>
ENVPOOL_ALWAYS_INLINE DoubleWord<T> add_smaller(T a, T b) {
  const T sum = a + b;
  return {sum, (a - sum) + b};
}
template <class T>
ENVPOOL_ALWAYS_INLINE T head(T x) {
  return real<T>(bits(x) & Real<T>::kHead);
}
template <class T>
ENVPOOL_ALWAYS_INLINE DoubleWord<T> mul(DoubleWord<T> a, DoubleWord<T> b) {
  const T a_head = head(a.hi), a_tail = (a.hi - a_head) + a.lo;
  const T b_head = head(b.hi), b_tail = (b.hi - b_head) + b.lo;
  return {a_head * b_head, a_head * b_tail + a_tail * (b_head + b_tail)};
}

}  // namespace math
}  // namespace envpool
