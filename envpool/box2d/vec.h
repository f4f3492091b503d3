// SPDX-License-Identifier: Apache-2.0
//
// Vectors, rotations and boxes in the plane, as float32. The order of the operations is the same as in Box2D 2.3, so
// that results have the same bits. Sine and cosine have the bits of glibc's sinf and cosf, which Box2D calls.
#pragma once

#include "envpool/core/api.h"

namespace envpool::box2d {

struct Vec {
  f32 x, y;
};

ENVPOOL_ALWAYS_INLINE constexpr Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
ENVPOOL_ALWAYS_INLINE constexpr Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y}; }
ENVPOOL_ALWAYS_INLINE constexpr Vec operator-(Vec a) { return {-a.x, -a.y}; }
ENVPOOL_ALWAYS_INLINE constexpr Vec operator*(f32 s, Vec a) { return {s * a.x, s * a.y}; }
ENVPOOL_ALWAYS_INLINE constexpr f32 dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y; }
ENVPOOL_ALWAYS_INLINE constexpr f32 cross(Vec a, Vec b) { return a.x * b.y - a.y * b.x; }
// The cross products with a vector of length s that is perpendicular to the plane.
ENVPOOL_ALWAYS_INLINE constexpr Vec cross(Vec a, f32 s) { return {s * a.y, -s * a.x}; }
ENVPOOL_ALWAYS_INLINE constexpr Vec cross(f32 s, Vec a) { return {-s * a.y, s * a.x}; }

// Unlike fmin and fmax of C, these return b if a or b is NaN.
ENVPOOL_ALWAYS_INLINE constexpr f32 least(f32 a, f32 b) { return a < b ? a : b; }
ENVPOOL_ALWAYS_INLINE constexpr f32 greatest(f32 a, f32 b) { return a > b ? a : b; }
ENVPOOL_ALWAYS_INLINE constexpr f32 clamped(f32 x, f32 low, f32 high) { return greatest(low, least(x, high)); }
ENVPOOL_ALWAYS_INLINE constexpr f32 magnitude(f32 x) { return x > 0 ? x : -x; }
ENVPOOL_ALWAYS_INLINE Vec least(Vec a, Vec b) { return {least(a.x, b.x), least(a.y, b.y)}; }
ENVPOOL_ALWAYS_INLINE Vec greatest(Vec a, Vec b) { return {greatest(a.x, b.x), greatest(a.y, b.y)}; }

inline constexpr f32 kEpsilon = 0x1p-23f;
inline constexpr f32 kLargest = 0x1.fffffep+127f;
inline constexpr f32 kPiF = 3.14159265359f;
inline constexpr f32 kSlop = 0.005f;                    // the tolerated overlap and error of joints, in m
inline constexpr f32 kAngularSlop = 2.0f / 180 * kPiF;  // the same for angles
inline constexpr f32 kSkin = 2 * kSlop;                 // polygons and edges extend beyond their vertices by this

ENVPOOL_ALWAYS_INLINE f32 length(Vec a) { return sqrt(a.x * a.x + a.y * a.y); }
ENVPOOL_ALWAYS_INLINE f32 normalize(Vec& a) {
  const f32 size = length(a);
  if (size < kEpsilon) return 0;
  const f32 inverse = 1 / size;
  a.x *= inverse;
  a.y *= inverse;
  return size;
}

// Returns the hyperbolic tangent, with an error of at most a few units in the last place.
ENVPOOL_FN f64 tanh(f64 x) {
  if (fabs(x) < 0.5) {
    const f64 y = x * x;
    return x / (1 + y / (3 + y / (5 + y / (7 + y / (9 + y / (11 + y / (13 + y / 15)))))));
  }
  return 1 - 2 / (exp(2 * x) + 1);
}

struct Rotation {
  f32 sin, cos;
};

// Reduces an angle of 120 rad or more to a number of quarter turns and a remainder, with 96 bits of 4/pi.
ENVPOOL_FN f64 reduce_large(u32 bits, u32& quarters) {
  constexpr u64 digits[4] = {0x000000a2f9836e4e, 0x441529fc2757d1f5, 0x34ddc0db6295993c, 0x439041fe5163abde};
  // The 32 bits that end after the first 8 * (at + 1) binary digits of 4/pi.
  const auto word = [&](u32 at) {
    u32 value = 0;
    for (u32 byte = at; byte < at + 4; ++byte)
      value = value << 8 | u32(digits[byte >> 3] >> (56 - 8 * (byte & 7)) & 255);
    return value;
  };
  const u32 at = bits >> 26 & 15, mantissa = ((bits & 0xFFFFFF) | 0x800000) << (bits >> 23 & 7);
  const u64 high = u64{mantissa * word(at)} << 32, middle = u64{mantissa} * word(at + 4),
            low = u64{mantissa} * word(at + 8);
  u64 product = (high | low >> 32) + middle;
  quarters = u32((product + (1ull << 61)) >> 62);
  product -= u64{quarters} << 62;
  return f64(i64(product)) * 0x1.921fb54442d18p-62;
}

