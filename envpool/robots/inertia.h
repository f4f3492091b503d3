// SPDX-License-Identifier: Apache-2.0
//
// The inertia matrix M by the composite rigid body algorithm, its factorization L^T D L, and products with both.
#pragma once

#include "envpool/robots/data.h"

namespace envpool::robots {

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void composite_inertia(Data<M, T>& d) {
  Inertia<T> composite[M::kBodies];
  ENVPOOL_UNROLL
  for (i32 b = 1; b < M::kBodies; ++b) composite[b] = d.cinert[b];
  ENVPOOL_UNROLL
  for (i32 b = M::kBodies - 1; b > 0; --b) {
    const i32 parent = M::body(b).parent;
    if (parent > 0) add<10>(composite[parent].at, composite[b].at);
  }
  ENVPOOL_UNROLL
  for (i32 i = 0; i < M::kDofs; ++i) {
    const Dof& dof = M::dof(i);
    T* const row = d.mass + dof.row;
    if (M::kSimpleDofs && dof.simple) {
      row[dof.ancestors] = d.numbers->M0[i];
      continue;
    }
    T momentum[6];
    multiply_inertia(momentum, composite[dof.body], d.cdof[i]);
    ENVPOOL_UNROLL
    for (i32 k = 0; k < dof.ancestors; ++k) row[k] = dot6(d.cdof[M::column(dof.row + k)], momentum);
    row[dof.ancestors] = d.numbers->dof_armature[i] + dot6(d.cdof[i], momentum);
  }
}

// Replaces a matrix with the structure of M by its factors. `inverse` receives 1 / D. Elements of D that are almost 0
// or negative, as those of a singular matrix may be, are replaced by a small number.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void factorize(T* matrix, T* inverse) {
  ENVPOOL_UNROLL
  for (i32 i = M::kDofs - 1; i >= 0; --i) {
    const Dof& dof = M::dof(i);
    T* const row = matrix + dof.row;
    T& diagonal = row[dof.ancestors];
    diagonal = select(diagonal < splat<T>(kMinValue), splat<T>(kMinValue), diagonal);
    inverse[i] = 1.0 / diagonal;
    ENVPOOL_UNROLL
    for (i32 k = dof.ancestors - 1; k >= 0; --k) {
      const Dof& ancestor = M::dof(M::column(dof.row + k));
      const T scale = -row[k] * inverse[i];
      T* const other = matrix + ancestor.row;
      ENVPOOL_UNROLL
      for (i32 n = 0; n <= k; ++n) other[n] = other[n] + row[n] * scale;
    }
    ENVPOOL_UNROLL
    for (i32 k = 0; k < dof.ancestors; ++k) row[k] = row[k] * inverse[i];
  }
}

// Computes a term of the product of a row of a matrix with the structure of M and a vector.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE T row_term(const T* matrix, const T* x, i32 element) {
  return matrix[element] * x[M::column(element)];
}

// Solves a system with the factors.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void solve(const T* factor, const T* inverse, T* x) {
  ENVPOOL_UNROLL
  for (i32 i = M::kDofs - 1; i > 0; --i) {
    const Dof& dof = M::dof(i);
    ENVPOOL_UNROLL
    for (i32 k = 0; k < dof.ancestors; ++k) {
      const i32 j = M::column(dof.row + k);
      x[j] = x[j] - factor[dof.row + k] * x[i];
    }
  }
  ENVPOOL_UNROLL
  for (i32 i = 0; i < M::kDofs; ++i) x[i] = x[i] * inverse[i];
  ENVPOOL_UNROLL
  for (i32 i = 1; i < M::kDofs; ++i) {
    const Dof& dof = M::dof(i);
    T sum{};
    i32 k = 0;
    if (dof.ancestors >= 4) {
      T s0 = row_term<M>(factor, x, dof.row), s1 = row_term<M>(factor, x, dof.row + 1),
        s2 = row_term<M>(factor, x, dof.row + 2), s3 = row_term<M>(factor, x, dof.row + 3);
      for (k = 4; k + 4 <= dof.ancestors; k += 4) {
        s0 = s0 + row_term<M>(factor, x, dof.row + k);
        s1 = s1 + row_term<M>(factor, x, dof.row + k + 1);
        s2 = s2 + row_term<M>(factor, x, dof.row + k + 2);
        s3 = s3 + row_term<M>(factor, x, dof.row + k + 3);
      }
      sum = (s0 + s2) + (s1 + s3);
    }
    for (i32 rest = 0; rest < 3; ++rest) {
      if (k + rest < dof.ancestors) sum = sum + row_term<M>(factor, x, dof.row + k + rest);
    }
    x[i] = x[i] - sum;
  }
}

// Computes M * v.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void multiply_mass(const Data<M, T>& d, const T* v, T* out) {
  ENVPOOL_UNROLL
  for (i32 i = 0; i < M::kDofs; ++i) {
    const Dof& dof = M::dof(i);
    out[i] = d.mass[dof.row + dof.ancestors] * v[i];
    ENVPOOL_UNROLL
    for (i32 k = dof.ancestors - 1; k >= 0; --k) {
      const i32 j = M::column(dof.row + k);
      const T element = d.mass[dof.row + k];
      out[i] = out[i] + element * v[j];
      out[j] = out[j] + element * v[i];
    }
  }
}

}  // namespace envpool::robots
