// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a model that can differ from robot to robot: fields of mjModel, which options set, and the constants
// that mj_setConst computes from them. Everything else about a model is a constant of the program.
#pragma once

#include "envpool/robots/model.h"
#include "envpool/robots/spatial.h"

namespace envpool::robots {

// An array that may be empty.
template <class T, int kCount>
struct Array {
  T at[kCount > 0 ? kCount : 1];

  ENVPOOL_ALWAYS_INLINE T& operator[](int i) { return at[i]; }
  ENVPOOL_ALWAYS_INLINE const T& operator[](int i) const { return at[i]; }
};

// Whether the stiffness of joints is a field: there is no code for a spring of a free joint.
template <class M>
inline constexpr bool kTunesStiffness = !M::kFreeJoints;
// Whether gears are a field: a GPU has no room for those of a humanoid among the arguments of a kernel.
template <class M>
inline constexpr bool kTunesGear = M::kActuators <= 8;
template <class M>
inline constexpr bool kHasFluid = M::kDensity > 0 || M::kViscosity > 0;

// T is f64, or f64x4 for the numbers of four robots. It consists of nothing but numbers of this type.
template <class M, class T>
struct ModelNumbers {
  // Fields, with the names and shapes of mjModel.
  T gravity[3];
  T body_mass[M::kBodies], body_inertia[M::kBodies][3];
  T dof_armature[M::kDofs], dof_damping[M::kDofs];
  Array<T[3], M::kModelGeoms> geom_friction;
  Array<T, kTunesStiffness<M> ? M::kJoints : 0> jnt_stiffness;
  Array<T[6], kTunesGear<M> ? M::kActuators : 0> actuator_gear;
  Array<T, M::kActuators> actuator_gain;  // the first column of actuator_gainprm, the only one that motors have

  // Constants (model_constants.h).
  Array<T, kTunesStiffness<M> ? 1 : 0> most_stiffness;  // the largest one
  T inverse_mass[M::kBodies];                  // 1 / body_subtreemass of bodies whose parent is the world, or 0
  T body_invweight[M::kBodies];                // of translations
  Array<T, M::kLimits> limit_invweight;        // dof_invweight0 of each limit's dof
  Array<T, M::kSimpleDofs ? M::kDofs : 0> M0;  // dof_M0
  Array<T[3], kHasFluid<M> ? M::kBodies : 0> fluid_box;  // the sides of boxes that have the bodies' inertias
};

// Calls visit(number, the same number in the tables) for all fields.
template <class M, class Numbers, class Visit>
ENVPOOL_ALWAYS_INLINE void for_each_field(Numbers& n, Visit&& visit) {
  for (i32 i = 0; i < 3; ++i) visit(n.gravity[i], M::gravity(i));
  for (i32 b = 0; b < M::kBodies; ++b) visit(n.body_mass[b], M::body(b).mass);
  for (i32 i = 0; i < 3 * M::kBodies; ++i) visit(n.body_inertia[i / 3][i % 3], M::body(i / 3).inertia[i % 3]);
  for (i32 i = 0; i < M::kDofs; ++i) visit(n.dof_armature[i], M::dof(i).armature);
  for (i32 i = 0; i < M::kDofs; ++i) visit(n.dof_damping[i], M::dof(i).damping);
  for (i32 i = 0; i < 3 * M::kModelGeoms; ++i) visit(n.geom_friction[i / 3][i % 3], M::friction(i));
  if constexpr (kTunesStiffness<M>) {
    for (i32 j = 0; j < M::kJoints; ++j) visit(n.jnt_stiffness[j], M::joint(j).stiffness);
  }
  if constexpr (kTunesGear<M>) {
    for (i32 i = 0; i < 6 * M::kActuators; ++i) {
      visit(n.actuator_gear[i / 6][i % 6], i % 6 == 0 ? M::actuator(i / 6).gear : 0);
    }
  }
  for (i32 i = 0; i < M::kActuators; ++i) visit(n.actuator_gain[i], M::actuator(i).gain);
}

// Returns whether a field differs from the tables.
template <class M>
ENVPOOL_FN bool is_tuned(const ModelNumbers<M, f64>& n) {
  bool tuned = false;
  for_each_field<M>(n, [&](f64 number, f64 in_tables) { tuned |= number != in_tables; });
  return tuned;
}

// Returns whether there is a spring.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE Mask<T> has_springs(const ModelNumbers<M, T>& n) {
  if constexpr (kTunesStiffness<M>) {
    return n.most_stiffness[0] != T{};
  } else {
    for (i32 j = 0; j < M::kJoints; ++j) {
      if (M::joint(j).stiffness != 0) return yes<T>();
    }
    return no<T>();
  }
}

// Return a field of which not all models have an option.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE T joint_stiffness(const ModelNumbers<M, T>& n, i32 joint) {
  if constexpr (kTunesStiffness<M>) return n.jnt_stiffness[joint];
  return splat<T>(M::joint(joint).stiffness);
}
template <class M, class T>
ENVPOOL_ALWAYS_INLINE T first_gear(const ModelNumbers<M, T>& n, i32 actuator) {
  if constexpr (kTunesGear<M>) return n.actuator_gear[actuator][0];
  return splat<T>(M::actuator(actuator).gear);
}

// The friction of a contact between two geoms.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE T pair_friction(const ModelNumbers<M, T>& n, const Pair& pair) {
  const T one = n.geom_friction[M::geom(pair.geom1).id][0], other = n.geom_friction[M::geom(pair.geom2).id][0];
  const T larger = select(one > other, one, other);
  return select(larger > splat<T>(1e-5), larger, splat<T>(1e-5));
}

#if ENVPOOL_SIMD
// Writes the numbers of one robot after the other into four lanes.
template <class M>
ENVPOOL_ALWAYS_INLINE void into_lanes(ModelNumbers<M, f64x4>& to, const ModelNumbers<M, f64>* const* from) {
  constexpr size_t kCount = sizeof(ModelNumbers<M, f64>) / sizeof(f64);
  static_assert(sizeof(to) == kCount * sizeof(f64x4));
  const auto number = [&](int lane, size_t i) { return load<f64>(reinterpret_cast<const f64*>(from[lane]) + i); };
  for (size_t i = 0; i < kCount; ++i) {
    const f64x4 numbers{number(0, i), number(1, i), number(2, i), number(3, i)};
    store(reinterpret_cast<f64*>(&to) + 4 * i, numbers);
  }
}
#endif

}  // namespace envpool::robots