// Returns the float32 bits of glibc's sinf and cosf (version 2.28 and later), which evaluate these polynomials in
// double precision. The results are correctly rounded for all but one in a thousand arguments.
ENVPOOL_DEVICE_CALL Rotation rotation(f32 angle) {
  const u32 bits = math::bits(angle), size = bits & 0x7FFFFFFF;
  if (size < 0x39800000) return {angle, 1};  // below 2^-12
  if (size >= 0x7F800000) return {math::nan<f32>(), math::nan<f32>()};
  f64 x = angle;
  u32 quarters;
  if (size < 0x42F00000) {  // below 120
    const i32 n = (i32(x * 0x1.45f306dc9c883p+23) + 0x800000) >> 24;
    x -= n * 0x1.921fb54442d18p0;
    quarters = u32(n);
  } else {
    x = reduce_large(size, quarters);
    if (bits != size) {
      x = -x;
      quarters = -quarters;
    }
  }
  const f64 x2 = x * x, x3 = x2 * x, x4 = x2 * x2;
  const f64 sine = (x + x3 * -0x1.555545995a603p-3) + x3 * x2 * (0x1.1107605230bc4p-7 + x2 * -0x1.994eb3774cf24p-13);
  const f64 cosine = ((1 + x2 * -0x1.ffffffd0c621cp-2) + x4 * 0x1.55553e1068f19p-5) +
                     x4 * x2 * (-0x1.6c087e89a359dp-10 + x2 * 0x1.99343027bf8c3p-16);
  const f32 first = f32((quarters & 1) != 0 ? cosine : sine), second = f32((quarters & 1) != 0 ? sine : cosine);
  return {(quarters & 2) != 0 ? -first : first, ((quarters + 1) & 2) != 0 ? -second : second};
}

ENVPOOL_ALWAYS_INLINE Vec rotate(Rotation q, Vec a) { return {q.cos * a.x - q.sin * a.y, q.sin * a.x + q.cos * a.y}; }
ENVPOOL_ALWAYS_INLINE Vec unrotate(Rotation q, Vec a) {
  return {q.cos * a.x + q.sin * a.y, -q.sin * a.x + q.cos * a.y};
}

// The position of a body's origin, and the body's rotation.
struct Pose {
  Vec at;
  Rotation turn;
};

ENVPOOL_ALWAYS_INLINE Vec to_world(const Pose& pose, Vec a) {
  return {(pose.turn.cos * a.x - pose.turn.sin * a.y) + pose.at.x,
          (pose.turn.sin * a.x + pose.turn.cos * a.y) + pose.at.y};
}
ENVPOOL_ALWAYS_INLINE Vec to_local(const Pose& pose, Vec a) { return unrotate(pose.turn, a - pose.at); }

// Returns the pose of a body whose centre of mass, `local` in its own frame, is at `center`.
ENVPOOL_ALWAYS_INLINE Pose pose_of(Vec center, f32 angle, Vec local) {
  const Rotation turn = rotation(angle);
  return {center - rotate(turn, local), turn};
}

struct Box {
  Vec low, high;
};

ENVPOOL_ALWAYS_INLINE Box join(const Box& a, const Box& b) { return {least(a.low, b.low), greatest(a.high, b.high)}; }
ENVPOOL_ALWAYS_INLINE Box widen(const Box& a, f32 by) { return {a.low - Vec{by, by}, a.high + Vec{by, by}}; }
ENVPOOL_ALWAYS_INLINE bool overlap(const Box& a, const Box& b) {
  return !(b.low.x - a.high.x > 0 || b.low.y - a.high.y > 0 || a.low.x - b.high.x > 0 || a.low.y - b.high.y > 0);
}
ENVPOOL_ALWAYS_INLINE bool contains(const Box& a, const Box& b) {
  return a.low.x <= b.low.x && a.low.y <= b.low.y && b.high.x <= a.high.x && b.high.y <= a.high.y;
}

}  // namespace envpool::box2d
