// SPDX-License-Identifier: Apache-2.0
//
// Mathematical functions for portable environments. The results of libm differ between machines in the last bit, and
// CUDA's libdevice differs from all of them. The functions here use only + - * /, sqrt, comparisons and integer
// operations, in a fixed order, so g++ -O0, clang -O3 and NVRTC produce the same bits (with -ffp-contract=off and
// --fmad=false). They need no standard header.
//
// Templates implement f32 and f64 alike. These are the maximum errors in units in the last place (ulp); the error of a
// correctly rounded result is at most 0.5. math_test.py checks them for both types:
//
//   sin cos sincos   0.51   for |x| <= 102400 (f32: 512) in straight-line code; for larger finite
//                           numbers 0.53, by integer arithmetic; an infinity gives NaN
//   exp              0.70   subnormal results 1; overflow gives infinity, underflow 0
//   log              0.65   log(0) is -infinity; negative arguments give NaN
//   atan atan2       0.55   signed zeros and infinities as in C
//   fmod floor ceil rint sqrt copysign fabs     exact
#pragma once

#include "envpool/core/math/real.h"

namespace envpool {
namespace math {

// An angle as a multiple of pi/32 (1/64 of a turn) and a remainder of at most half of that.
template <class T>
struct Angle {
  typename Real<T>::Steps steps;
  DoubleWord<T> rest;
};

// Reduces |x| <= kNear by subtracting the parts of pi/32 one by one (Cody and Waite).
template <class T>
ENVPOOL_ALWAYS_INLINE Angle<T> angle_near(T x) {
  using R = Real<T>;
  const T rounded = x * Scalar<T>(0x1.45f306dc9c883p+3) + R::kRound;
  const T n = rounded - R::kRound;
  const DoubleWord<T> second = add(x - n * R::kStep1, -(n * R::kStep2));
  const DoubleWord<T> third = add(second.hi, -(n * R::kStep3));
  return {typename R::Steps(bits(rounded)), {third.hi, third.lo + (second.lo - n * R::kStep4)}};
}

// Reduces larger x by long multiplication (Payne and Hanek). x is m * 2^e. The only bits of 2/pi that matter are
// those whose products with m lie between 2 quarter turns (higher ones are whole turns) and 2^-190 quarter turns. The
// remainder is never below 2^-62 of a quarter turn.
ENVPOOL_FN Angle<f64> angle_far(f64 x) {
  static constexpr u64 two_over_pi[21] = {
      0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
      0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
      0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
      0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
      0xf0cfbc209af4361d};
  const u64 m = (bits(x) & 0xFFFFFFFFFFFFFull) | 0x10000000000000ull;
  const i32 first = i32(bits(x) >> 52) - 1075 - 2 + 64;
  const u64* words = two_over_pi + (first >> 6);
  const i32 shift = first & 63;
  u64 product[3] = {0, 0, 0};  // most significant first
  for (int i = 0; i < 3; ++i) {
    const u64 word = shift == 0 ? words[i] : words[i] << shift | words[i + 1] >> (64 - shift);
    // Computes m * word from 32-bit halves. m has 53 bits, so the sums cannot overflow.
    const u64 low = (m & 0xFFFFFFFF) * (word & 0xFFFFFFFF), high = (m >> 32) * (word >> 32);
    const u64 cross = (m >> 32) * (word & 0xFFFFFFFF) + (low >> 32), other = (m & 0xFFFFFFFF) * (word >> 32);
    const u64 middle = (cross & 0xFFFFFFFF) + (other & 0xFFFFFFFF);
    u64 carry = high + (cross >> 32) + (other >> 32) + (middle >> 32);
    u64 part = middle << 32 | (low & 0xFFFFFFFF);
    for (int at = i; at >= 0; --at) {
      const u64 sum = product[at] + part;
      part = carry + (sum < part);  // cannot overflow: m * word + a word fits into two words
      carry = 0;
      product[at] = sum;
    }
  }
  u64 upper = product[0] << 2 | product[1] >> 62, lower = product[1] << 2 | product[2] >> 62;
  const bool negative = upper >> 63;  // above half a quarter turn: round up; the remainder is negative
  const u32 quarters = u32(product[0] >> 62) + negative;
  if (negative) {
    lower = ~lower + 1;
    upper = ~upper + (lower == 0);
  }
  f64 unit = negative ? -0x1p-64 : 0x1p-64;
  if (upper == 0) {
    upper = lower;
    lower = 0;
    unit *= 0x1p-64;
  }
  for (; !(upper >> 63); unit *= 0.5) {
    upper = upper << 1 | lower >> 63;
    lower <<= 1;
  }
  const DoubleWord<f64> part{f64(upper >> 11) * 0x1p11 * unit,
                             f64((upper & 0x7FF) << 42 | lower >> 22) * 0x1p-42 * unit};
  const DoubleWord<f64> angle = mul(part, DoubleWord<f64>{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  const DoubleWord<f64> left = add_smaller(angle.hi, angle.lo);
  const Angle<f64> near = angle_near(left.hi);
  return {16 * quarters + near.steps, {near.rest.hi, near.rest.lo + left.lo}};
}

// The sines of all steps of a turn and a quarter, in double-word form. The cosine of a step is the sine a quarter turn
// further on.
template <class T>
struct SineTable {
  DoubleWord<T> at[80];

  ENVPOOL_FN constexpr SineTable() : at{} {
    constexpr f64 quarter[17][2] = {
        {0, 0},
        {0x1.917a6bc29b42cp-4, -0x1.e2718d26ed688p-60},
        {0x1.8f8b83c69a60bp-3, -0x1.26d19b9ff8d82p-57},
        {0x1.294062ed59f06p-2, -0x1.5d28da2c4612dp-56},
        {0x1.87de2a6aea963p-2, -0x1.72cedd3d5a610p-57},
        {0x1.e2b5d3806f63bp-2, 0x1.e0d891d3c6841p-58},
        {0x1.1c73b39ae68c8p-1, 0x1.b25dd267f6600p-55},
        {0x1.44cf325091dd6p-1, 0x1.8076a2cfdc6b3p-57},
        {0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55},
        {0x1.8bc806b151741p-1, -0x1.2c5e12ed1336dp-55},
        {0x1.a9b66290ea1a3p-1, 0x1.9f630e8b6dac8p-60},
        {0x1.c38b2f180bdb1p-1, -0x1.6e0b1757c8d07p-56},
        {0x1.d906bcf328d46p-1, 0x1.457e610231ac2p-56},
        {0x1.e9f4156c62ddap-1, 0x1.760b1e2e3f81ep-55},
        {0x1.f6297cff75cb0p-1, 0x1.562172a361fd3p-56},
        {0x1.fd88da3d12526p-1, -0x1.87df6378811c7p-55},
        {0x1.0000000000000p+0, 0},
    };
    for (int k = 0; k < 80; ++k) {
      const int n = k & 31;
      const f64* const value = quarter[n > 16 ? 32 - n : n];
      const f64 sign = k < 32 || k >= 64 ? 1 : -1;
      const T first = __builtin_bit_cast(T, Bits<T>(__builtin_bit_cast(Bits<T>, T(value[0])) & Real<T>::kHead));
      at[k] = {T(sign) * first, T(sign * ((value[0] - f64(first)) + value[1]))};
    }
  }
};

template <class T>
struct SinCos {
  T sin, cos;
};

template <class T>
ENVPOOL_ALWAYS_INLINE DoubleWord<T> look_up(const DoubleWord<T>* table, u32 index) {
  return table[index];
}

// Returns sin(step + d) = s + c sin(d) + s (cos(d) - 1), where s and c are the sine and cosine of `step` and
// d = first + last. The first two terms are summed in double-word arithmetic.
template <class T>
ENVPOOL_ALWAYS_INLINE T sine_of_sum(DoubleWord<T> s, DoubleWord<T> c, T first, T last, T cos_rest) {
  const DoubleWord<T> sum = add_smaller(s.hi, c.hi * first);
  return sum.hi + (sum.lo + (s.lo + ((c.hi * last + c.lo * (first + last)) + (s.hi + s.lo) * cos_rest)));
}
template <class T, bool kSin, bool kCos>
ENVPOOL_ALWAYS_INLINE SinCos<T> sincos_of(Angle<T> angle) {
  static constexpr SineTable<Scalar<T>> sine{};  // without the braces, NVRTC leaves the table zero
  const T first = head(angle.rest.hi), d = angle.rest.hi, z = d * d;
  T sin_rest, cos_rest;  // sin(d) - d, cos(d) - 1
  if constexpr (sizeof(Scalar<T>) == 8) {
    sin_rest = d * z * polynomial(z, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880);
    cos_rest = z * polynomial(z, -0.5, 1.0 / 24, -1.0 / 720, 1.0 / 40320);
  } else {
    sin_rest = d * z * polynomial(z, -1.0f / 6, 1.0f / 120);
    cos_rest = z * polynomial(z, -0.5f, 1.0f / 24);
  }
  const T last = ((d - first) + angle.rest.lo) + sin_rest;
  const auto step = angle.steps & 63;
  const DoubleWord<T> s = look_up(sine.at, step), c = look_up(sine.at + 16, step);
  // cos(x) is the sine of x plus a quarter turn, whose cosine is -sin(x).
  return {kSin ? sine_of_sum(s, c, first, last, cos_rest) : T{},
          kCos ? sine_of_sum(c, DoubleWord<T>{-s.hi, -s.lo}, first, last, cos_rest) : T{}};
}

template <class T>
ENVPOOL_ALWAYS_INLINE T magnitude(T x) {
  return real<T>(bits(x) & ~kSign<Scalar<T>>);
}
template <class T>
ENVPOOL_ALWAYS_INLINE T with_sign(T size, T x) {
  return real<T>((bits(size) & ~kSign<Scalar<T>>) | (bits(x) & kSign<Scalar<T>>));
}
// Returns y, negated if x is negative.
template <class T>
ENVPOOL_ALWAYS_INLINE T flip_sign(T y, T x) {
  return real<T>(bits(y) ^ (bits(x) & kSign<Scalar<T>>));
}

// Handles large angles, infinities and NaN.
ENVPOOL_FN SinCos<f64> sincos_far(f64 size) {
  if (!(size < infinity<f64>())) return {nan<f64>(), nan<f64>()};
  return sincos_of<f64, true, true>(size <= Real<f64>::kNear ? angle_near(size) : angle_far(size));
}

// The operations that differ between scalars and lanes.
template <class T>
struct PerLane {
  ENVPOOL_ALWAYS_INLINE static bool all(bool holds) { return holds; }
  ENVPOOL_ALWAYS_INLINE static SinCos<T> sincos(T x) {
    const SinCos<f64> far = sincos_far(magnitude(x));
    return {flip_sign(T(far.sin), x), T(far.cos)};
  }
};

// Computes the sine if kSin, and the cosine if kCos. A value that is not computed is 0.
template <class T, bool kSin, bool kCos>
ENVPOOL_ALWAYS_INLINE SinCos<T> sincos(T x) {
  const T size = magnitude(x);
  if (!PerLane<T>::all(size <= Real<T>::kNear)) [[unlikely]]
    return PerLane<T>::sincos(x);
  const SinCos<T> near = sincos_of<T, kSin, kCos>(angle_near(size));
  return {flip_sign(near.sin, x), near.cos};
}

// Computes exp(x) as 2^k exp(r), |r| <= log(2) / 2.
template <class T>
ENVPOOL_FN T exp(T x) {
  using R = Real<T>;
  using S = Scalar<T>;
  const T low = T{} + R::kExpLow, high = T{} + R::kExpHigh;
  x = x < low ? low : x;
  x = x > high ? high : x;
  const T rounded = x * S(0x1.71547652b82fep+0) + R::kRound;
  const T n = rounded - R::kRound;
  const auto k = typename R::Exponent(bits(rounded) - bits(R::kRound));
  const DoubleWord<T> r = add_smaller(x - n * R::kLog2Hi, -(n * R::kLog2Lo));
  T rest;
  if constexpr (sizeof(S) == 8) {
    rest = polynomial(r.hi, 0.16666666666666682, 0.0416666666666667, 0.008333333333316805, 0.0013888888888865041,
                      0.00019841269896954462, 2.4801587365364217e-05, 2.7557234300344283e-06, 2.7557238451650237e-07,
                      2.5112227988013478e-08, 2.0925748018569723e-09);
  } else {
    rest = polynomial(r.hi, 0.16666520336751917f, 0.04166638681233393f, 0.00836875933112747f, 0.001394202447646731f);
  }
  const DoubleWord<T> sum = add_smaller(T{} + S(1), r.hi);
  const T value = sum.hi + (sum.lo + (r.hi * r.hi * (S(0.5) + r.hi * rest) + r.lo));
  return value * power_of_two<T>(k >> 1) *
         power_of_two<T>(k - (k >> 1));  // in two factors, because 2^k may overflow or underflow
}

// Returns log(2^k x) for a normal x. The exponent of x is added to k, which gives k log(2) + log(1 + f) with 1 + f in
// [sqrt(1/2), sqrt(2)), and log(1 + f) = 2 atanh(s), s = f / (2 + f).
template <class T>
ENVPOOL_ALWAYS_INLINE T log_of_normal(T x, typename Real<T>::Exponent k = typename Real<T>::Exponent{}) {
  using R = Real<T>;
  using S = Scalar<T>;
  const auto exponent =
      typename R::Exponent(typename R::Signed(bits(x) - bits(S(0x1.6a09e667f3bcdp-1))) >> R::kMantissa);
  const T whole = R::whole(k + exponent);
  const T f = real<T>(bits(x) - (Bits<T>(exponent) << R::kMantissa)) - S(1);
  const T s = f / (S(2) + f), z = s * s;
  T rest;
  if constexpr (sizeof(S) == 8) {
    rest = polynomial(z, 0.6666666666666666, 0.4000000000000655, 0.28571428569009255, 0.22222222656434404,
                      0.1818177499571664, 0.15387116891629615, 0.13249581841004923, 0.13255833445050122);
  } else {
    rest = polynomial(z, 0.6666666269302368f, 0.4000033736228943f, 0.28537237644195557f, 0.23583568632602692f);
  }
  const DoubleWord<T> half = mul(DoubleWord<T>{f, T{}}, DoubleWord<T>{f / S(2), T{}});
  const DoubleWord<T> near = add_smaller(f, -half.hi);
  const T low = near.lo - half.lo + s * (half.hi + half.lo + z * rest);
  const DoubleWord<T> sum = add_smaller(whole * R::kLog2Hi, near.hi);
  return sum.hi + (sum.lo + (low + whole * R::kLog2Lo));
}
template <class T>
ENVPOOL_FN T log(T x) {
  using R = Real<T>;
  if (!(x > 0)) return x == 0 ? -infinity<T>() : nan<T>();
  if (!(x < infinity<T>())) return x;
  if (x < power_of_two<T>(1 - R::kBias)) return log_of_normal(x * power_of_two<T>(R::kMantissa), -R::kMantissa);
  return log_of_normal(x);
}

// Let a <= b be the two magnitudes, and let c be the value among 0, 1/2 and 1 that is nearest to a / b. Then
// atan(a / b) = atan(c) + atan(q), q = (a - c b) / (b + c a), |q| < 1/4.
template <class T>
ENVPOOL_FN T atan2(T y, T x) {
  using R = Real<T>;
  const T size_x = magnitude(x), size_y = magnitude(y);
  if (!(size_x <= infinity<T>() && size_y <= infinity<T>())) return nan<T>();
  T a = size_x < size_y ? size_x : size_y, b = size_x < size_y ? size_y : size_x;
  if (b == 0) b = 1;
  if (b == infinity<T>()) {
    a = a == b ? T(1) : T(0);
    b = 1;
  }
  i32 exponent = i32(bits(b) >> R::kMantissa) - R::kBias;  // scaled out, so that nothing below overflows or underflows
  exponent = exponent > R::kBias - 3 ? R::kBias - 3 : exponent;
  a *= power_of_two<T>(-exponent);
  b *= power_of_two<T>(-exponent);
  const T c = 4 * a < b ? T(0) : 4 * a < 3 * b ? T(0.5) : T(1);
  const DoubleWord<T> base = c == 0   ? DoubleWord<T>{0, 0}
                             : c == 1 ? DoubleWord<T>{R::kHalfPi / 2, R::kHalfPiLo / 2}
                                      : DoubleWord<T>{R::kAtanHalf, R::kAtanHalfLo};
  const T top = a - c * b;
  const DoubleWord<T> bottom = add_smaller(b, c * a);
  const T q = top / bottom.hi;
  const DoubleWord<T> back = mul(DoubleWord<T>{q, 0}, DoubleWord<T>{bottom.hi, 0});
  const T q_low = ((top - back.hi) - back.lo - q * bottom.lo) / bottom.hi;
  const T z = q * q;
  T rest;
  if constexpr (sizeof(T) == 8) {
    rest = polynomial(z, -0.3333333333333332, 0.19999999999991347, -0.1428571428379294, 0.11111110901748882,
                      -0.0909089616407785, 0.07691824259123509, -0.06655470341652818, 0.05724413837464882,
                      -0.039983012197697045);
  } else {
    rest = polynomial(z, -0.33333325386047363f, 0.19998672604560852f, -0.14220647513866425f, 0.09836453199386597f);
  }
  DoubleWord<T> angle = add_smaller(base.hi, q);
  angle.lo += base.lo + (q_low * (1 - z) + q * z * rest);
  if (size_y > size_x) {
    const DoubleWord<T> other = add_smaller(R::kHalfPi, -angle.hi);
    angle = {other.hi, other.lo + (R::kHalfPiLo - angle.lo)};
  }
  if (bits(x) & kSign<T>) {
    const DoubleWord<T> other = add_smaller(2 * R::kHalfPi, -angle.hi);
    angle = {other.hi, other.lo + (2 * R::kHalfPiLo - angle.lo)};
  }
  return with_sign(angle.hi + angle.lo, y);
}

// Equals C's fmod. This is a binary long division: b is doubled while it is below a, then halved step by step and
// subtracted where possible. Every difference is exact.
template <class T>
ENVPOOL_FN T fmod(T x, T y) {
  T a = magnitude(x), b = magnitude(y);
  if (!(a < infinity<T>()) || !(b > 0)) return nan<T>();
  if (a >= b) {
    T part = b;
    while (part <= a / 2) part *= 2;
    for (; part >= b; part /= 2) a -= a >= part ? part : T(0);
  }
  return with_sign(a, x);
}

// Rounds to the nearest integer, ties to even.
template <class T>
ENVPOOL_FN T rint(T x) {
  const T size = magnitude(x), whole = power_of_two<T>(Real<T>::kMantissa);
  return size < whole ? with_sign(size + whole - whole, x) : x;
}
template <class T>
ENVPOOL_FN T floor(T x) {
  const T near = rint(x);
  return near > x ? near - 1 : near;
}
template <class T>
ENVPOOL_FN T ceil(T x) {
  const T near = rint(x);
  return near < x ? with_sign(near + 1, x) : near;
}

}  // namespace math

// The functions that environments call. They are overloads, not templates, so that a call that could also resolve to a
// function of libm is ambiguous and does not compile, instead of silently producing different bits.
using math::Mask;
using math::SinCos;
ENVPOOL_FN f64 sin(f64 x) { return math::sincos<f64, true, false>(x).sin; }
ENVPOOL_FN f32 sin(f32 x) { return math::sincos<f32, true, false>(x).sin; }
ENVPOOL_FN f64 cos(f64 x) { return math::sincos<f64, false, true>(x).cos; }
ENVPOOL_FN f32 cos(f32 x) { return math::sincos<f32, false, true>(x).cos; }
ENVPOOL_FN SinCos<f64> sincos(f64 x) { return math::sincos<f64, true, true>(x); }
ENVPOOL_FN SinCos<f32> sincos(f32 x) { return math::sincos<f32, true, true>(x); }
ENVPOOL_FN f64 exp(f64 x) { return math::exp(x); }
ENVPOOL_FN f32 exp(f32 x) { return math::exp(x); }
ENVPOOL_FN f64 log(f64 x) { return math::log(x); }
ENVPOOL_FN f32 log(f32 x) { return math::log(x); }
ENVPOOL_FN f64 atan2(f64 y, f64 x) { return math::atan2(y, x); }
ENVPOOL_FN f32 atan2(f32 y, f32 x) { return math::atan2(y, x); }
ENVPOOL_FN f64 atan(f64 x) { return math::atan2(x, 1.0); }
ENVPOOL_FN f32 atan(f32 x) { return math::atan2(x, 1.0f); }
ENVPOOL_FN f64 fmod(f64 x, f64 y) { return math::fmod(x, y); }
ENVPOOL_FN f32 fmod(f32 x, f32 y) { return math::fmod(x, y); }
ENVPOOL_FN f64 rint(f64 x) { return math::rint(x); }
ENVPOOL_FN f32 rint(f32 x) { return math::rint(x); }
ENVPOOL_FN f64 floor(f64 x) { return math::floor(x); }
ENVPOOL_FN f32 floor(f32 x) { return math::floor(x); }
ENVPOOL_FN f64 ceil(f64 x) { return math::ceil(x); }
ENVPOOL_FN f32 ceil(f32 x) { return math::ceil(x); }
ENVPOOL_FN f64 fabs(f64 x) { return math::magnitude(x); }
ENVPOOL_FN f32 fabs(f32 x) { return math::magnitude(x); }
ENVPOOL_FN f64 copysign(f64 size, f64 sign) { return math::with_sign(size, sign); }
ENVPOOL_FN f32 copysign(f32 size, f32 sign) { return math::with_sign(size, sign); }
#ifdef __CUDA_ARCH__
ENVPOOL_FN f64 sqrt(f64 x) { return __dsqrt_rn(x); }
ENVPOOL_FN f32 sqrt(f32 x) { return __fsqrt_rn(x); }
#else
ENVPOOL_FN f64 sqrt(f64 x) { return __builtin_sqrt(x); }
ENVPOOL_FN f32 sqrt(f32 x) { return __builtin_sqrtf(x); }
#endif

// clamp returns NaN for NaN. If an argument is NaN, min and max return their second argument.
template <class T>
ENVPOOL_FN T min(T a, T b) {
  return a < b ? a : b;
}
template <class T>
ENVPOOL_FN T max(T a, T b) {
  return a > b ? a : b;
}
template <class T>
ENVPOOL_FN T clamp(T x, T low, T high) {
  const T at_least = x < low ? low : x;  // The minimum comes last because of envpool/cuda/compiler_fault.py.
  return at_least > high ? high : at_least;
}
// Scalar versions of the functions for lanes, for code that is templated on both.
ENVPOOL_FN bool any(bool holds) { return holds; }
ENVPOOL_FN f64 select(bool which, f64 yes, f64 no) { return which ? yes : no; }
ENVPOOL_FN f32 select(bool which, f32 yes, f32 no) { return which ? yes : no; }
ENVPOOL_FN f32 to_f32(f64 x) { return f32(x); }
ENVPOOL_FN f64 to_f64(f32 x) { return x; }
// Return x (keep_if) or 1 (one_if) if `holds`, else 0, without a branch. Use them where a branch would often be
// mispredicted.
ENVPOOL_FN f32 keep_if(bool holds, f32 x) { return math::real<f32>(math::bits(x) & (0u - u32(holds))); }
ENVPOOL_FN f32 one_if(bool holds) { return math::real<f32>(u32(holds) * 0x3F800000u); }
ENVPOOL_FN bool is_finite(f64 x) { return fabs(x) < math::infinity<f64>(); }
ENVPOOL_FN bool is_finite(f32 x) { return fabs(x) < math::infinity<f32>(); }

}  // namespace envpool
