// SPDX-License-Identifier: Apache-2.0
//
// Constraint rows: joint limits, and pyramids of friction at contacts. In lanes, a row is listed if it exists in any of
// them; in the others it is zero, which changes no sum.
#pragma once

#include "envpool/robots/collision.h"

namespace envpool::robots {

// The impedance, a function of the violation.
template <class T>
ENVPOOL_ALWAYS_INLINE T impedance_at(const Impedance& i, T distance) {
  if (i.low == i.high || i.width <= kMinValue) return splat<T>(0.5 * (i.low + i.high));
  const T x = fabs((distance - i.margin) / i.width);
  const T rest = 1.0 - x;
  const T y = select(x <= splat<T>(i.middle), 1 / i.middle * (x * x), 1.0 - 1 / (1 - i.middle) * (rest * rest));
  return select(x >= splat<T>(1), splat<T>(i.high), i.low + y * (i.high - i.low));
}

// Computes R of a row from the approximate diagonal of A.
template <class T>
ENVPOOL_ALWAYS_INLINE T regularizer_of(T impedance, T diagonal) {
  const T regularizer = (1.0 - impedance) * diagonal / impedance;
  return select(regularizer > splat<T>(kMinValue), regularizer, splat<T>(kMinValue));
}

// Fills the weight and reference of a row that has the given velocity.
template <class T>
ENVPOOL_ALWAYS_INLINE void set_row(ConstraintRow<T>& row, const Impedance& i, Mask<T> exists, T distance, T impedance,
                                   T velocity, T regularizer) {
  row.regularizer = regularizer;
  row.weight = select(exists, 1.0 / regularizer, T{});
  row.reference = select(exists, -i.damping * velocity - i.stiffness * impedance * (distance - i.margin), T{});
}

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void limit_rows(Data<M, T>& d, const T* qpos, const T* qvel) {
  for (i32 k = 0; k < M::kLimits; ++k) {
    const Limit& limit = M::limit(k);
    const T above_low = -1.0 * (limit.low - qpos[limit.position]), below_high = limit.high - qpos[limit.position];
    const Mask<T> low = above_low < splat<T>(limit.impedance.margin);
    const Mask<T> high = below_high < splat<T>(limit.impedance.margin), exists = low | high;
    if (!any(exists)) continue;
    ConstraintRow<T>& row = d.row[d.rows++];
    const T distance = select(low, above_low, below_high);
    row.tree = limit.tree;
    row.dof = limit.dof;
    if constexpr (M::kSolver == Solver::kPgs) row.jacobian = d.jacobian_rows++;
    row.sign = select(exists, select(low, splat<T>(1), splat<T>(-1)), T{});
    const T impedance = impedance_at(limit.impedance, distance);
    set_row(row, limit.impedance, exists, distance, impedance, row.sign * qvel[limit.dof],
            regularizer_of(impedance, d.numbers->limit_invweight[k]));
  }
}

// Computes the rows of the Jacobian that belong to a contact.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void contact_jacobian(const Data<M, T>& d, const Contact<T>& contact, T (*jacobian)[M::kDofs]) {
  const Pair& pair = M::pair(contact.pair);
  const bool is_pyramid = pair.dimensions == 3;
  const i32 directions = is_pyramid ? 3 : 1, rows = is_pyramid ? 4 : 1;
  const T friction = pair_friction(*d.numbers, pair);
  T along[3][M::kDofs]{};  // the velocity along each direction, as a function of qvel
  T offset[3];
  for (int i = 0; i < 3; ++i) offset[i] = contact.pos[i] - d.com[pair.root][i];
  for (i32 k = 0; k < pair.links; ++k) {
    const i32 dof = M::chain(pair.chain + k);
    T column[3];
    cross(column, d.cdof[dof], offset);
    add<3>(column, d.cdof[dof] + 3);
    for (int i = 0; i < 3; ++i) column[i] = select(contact.touches, k < pair.links1 ? -column[i] : column[i], T{});
    for (i32 a = 0; a < directions; ++a) along[a][dof] = dot3(contact.frame + 3 * a, column);
  }
  for (i32 k = 0; k < rows; ++k) {
    const T slope = k % 2 == 0 ? friction : -friction;
    for (i32 i = 0; i < M::kDofs; ++i) {
      jacobian[k][i] = is_pyramid ? along[0][i] + along[1 + k / 2][i] * slope : along[0][i];
    }
  }
}

// Adds the rows of a contact.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void contact_rows(Data<M, T>& d, Contact<T>& contact, const T* qvel) {
  const Pair& pair = M::pair(contact.pair);
  const bool is_pyramid = pair.dimensions == 3;
  const i32 rows = is_pyramid ? 4 : 1;
  contact_jacobian<M, T>(d, contact, d.jacobian + d.jacobian_rows);
  const T impedance = impedance_at(pair.impedance, contact.distance);
  const T* const invweight = d.numbers->body_invweight;
  const T weight = invweight[M::geom(pair.geom1).body] + invweight[M::geom(pair.geom2).body];
  const T friction = pair_friction(*d.numbers, pair);
  T regularizer = regularizer_of(impedance, is_pyramid ? weight + friction * friction * weight : weight);
  if (is_pyramid) regularizer = 2 * friction * friction * regularizer;
  contact.row = d.rows;
  for (i32 k = 0; k < rows; ++k) {
    ConstraintRow<T>& row = d.row[d.rows++];
    row.tree = pair.tree;
    row.dof = -1;
    row.jacobian = d.jacobian_rows++;
    set_row(row, pair.impedance, contact.touches, contact.distance, impedance,
            dot<M::kDofs>(d.jacobian[row.jacobian], qvel, M::kDofs), regularizer);
  }
}

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void constraint_rows(Data<M, T>& d, const T* qpos, const T* qvel) {
  d.rows = d.jacobian_rows = 0;
  limit_rows(d, qpos, qvel);
  if constexpr (M::kPairs > 0) {
    for (i32 k = 0; k < d.contacts; ++k) contact_rows(d, d.contact[k], qvel);
  }
}

// The product of a row of the Jacobian and a vector.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE T multiply_row(const Data<M, T>& d, const ConstraintRow<T>& row, const T* x, i32 first,
                                     i32 count) {
  if (row.dof >= 0) return row.sign * x[row.dof];
  return dot<M::kDofs>(d.jacobian[row.jacobian] + first, x + first, count);
}

}  // namespace envpool::robots
