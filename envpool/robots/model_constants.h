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
template <class T>
ENVPOOL_FN T inverse_of_mass(T mass) {
  return 1.0 / select(mass > splat<T>(kMinValue), mass, splat<T>(kMinValue));
}

// A dof and those that move it: a path in the kinematic tree, whose first dof has no ancestors.
template <class M>
struct Path {
  const Dof& last;

  ENVPOOL_FN i32 count() const { return last.ancestors + 1; }
  ENVPOOL_FN i32 dof(i32 k) const { return M::column(last.row + k); }

  // Solves a system with the factors of the inertia matrix, where x is 0 except for the dofs of the path. Only their
  // elements of the solution are computed. The order of operations is that of solve().
  template <class T>
  ENVPOOL_FN void solve(const T* factor, const T* inverse, T* x) const {
    for (i32 k = last.ancestors; k > 0; --k) {
      const T* const row = factor + M::dof(dof(k)).row;
      for (i32 a = 0; a < k; ++a) x[a] = x[a] - row[a] * x[k];
    }
    for (i32 k = 0; k <= last.ancestors; ++k) {
      const T* const row = factor + M::dof(dof(k)).row;
      T sum{};
      const i32 blocks = k / 4 * 4;
      if (blocks > 0) sum = dot<M::kDofs>(row, x, blocks);
      for (i32 a = blocks; a < k; ++a) sum = sum + row[a] * x[a];
      x[k] = x[k] * inverse[dof(k)] - sum;
    }
  }
};

// Returns the mean of the inverse inertias of a body's centre of mass along the three axes.
template <class M, class Size, class T>
ENVPOOL_FN T body_invweight(const Data<Size, T>& d, i32 b) {
  i32 mover = b;  // the body to which this one is welded
  while (mover > 0 && M::body(mover).dofs == 0) mover = M::body(mover).parent;
  if (mover == 0) return T{};
  if (is_sliding_mass<M>(b)) return inverse_of_mass(d.numbers->body_mass[b]);
  const Path<M> path{M::dof(M::body(mover).dof + M::body(mover).dofs - 1)};
  T offset[3], velocity[3][M::kDofs], sum{};  // of the centre of mass, as a function of qvel
  for (i32 i = 0; i < 3; ++i) offset[i] = d.xipos[b][i] - d.com[M::body(b).root][i];
  for (i32 k = 0; k < path.count(); ++k) {
    const T* const cdof = d.cdof[path.dof(k)];
    T column[3];
    cross(column, cdof, offset);
    add<3>(column, cdof + 3);
    for (i32 i = 0; i < 3; ++i) velocity[i][k] = column[i];
  }
  for (i32 i = 0; i < 3; ++i) {
    T x[M::kDofs], direction[M::kDofs]{}, response[M::kDofs]{};
    for (i32 k = 0; k < path.count(); ++k) x[k] = velocity[i][k];
    path.solve(d.factor, d.inverse, x);
    for (i32 k = 0; k < path.count(); ++k) {
      direction[path.dof(k)] = velocity[i][k];
      response[path.dof(k)] = x[k];
    }
    sum = sum + dot<M::kDofs>(direction, response, M::kDofs);
  }
  return sum / 3.0;
}

// Computes the constants that depend on the inertia matrix in the initial state. `d` is scratch memory, and
// position(d, qpos) computes what depends on positions.
template <class M, class Size, class T, class Position>
ENVPOOL_ALWAYS_INLINE void inverse_inertias_inlined(Data<Size, T>& d, ModelNumbers<M, T>& n, const Position& position) {
  T qpos[M::kPositions];
  for (i32 i = 0; i < M::kPositions; ++i) qpos[i] = splat<T>(M::initial(i));
  d.numbers = &n;
  position(d, qpos);
  if constexpr (M::kSimpleDofs) {
    // The bodies of simple dofs have no children, so their own inertias are the composite ones.
    for (i32 i = 0; i < M::kDofs; ++i) {
      T momentum[6];
      multiply_inertia(momentum, d.cinert[M::dof(i).body], d.cdof[i]);
      n.M0[i] = n.dof_armature[i] + dot<6>(d.cdof[i], momentum, 6);
    }
    position(d, qpos);
  }
  for (i32 b = 0; b < M::kBodies; ++b) n.body_invweight[b] = M::kPairs > 0 ? body_invweight<M>(d, b) : T{};
  for (i32 k = 0; k < M::kLimits; ++k) {
    const i32 dof = M::limit(k).dof, body = M::dof(dof).body;
    const Path<M> path{M::dof(dof)};
    T x[M::kDofs]{};
    x[path.last.ancestors] = splat<T>(1);
    path.solve(d.factor, d.inverse, x);
    n.limit_invweight[k] = is_sliding_mass<M>(body) ? inverse_of_mass(n.body_mass[body]) : x[path.last.ancestors];
  }
}
template <class M>
ENVPOOL_NOINLINE void compute_inverse_inertias(ModelNumbers<M, f64>& n) {
  with_room<M>([&]<class Size>(Data<Size, f64>& d) {
    inverse_inertias_inlined<M>(d, n, [](Data<Size, f64>& at, const f64* qpos) { positions_called(at, qpos); });
  });
}

