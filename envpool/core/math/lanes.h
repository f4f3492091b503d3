// SPDX-License-Identifier: Apache-2.0
//
// Four-wide SIMD types, for environments that spend most of a step on mathematics. Code templated on T works for f64x4
// as for f64, and for f32x4 as for f32. Each lane has the same bits as the scalar code, because both use the same
// operations (+ - * / and comparisons), and none are fused. `select` takes the mask that a comparison returns.
// Functions that take lanes must be ENVPOOL_ALWAYS_INLINE, because the calling convention for vectors depends on the
// target CPU, which may differ between caller and callee.
#pragma once

#include "envpool/core/math/math.h"
#include "envpool/core/math/simd.h"

namespace envpool {

// The type of a member of Params that holds a value of type T. Where rows have different parameters, members are of
// type Lanes<T>, which is below (in_lanes.h).
template <class T>
using Single = T;

ENVPOOL_FN i32 first_lane(i32 x) { return x; }

}  // namespace envpool

#if ENVPOOL_SIMD

#if ENVPOOL_AVX2
#include <xmmintrin.h>
#else
#include <arm_neon.h>
#endif

#include <cstring>  // not available on a device

namespace envpool {

typedef f64 f64x2 __attribute__((vector_size(16)));
typedef f32 f32x2 __attribute__((vector_size(8)));
typedef f64 f64x4 __attribute__((vector_size(32)));
typedef u64 u64x4 __attribute__((vector_size(32)));
typedef i64 i64x4 __attribute__((vector_size(32)));
typedef f32 f32x4 __attribute__((vector_size(16)));
typedef i32 i32x4 __attribute__((vector_size(16)));
typedef u32 u32x4 __attribute__((vector_size(16)));
typedef u8 u8x4 __attribute__((vector_size(4)));

// Four values of type T, with four times its size and alignment: without AVX, GCC aligns f64x4 to 16 bytes only. A bool
// is 0 or 1, as in memory.
template <class T>
struct LanesOf;
template <>
struct LanesOf<f64> {
  typedef f64x4 Type __attribute__((aligned(32)));
};
template <>
struct LanesOf<f32> {
  using Type = f32x4;
};
template <>
struct LanesOf<i64> {
  typedef i64x4 Type __attribute__((aligned(32)));
};
template <>
struct LanesOf<i32> {
  using Type = i32x4;
};
template <>
struct LanesOf<u8> {
  using Type = u8x4;
};
template <>
struct LanesOf<bool> {
  using Type = u8x4;
};
template <class T>
using Lanes = typename LanesOf<T>::Type;

namespace math {

template <>
struct Real<f64x4> : Real<f64> {
  using Scalar = f64;
  using Mask = i64x4;
  using Bits = u64x4;
  using Steps = u64x4;
};
template <>
struct Real<f32x4> : Real<f32> {
  using Scalar = f32;
  using Mask = i32x4;
  using Bits = u32x4;
  using Steps = u32x4;
  using Signed = i32x4;
  using Exponent = i32x4;
  ENVPOOL_ALWAYS_INLINE static f32x4 whole(i32x4 k) { return __builtin_convertvector(k, f32x4); }
};

// Looks up four pairs. Loads each pair with one instruction if the compiler has __builtin_shufflevector (g++ 11 does
// not).
ENVPOOL_ALWAYS_INLINE DoubleWord<f64x4> look_up(const DoubleWord<f64>* table, u64x4 index) {
#if __has_builtin(__builtin_shufflevector)
  const auto pair = [&](int lane) { return __builtin_bit_cast(f64x2, table[index[lane]]); };
  const f64x4 even = __builtin_shufflevector(pair(0), pair(2), 0, 1, 2, 3);
  const f64x4 odd = __builtin_shufflevector(pair(1), pair(3), 0, 1, 2, 3);
  return {__builtin_shufflevector(even, odd, 0, 4, 2, 6), __builtin_shufflevector(even, odd, 1, 5, 3, 7)};
#else
  const DoubleWord<f64>&a = table[index[0]], &b = table[index[1]], &c = table[index[2]], &d = table[index[3]];
  return {f64x4{a.hi, b.hi, c.hi, d.hi}, f64x4{a.lo, b.lo, c.lo, d.lo}};
#endif
}

ENVPOOL_ALWAYS_INLINE DoubleWord<f32x4> look_up(const DoubleWord<f32>* table, u32x4 index) {
#if __has_builtin(__builtin_shufflevector)
  const auto pair = [&](int lane) { return __builtin_bit_cast(f32x2, table[index[lane]]); };
  const f32x4 first = __builtin_shufflevector(pair(0), pair(1), 0, 1, 2, 3);
  const f32x4 second = __builtin_shufflevector(pair(2), pair(3), 0, 1, 2, 3);
  return {__builtin_shufflevector(first, second, 0, 2, 4, 6), __builtin_shufflevector(first, second, 1, 3, 5, 7)};
#else
  const DoubleWord<f32>&a = table[index[0]], &b = table[index[1]], &c = table[index[2]], &d = table[index[3]];
  return {f32x4{a.hi, b.hi, c.hi, d.hi}, f32x4{a.lo, b.lo, c.lo, d.lo}};
#endif
}

template <class T>
ENVPOOL_NOINLINE void sincos_each(const T* x, SinCos<T>* out) {
  for (int lane = 0; lane < 4; ++lane) out[lane] = sincos<T, true, true>(x[lane]);
}

template <class T>
  requires(sizeof(T) == 4 * sizeof(Scalar<T>))
struct PerLane<T> {
  ENVPOOL_ALWAYS_INLINE static bool all(Mask<T> holds) { return (holds[0] & holds[1] & holds[2] & holds[3]) != 0; }
  ENVPOOL_ALWAYS_INLINE static SinCos<T> sincos(T x) {
    const Scalar<T> from[4] = {x[0], x[1], x[2], x[3]};
    SinCos<Scalar<T>> out[4];
    sincos_each(from, out);
    return {T{out[0].sin, out[1].sin, out[2].sin, out[3].sin}, T{out[0].cos, out[1].cos, out[2].cos, out[3].cos}};
  }
};

}  // namespace math

ENVPOOL_ALWAYS_INLINE f64x4 sin(f64x4 x) { return math::sincos<f64x4, true, false>(x).sin; }
ENVPOOL_ALWAYS_INLINE f64x4 cos(f64x4 x) { return math::sincos<f64x4, false, true>(x).cos; }
ENVPOOL_ALWAYS_INLINE SinCos<f64x4> sincos(f64x4 x) { return math::sincos<f64x4, true, true>(x); }
ENVPOOL_ALWAYS_INLINE f64x4 fabs(f64x4 x) { return math::magnitude(x); }
ENVPOOL_ALWAYS_INLINE SinCos<f32x4> sincos(f32x4 x) { return math::sincos<f32x4, true, true>(x); }
ENVPOOL_ALWAYS_INLINE f32x4 exp(f32x4 x) { return math::exp(x); }
ENVPOOL_ALWAYS_INLINE f32x4 log(f32x4 x) {
  if (!math::PerLane<f32x4>::all((x >= math::power_of_two<f32>(-126)) & (x < math::infinity<f32>()))) [[unlikely]]
    return f32x4{log(x[0]), log(x[1]), log(x[2]), log(x[3])};
  return math::log_of_normal(x);
}
ENVPOOL_ALWAYS_INLINE f32x4 sqrt(f32x4 x) {
#if ENVPOOL_AVX2
  return __builtin_bit_cast(f32x4, _mm_sqrt_ps(__builtin_bit_cast(__m128, x)));
#else
  return __builtin_bit_cast(f32x4, vsqrtq_f32(__builtin_bit_cast(float32x4_t, x)));
#endif
}

ENVPOOL_ALWAYS_INLINE f64x4 select(i64x4 which, f64x4 yes, f64x4 no) { return which ? yes : no; }
ENVPOOL_ALWAYS_INLINE f32x4 select(i32x4 which, f32x4 yes, f32x4 no) { return which ? yes : no; }
// The same with a bool for all lanes, or one for each. For a member of Params that is either.
ENVPOOL_ALWAYS_INLINE f64x4 select(bool which, f64x4 yes, f64x4 no) { return which ? yes : no; }
ENVPOOL_ALWAYS_INLINE f32x4 select(bool which, f32x4 yes, f32x4 no) { return which ? yes : no; }
// Compilers convert masks to and from bools lane by lane, so these functions test and combine bits instead.
ENVPOOL_ALWAYS_INLINE f64x4 select(u8x4 which, f64x4 yes, f64x4 no) {
  const i64 all = __builtin_bit_cast(u32, which);
  return select((i64x4{all, all, all, all} & i64x4{0xFF, 0xFF00, 0xFF0000, 0xFF000000}) != 0, yes, no);
}
ENVPOOL_ALWAYS_INLINE f32x4 select(u8x4 which, f32x4 yes, f32x4 no) {
  const u32 all = __builtin_bit_cast(u32, which);
  return select((u32x4{all, all, all, all} & u32x4{0xFF, 0xFF00, 0xFF0000, 0xFF000000}) != 0, yes, no);
}
ENVPOOL_ALWAYS_INLINE u8x4 to_bools(i64x4 holds) {
  const i64x4 bits = holds & i64x4{1, 0x100, 0x10000, 0x1000000};
  return __builtin_bit_cast(u8x4, u32(bits[0] | bits[1] | bits[2] | bits[3]));
}
ENVPOOL_ALWAYS_INLINE f64x4 in_all_lanes(f64 x) { return x - f64x4{}; }
ENVPOOL_ALWAYS_INLINE f64x4 in_all_lanes(f64x4 x) { return x; }
ENVPOOL_ALWAYS_INLINE i32 first_lane(i32x4 x) { return x[0]; }
ENVPOOL_ALWAYS_INLINE bool any(i64x4 holds) { return (holds[0] | holds[1] | holds[2] | holds[3]) != 0; }

ENVPOOL_ALWAYS_INLINE f64x4 clamp(f64x4 x, f64 low, f64 high) {
  const f64x4 least = f64x4{} + low, most = f64x4{} + high;
  return select(x < least, least, select(x > most, most, x));
}
ENVPOOL_ALWAYS_INLINE f32x4 clamp(f32x4 x, f32 low, f32 high) {
  const f32x4 least = f32x4{} + low, most = f32x4{} + high;
  return select(x < least, least, select(x > most, most, x));
}
// Computes fmod by binary long division, in which every subtraction is exact. Large quotients are computed lane by
// lane.
ENVPOOL_ALWAYS_INLINE f64x4 fmod(f64x4 x, f64 y) {
  f64x4 rest = math::magnitude(x);
  if (any(~(rest < 16 * y))) [[unlikely]] {
    return f64x4{fmod(x[0], y), fmod(x[1], y), fmod(x[2], y), fmod(x[3], y)};
  }
  for (f64 part = 8 * y; part >= y; part *= 0.5) rest = select(rest >= part, rest - part, rest);
  return math::flip_sign(rest, x);
}

ENVPOOL_ALWAYS_INLINE f32x4 to_f32(f64x4 x) { return __builtin_convertvector(x, f32x4); }
ENVPOOL_ALWAYS_INLINE f64x4 to_f64(f64x4 x) { return x; }
ENVPOOL_ALWAYS_INLINE f64x4 to_f64(f32x4 x) { return __builtin_convertvector(x, f64x4); }
ENVPOOL_ALWAYS_INLINE f64x4 to_f64(i64x4 x) { return __builtin_convertvector(x, f64x4); }
ENVPOOL_ALWAYS_INLINE f64x4 to_f64(i32x4 x) { return __builtin_convertvector(x, f64x4); }

// The outcomes of four steps. `terminated` is -1 in the lanes whose episode terminated. Environments that step in lanes
// set no discount and truncate no episodes themselves.
struct OutcomeLanes {
  f32x4 reward;
  i32x4 terminated;
};
ENVPOOL_ALWAYS_INLINE i32x4 to_i32(i64x4 holds) { return __builtin_convertvector(holds, i32x4); }

// Gather a member of four states into lanes, and scatter it back.
template <class State, class Of>
ENVPOOL_ALWAYS_INLINE f64x4 gather(State* const* states, f64 Of::* member) {
  return f64x4{states[0]->*member, states[1]->*member, states[2]->*member, states[3]->*member};
}
template <class State, class Of>
ENVPOOL_ALWAYS_INLINE f32x4 gather(State* const* states, f32 Of::* member) {
  return f32x4{states[0]->*member, states[1]->*member, states[2]->*member, states[3]->*member};
}
template <class Lanes, class State, class T>
ENVPOOL_ALWAYS_INLINE void scatter(Lanes lanes, State* const* states, T State::* member) {
  for (int lane = 0; lane < 4; ++lane) states[lane]->*member = lanes[lane];
}
// Loads four rows of one element each.
template <class T>
ENVPOOL_ALWAYS_INLINE Lanes<T> load(const T* rows) {
  Lanes<T> lanes;
  std::memcpy(&lanes, rows, sizeof(lanes));
  return lanes;
}
// Stores four rows with one element for each argument.
template <class... Parts>
ENVPOOL_ALWAYS_INLINE void store_rows(f32* rows, Parts... parts) {
  const f32x4 part[] = {to_f32(parts)...};
  for (int lane = 0; lane < 4; ++lane) {
    for (u64 i = 0; i < sizeof...(Parts); ++i) rows[lane * sizeof...(Parts) + i] = part[i][lane];
  }
}

}  // namespace envpool

#endif  // ENVPOOL_SIMD
