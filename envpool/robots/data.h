// SPDX-License-Identifier: Apache-2.0
//
// What one evaluation of the dynamics computes, as mjData has it. M is a model, and T is f64 or f64x4.
#pragma once

#include "envpool/robots/model_numbers.h"

namespace envpool::robots {

// What a step needs from the step before it.
template <class M, class T>
struct Motion {
  T qpos[M::kPositions], qvel[M::kDofs];
  T warm_start[M::kDofs];  // the acceleration with which the solver starts
};

// A model with room for the contacts of ordinary motion: rolling humanoids have up to 11, with 33 rows.
template <class M>
struct Compact : M {
  static constexpr i32 kContacts = M::kContacts < 16 ? M::kContacts : 16;
  static constexpr i32 kContactRows = M::kContactRows < 40 ? M::kContactRows : 40;
};
template <class M>
inline constexpr bool kIsCompact = false;
template <class M>
inline constexpr bool kIsCompact<Compact<M>> = true;

// The model of which this is the compact form, or the model itself.
template <class M>
struct WholeModel {
  using Type = M;
};
template <class M>
struct WholeModel<Compact<M>> {
  using Type = M;
};

// The most contacts and rows that Data has room for. One robot never has more, unless its model is compact. Lanes have
// room for those of ordinary motion; robots that have more are stepped one by one.
template <class M, class T>
struct Room {
  static constexpr bool kIsLane = sizeof(T) > sizeof(f64);
  static constexpr i32 kContacts = kIsLane && M::kContacts > 64 ? 64 : M::kContacts;
  static constexpr i32 kContactRows = kIsLane && M::kContactRows > 100 ? 100 : M::kContactRows;
  static constexpr bool kLimited = kIsCompact<M> || kContacts < M::kContacts || kContactRows < M::kContactRows;
  static constexpr i32 kRows = M::kLimits + kContactRows;
  // The solver PGS also needs the Jacobian's rows of limits.
  static constexpr i32 kJacobianRows = M::kSolver == Solver::kPgs ? kRows : kContactRows;
};

// A point at which two geoms touch, and the lanes in which they do.
template <class T>
struct Contact {
  i32 pair;
  i32 row;  // its first row
  Mask<T> touches;
  T distance;
  T pos[3], frame[9];
};

// A row of the constraints: a joint limit, or one direction of a contact.
template <class T>
struct ConstraintRow {
  i32 tree;
  i32 dof;        // of a limit; -1 for a contact
  i32 jacobian;   // its row in Data::jacobian, if it has one
  T sign;         // of a limit: the only element of the Jacobian
  T regularizer;  // R in MuJoCo's documentation
  T weight;       // D, which is 1 / R, or 0 in lanes without this row
  T reference;    // aref
  T residual;     // J * qacc - aref
  T force;
};

template <class M, class T>
struct Data {
  const ModelNumbers<typename WholeModel<M>::Type, T>* numbers;  // the caller sets it
  T ctrl[M::kActuators];

  // Positions (kinematics.h, inertia.h).
  T xpos[M::kBodies][3], xquat[M::kBodies][4], xmat[M::kBodies][9];
  T xipos[M::kBodies][3], ximat[M::kBodies][9];
  T xanchor[M::kJoints][3], xaxis[M::kJoints][3];
  T com[M::kBodies][3];  // of the subtree of each root
  Inertia<T> cinert[M::kBodies];
  T cdof[M::kDofs][6];
  T mass[M::kElements];  // M, by rows: the elements of a row belong to the dof's ancestors, and the last to itself
  T factor[M::kElements], inverse[M::kDofs];  // of L^T D L, and 1 / D

  // Velocities and forces (velocity.h).
  T cvel[M::kBodies][6], cdof_dot[M::kDofs][6];
  T qfrc_passive[M::kDofs], qfrc_bias[M::kDofs], qfrc_actuator[M::kDofs], qfrc_smooth[M::kDofs];
  T qacc_smooth[M::kDofs];
  Array<T, M::kTendons> tendon_length, tendon_velocity;

  // Constraints (collision.h, constraint.h, newton.h, pgs.h).
  i32 contacts, rows, jacobian_rows;
  bool is_full = false;  // there were more contacts or rows than there is room for
  Array<Contact<T>, Room<M, T>::kContacts> contact;
  Array<ConstraintRow<T>, Room<M, T>::kRows> row;
  T jacobian[Room<M, T>::kJacobianRows > 0 ? Room<M, T>::kJacobianRows : 1][M::kDofs];
  T qacc[M::kDofs], qfrc_constraint[M::kDofs];
};

}  // namespace envpool::robots