// Sets the constants that depend on the inertia matrix to those of the tables, if the model has the tables' inertias.
// Returns whether it does.
template <class M>
ENVPOOL_FN bool use_inverse_inertias_of_tables(ModelNumbers<M, f64>& n) {
  if (!has_inertias_of_tables<M>(n)) return false;
  for (i32 b = 0; b < M::kBodies; ++b) n.body_invweight[b] = M::body(b).invweight;
  for (i32 k = 0; k < M::kLimits; ++k) n.limit_invweight[k] = M::limit(k).invweight;
  for (i32 i = 0; M::kSimpleDofs && i < M::kDofs; ++i) n.M0[i] = M::dof(i).inertia;
  return true;
}
// Computes the other constants.
template <class M>
ENVPOOL_FN void compute_simple_constants(ModelNumbers<M, f64>& n) {
  compute_masses<M>(n);
  if constexpr (kTunesStiffness<M>) {
    n.most_stiffness[0] = 0;
    for (i32 j = 0; j < M::kJoints; ++j) n.most_stiffness[0] = max(n.most_stiffness[0], n.jnt_stiffness[j]);
  }
}

// Computes all constants from the fields.
template <class M>
ENVPOOL_FN void compute_constants(ModelNumbers<M, f64>& n) {
  compute_simple_constants<M>(n);
  if (!use_inverse_inertias_of_tables<M>(n)) compute_inverse_inertias<M>(n);
}

#if ENVPOOL_SIMD
// Computes the inverse inertias of up to four models in lanes. Lanes without a model repeat the first one.
template <class M>
ENVPOOL_SIMD_TARGET __attribute__((flatten, noinline)) void compute_inverse_inertias_in_lanes(
    ModelNumbers<M, f64>* const* models, int count) {
  const ModelNumbers<M, f64>* from[4];
  for (int lane = 0; lane < 4; ++lane) from[lane] = models[lane < count ? lane : 0];
  ModelNumbers<M, f64x4> n;
  Data<M, f64x4> d;
  into_lanes<M>(n, from);
  inverse_inertias_inlined<M>(d, n, [](auto& at, const f64x4* qpos) { positions_inlined(at, qpos); });
  for (int lane = 0; lane < count; ++lane) {
    ModelNumbers<M, f64>& to = *models[lane];
    for (i32 b = 0; b < M::kBodies; ++b) to.body_invweight[b] = n.body_invweight[b][lane];
    for (i32 k = 0; k < M::kLimits; ++k) to.limit_invweight[k] = n.limit_invweight[k][lane];
    for (i32 i = 0; M::kSimpleDofs && i < M::kDofs; ++i) to.M0[i] = n.M0[i][lane];
  }
}
// Computes all constants of several models.
template <class M, class ModelOf>
void compute_constants_of_group(int count, const ModelOf& model) {
  ModelNumbers<M, f64>* waiting[4];
  int lanes = 0;
  for (int i = 0; i < count; ++i) {
    ModelNumbers<M, f64>& n = model(i);
    compute_simple_constants<M>(n);
    if (!use_inverse_inertias_of_tables<M>(n)) waiting[lanes++] = &n;
    if (lanes < 4 && i + 1 < count) continue;
    if (lanes == 1) {
      compute_inverse_inertias<M>(*waiting[0]);
    } else if (lanes > 1) {
      compute_inverse_inertias_in_lanes<M>(waiting, lanes);
    }
    lanes = 0;
  }
}
#endif

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
