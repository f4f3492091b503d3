// SPDX-License-Identifier: Apache-2.0
//
// The constants of a model that depend on fields that options set (mj_setConst): masses of trees, and inverse inertias
// in the initial state.
#pragma once

#include "envpool/robots/positions.h"

namespace envpool::robots {

// Returns whether masses and inertias are those of the tables, so that the tables have the constants, too.
template <class M>
ENVPOOL_FN bool has_inertias_of_tables(const ModelNumbers<M, f64>& n) {
  bool same = true;
  for (i32 b = 0; b < M::kBodies; ++b) {
    same &= n.body_mass[b] == M::body(b).mass;
    for (i32 i = 0; i < 3; ++i) same &= n.body_inertia[b][i] == M::body(b).inertia[i];
  }
  for (i32 i = 0; i < M::kDofs; ++i) same &= n.dof_armature[i] == M::dof(i).armature;
  return same;
}

template <class M>
ENVPOOL_FN void compute_masses(ModelNumbers<M, f64>& n) {
  f64 mass[M::kBodies];
  copy<M::kBodies>(mass, n.body_mass);
  for (i32 b = M::kBodies - 1; b > 0; --b) mass[M::body(b).parent] += mass[b];
  for (i32 b = 0; b < M::kBodies; ++b) {
    n.inverse_mass[b] = M::body(b).parent == 0 && mass[b] >= kMinValue ? 1.0 / mass[b] : 0;
  }
  if constexpr (kHasFluid<M>) {
    for (i32 b = 0; b < M::kBodies; ++b) {
      const f64* const inertia = n.body_inertia[b];
      for (i32 i = 0; i < 3; ++i) {
        const f64 others = inertia[i == 0 ? 1 : 0] + inertia[i == 2 ? 1 : 2];
        const f64 square = max(kMinValue, others - inertia[i]) / n.body_mass[b] * 6.0;
        n.fluid_box[b][i] = n.body_mass[b] >= kMinValue ? sqrt(square) : 0;
      }
    }
  }
}

// Returns whether the joints of a body only slide, and its inertia is constant.
template <class M>
ENVPOOL_FN bool is_sliding_mass(i32 b) {
  const Body& body = M::body(b);
  bool slides = M::kSimpleDofs && body.joints > 0;
  for (i32 j = body.joint; j < body.joint + body.joints; ++j) {
    slides &= M::joint(j).type == JointType::kSlide && M::dof(M::joint(j).dof).simple;
  }
  return slides;
}
ENVPOOL_FN f64 inverse_of_mass(f64 mass) { return 1 / max(kMinValue, mass); }

// A dof and those that move it: a path in the kinematic tree, whose first dof has no ancestors.
template <class M>
struct Path {
  const Dof& last;

  ENVPOOL_FN i32 count() const { return last.ancestors + 1; }
  ENVPOOL_FN i32 dof(i32 k) const { return M::column(last.row + k); }

