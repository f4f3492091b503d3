// SPDX-License-Identifier: Apache-2.0
//
// Vectors, quaternions, rotation matrices and spatial vectors (rotation first, then translation), as arrays. T is f64,
// or f64x4 for four robots at a time; numbers in the tables of a model are always f64. The order of all operations is
// that of MuJoCo 3.17.0, which determines the last bits.
#pragma once

#include "envpool/robots/lanes.h"

namespace envpool::robots {

#if defined(__GNUC__) && !defined(__CUDACC__)
#define ENVPOOL_UNROLL _Pragma("GCC unroll 32")
#else
#define ENVPOOL_UNROLL
#endif

inline constexpr f64 kMinValue = 1e-15;  // mjMINVAL

template <class T>
ENVPOOL_ALWAYS_INLINE T splat(f64 x) {
  return T{} + x;
}
template <class T>
ENVPOOL_ALWAYS_INLINE Mask<T> no() {
  return T{} != T{};
}
template <class T>
ENVPOOL_ALWAYS_INLINE Mask<T> yes() {
  return T{} == T{};
}

// Copies `n` numbers; constants are copied to all lanes.
template <int kCount, class T, class V>
ENVPOOL_ALWAYS_INLINE void copy(T* to, const V* from) {
  for (int i = 0; i < kCount; ++i) to[i] = T{} + from[i];
}
template <int kCount, class T>
ENVPOOL_ALWAYS_INLINE void zero(T* to) {
  for (int i = 0; i < kCount; ++i) to[i] = T{};
}
template <int kCount, class T>
ENVPOOL_ALWAYS_INLINE void add(T* to, const T* more) {
  for (int i = 0; i < kCount; ++i) to[i] = to[i] + more[i];
}
// Adds `scale` times `more`.
template <int kCount, class T, class S>
ENVPOOL_ALWAYS_INLINE void add_scaled(T* to, const T* more, S scale) {
  for (int i = 0; i < kCount; ++i) to[i] = to[i] + more[i] * scale;
}

// Dot product of at most kMost elements in mju_dot's order: four partial sums, of which the first block is the
// beginning, and then the rest.
template <int kMost, class A, class B>
ENVPOOL_ALWAYS_INLINE auto dot(const A* a, const B* b, int n) {
  using T = decltype(a[0] * b[0]);
  T sum{};
  int i = 0;
  if (kMost >= 4 && n >= 4) {
    T s0 = a[0] * b[0], s1 = a[1] * b[1], s2 = a[2] * b[2], s3 = a[3] * b[3];
    for (i = 4; kMost >= 8 && i + 4 <= n; i += 4) {
      s0 = s0 + a[i] * b[i];
      s1 = s1 + a[i + 1] * b[i + 1];
      s2 = s2 + a[i + 2] * b[i + 2];
      s3 = s3 + a[i + 3] * b[i + 3];
    }
    sum = (s0 + s2) + (s1 + s3);
  }
  if (n - i == 3) return T(sum + ((a[i] * b[i] + a[i + 1] * b[i + 1]) + a[i + 2] * b[i + 2]));
  if (n - i == 2) return T(sum + (a[i] * b[i] + a[i + 1] * b[i + 1]));
  if (n - i == 1) return T(sum + a[i] * b[i]);
  return sum;
}
template <class A, class B>
ENVPOOL_ALWAYS_INLINE auto dot3(const A* a, const B* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class A, class B>
ENVPOOL_ALWAYS_INLINE auto dot6(const A* a, const B* b) {
  return ((a[0] * b[0] + a[2] * b[2]) + (a[1] * b[1] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5]);
}
template <class T, class A, class B>
ENVPOOL_ALWAYS_INLINE void cross(T* out, const A* a, const B* b) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

template <class T, class A, class B>
ENVPOOL_ALWAYS_INLINE void multiply_quaternions(T* out, const A* a, const B* b) {
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}
// Rotates a vector by a quaternion.
template <class T, class Q, class V>
ENVPOOL_ALWAYS_INLINE void rotate(T* out, const Q* q, const V* v) {
  const T t0 = q[0] * v[0] + q[2] * v[2] - q[3] * v[1];
  const T t1 = q[0] * v[1] + q[3] * v[0] - q[1] * v[2];
  const T t2 = q[0] * v[2] + q[1] * v[1] - q[2] * v[0];
  out[0] = v[0] + 2.0 * (q[2] * t2 - q[3] * t1);
  out[1] = v[1] + 2.0 * (q[3] * t0 - q[1] * t2);
  out[2] = v[2] + 2.0 * (q[1] * t1 - q[2] * t0);
}
// Quaternions whose length is 1 within rounding stay as they are.
template <class T>
ENVPOOL_ALWAYS_INLINE void normalize_quaternion(T* q) {
  const T norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const Mask<T> tiny = norm<splat<T>(kMinValue), off = fabs(norm - 1.0)> splat<T>(kMinValue);
  const T scale = 1.0 / norm;
  for (int i = 0; i < 4; ++i) q[i] = select(tiny, splat<T>(i == 0), select(off, q[i] * scale, q[i]));
}
// Divides a vector by its length and returns the length; the direction of a very short one is (1, 0, 0).
template <class T>
ENVPOOL_ALWAYS_INLINE T normalize3(T* v) {
  const T norm = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  const Mask<T> tiny = norm < splat<T>(kMinValue);
  const T scale = 1.0 / norm;
  for (int i = 0; i < 3; ++i) v[i] = select(tiny, splat<T>(i == 0), v[i] * scale);
  return norm;
}
template <class T, class Q>
ENVPOOL_ALWAYS_INLINE void to_matrix(T* out, const Q* q) {
  const T q00 = q[0] * q[0], q01 = q[0] * q[1], q02 = q[0] * q[2], q03 = q[0] * q[3];
  const T q11 = q[1] * q[1], q12 = q[1] * q[2], q13 = q[1] * q[3];
  const T q22 = q[2] * q[2], q23 = q[2] * q[3], q33 = q[3] * q[3];
  out[0] = q00 + q11 - q22 - q33;
  out[4] = q00 - q11 + q22 - q33;
  out[8] = q00 - q11 - q22 + q33;
  out[1] = 2.0 * (q12 - q03);
  out[2] = 2.0 * (q13 + q02);
  out[3] = 2.0 * (q12 + q03);
  out[5] = 2.0 * (q23 - q01);
  out[6] = 2.0 * (q13 - q02);
  out[7] = 2.0 * (q23 + q01);
}
template <class T, class M, class V>
ENVPOOL_ALWAYS_INLINE void multiply_matrix(T* out, const M* m, const V* v) {
  for (int i = 0; i < 3; ++i) out[i] = m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2];
}

// A rigid body's inertia about a point: the matrix of rotation (xx, yy, zz, xy, xz, yz), the mass times the offset of
// its centre of mass, and the mass.
template <class T>
struct Inertia {
  T at[10];
};
// Computes an element of the product of two matrices.
template <class T>
ENVPOOL_ALWAYS_INLINE T product_element(const T* a, const T* b, int row, int column) {
  return a[3 * row] * b[column] + a[3 * row + 1] * b[3 + column] + a[3 * row + 2] * b[6 + column];
}
// `rotation` is that of the frame in which the moments are `moments`, and `offset` its place.
template <class T>
ENVPOOL_ALWAYS_INLINE void make_inertia(Inertia<T>& out, const T* moments, const T* rotation, const T* offset, T mass) {
  const T* r = rotation;
  T columns[9];
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) columns[3 * i + k] = r[3 * k + i] * moments[i];
  }
  const T x = offset[0], y = offset[1], z = offset[2];
  out.at[0] = product_element(r, columns, 0, 0) + mass * (y * y + z * z);
  out.at[1] = product_element(r, columns, 1, 1) + mass * (x * x + z * z);
  out.at[2] = product_element(r, columns, 2, 2) + mass * (x * x + y * y);
  out.at[3] = product_element(r, columns, 0, 1) - mass * x * y;
  out.at[4] = product_element(r, columns, 0, 2) - mass * x * z;
  out.at[5] = product_element(r, columns, 1, 2) - mass * y * z;
  for (int i = 0; i < 3; ++i) out.at[6 + i] = mass * offset[i];
  out.at[9] = mass;
}
// Multiplies a motion by an inertia, which gives a force.
template <class T>
ENVPOOL_ALWAYS_INLINE void multiply_inertia(T* out, const Inertia<T>& inertia, const T* v) {
  const T* i = inertia.at;
  out[0] = i[0] * v[0] + i[3] * v[1] + i[4] * v[2] - i[8] * v[4] + i[7] * v[5];
  out[1] = i[3] * v[0] + i[1] * v[1] + i[5] * v[2] + i[8] * v[3] - i[6] * v[5];
  out[2] = i[4] * v[0] + i[5] * v[1] + i[2] * v[2] - i[7] * v[3] + i[6] * v[4];
  out[3] = i[8] * v[1] - i[7] * v[2] + i[9] * v[3];
  out[4] = i[6] * v[2] - i[8] * v[0] + i[9] * v[4];
  out[5] = i[7] * v[0] - i[6] * v[1] + i[9] * v[5];
}

// The cross product of a velocity and a motion.
template <class T>
ENVPOOL_ALWAYS_INLINE void cross_motion(T* out, const T* velocity, const T* motion) {
  T linear[3];
  cross(out, velocity, motion);
  cross(out + 3, velocity, motion + 3);
  cross(linear, velocity + 3, motion);
  add<3>(out + 3, linear);
}
// The cross product of a velocity and a force.
template <class T>
ENVPOOL_ALWAYS_INLINE void cross_force(T* out, const T* velocity, const T* force) {
  T linear[3];
  cross(out, velocity, force);
  cross(out + 3, velocity, force + 3);
  cross(linear, velocity + 3, force + 3);
  add<3>(out, linear);
}

}  // namespace envpool::robots