  // Solves a system with the factors of the inertia matrix, where x is 0 except for the dofs of the path. Only their
  // elements of the solution are computed. The order of operations is that of solve().
  ENVPOOL_FN void solve(const f64* factor, const f64* inverse, f64* x) const {
    for (i32 k = last.ancestors; k > 0; --k) {
      const f64* const row = factor + M::dof(dof(k)).row;
      for (i32 a = 0; a < k; ++a) x[a] = x[a] - row[a] * x[k];
    }
    for (i32 k = 0; k <= last.ancestors; ++k) {
      const f64* const row = factor + M::dof(dof(k)).row;
      f64 sum = 0;
      const i32 blocks = k / 4 * 4;
      if (blocks > 0) sum = dot<M::kDofs>(row, x, blocks);
      for (i32 a = blocks; a < k; ++a) sum = sum + row[a] * x[a];
      x[k] = x[k] * inverse[dof(k)] - sum;
    }
  }
};

// Returns the mean of the inverse inertias of a body's centre of mass along the three axes.
template <class M, class Size>
ENVPOOL_FN f64 body_invweight(const Data<Size, f64>& d, i32 b) {
  i32 mover = b;  // the body to which this one is welded
  while (mover > 0 && M::body(mover).dofs == 0) mover = M::body(mover).parent;
  if (mover == 0) return 0;
  if (is_sliding_mass<M>(b)) return inverse_of_mass(d.numbers->body_mass[b]);
  const Path<M> path{M::dof(M::body(mover).dof + M::body(mover).dofs - 1)};
  f64 offset[3], velocity[3][M::kDofs], sum = 0;  // of the centre of mass, as a function of qvel
  for (i32 i = 0; i < 3; ++i) offset[i] = d.xipos[b][i] - d.com[M::body(b).root][i];
  for (i32 k = 0; k < path.count(); ++k) {
    const f64* const cdof = d.cdof[path.dof(k)];
    f64 column[3];
    cross(column, cdof, offset);
    add<3>(column, cdof + 3);
    for (i32 i = 0; i < 3; ++i) velocity[i][k] = column[i];
  }
  for (i32 i = 0; i < 3; ++i) {
    f64 x[M::kDofs], direction[M::kDofs]{}, response[M::kDofs]{};
    for (i32 k = 0; k < path.count(); ++k) x[k] = velocity[i][k];
    path.solve(d.factor, d.inverse, x);
    for (i32 k = 0; k < path.count(); ++k) {
      direction[path.dof(k)] = velocity[i][k];
      response[path.dof(k)] = x[k];
    }
    sum += dot<M::kDofs>(direction, response, M::kDofs);
  }
  return sum / 3;
}

// Computes the constants that depend on the inertia matrix in the initial state. `d` is scratch memory.
template <class M, class Size>
ENVPOOL_NOINLINE void compute_inverse_inertias(Data<Size, f64>& d, ModelNumbers<M, f64>& n) {
  f64 qpos[M::kPositions];
  for (i32 i = 0; i < M::kPositions; ++i) qpos[i] = M::initial(i);
  d.numbers = &n;
  positions_called(d, qpos);
  if constexpr (M::kSimpleDofs) {
    // The bodies of simple dofs have no children, so their own inertias are the composite ones.
    for (i32 i = 0; i < M::kDofs; ++i) {
      f64 momentum[6];
      multiply_inertia(momentum, d.cinert[M::dof(i).body], d.cdof[i]);
      n.M0[i] = n.dof_armature[i] + dot<6>(d.cdof[i], momentum, 6);
    }
    positions_called(d, qpos);
  }
  for (i32 b = 0; b < M::kBodies; ++b) n.body_invweight[b] = M::kPairs > 0 ? body_invweight<M>(d, b) : 0;
  for (i32 k = 0; k < M::kLimits; ++k) {
    const i32 dof = M::limit(k).dof, body = M::dof(dof).body;
    const Path<M> path{M::dof(dof)};
    f64 x[M::kDofs]{};
    x[path.last.ancestors] = 1;
    path.solve(d.factor, d.inverse, x);
    n.limit_invweight[k] = is_sliding_mass<M>(body) ? inverse_of_mass(n.body_mass[body]) : x[path.last.ancestors];
  }
}

// Computes all constants from the fields.
template <class M>
ENVPOOL_FN void compute_constants(ModelNumbers<M, f64>& n) {
  compute_masses<M>(n);
  if constexpr (kTunesStiffness<M>) {
    n.most_stiffness[0] = 0;
    for (i32 j = 0; j < M::kJoints; ++j) n.most_stiffness[0] = max(n.most_stiffness[0], n.jnt_stiffness[j]);
  }
  if (has_inertias_of_tables<M>(n)) {
    for (i32 b = 0; b < M::kBodies; ++b) n.body_invweight[b] = M::body(b).invweight;
    for (i32 k = 0; k < M::kLimits; ++k) n.limit_invweight[k] = M::limit(k).invweight;
    for (i32 i = 0; M::kSimpleDofs && i < M::kDofs; ++i) n.M0[i] = M::dof(i).inertia;
    return;
  }
  with_room<M>([&]<class Size>(Data<Size, f64>& d) { compute_inverse_inertias<M>(d, n); });
}

// Returns the numbers in the tables of a model.
template <class M>
ENVPOOL_FN ModelNumbers<M, f64> numbers_in_tables() {
  ModelNumbers<M, f64> n{};
  for_each_field<M>(n, [](f64& number, f64 in_tables) { number = in_tables; });
  compute_constants<M>(n);
  return n;
}
#if ENVPOOL_SIMD
// Returns the same in all lanes.
template <class M>
const ModelNumbers<M, f64x4>& numbers_in_lanes() {
  static const ModelNumbers<M, f64x4> in_lanes = [] {
    const ModelNumbers<M, f64> one = numbers_in_tables<M>();
    const ModelNumbers<M, f64>* const all[] = {&one, &one, &one, &one};
    ModelNumbers<M, f64x4> four;
    into_lanes<M>(four, all);
    return four;
  }();
  return in_lanes;
}
#endif

}  // namespace envpool::robots
