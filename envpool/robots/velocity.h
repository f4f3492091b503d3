// SPDX-License-Identifier: Apache-2.0
//
// Velocities of bodies, and the forces that do not come from constraints: springs and dampers, the bias of gravity and
// of Coriolis and centrifugal forces (recursive Newton-Euler algorithm), and actuators.
#pragma once

#include "envpool/robots/fluid.h"
#include "envpool/robots/inertia.h"

namespace envpool::robots {

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void velocities(Data<M, T>& d, const T* qvel) {
  zero<6>(d.cvel[0]);
  for (i32 b = 1; b < M::kBodies; ++b) {
    const Body& body = M::body(b);
    T* const cvel = d.cvel[b];
    copy<6>(cvel, d.cvel[body.parent]);
    for (i32 j = body.joint; j < body.joint + body.joints; ++j) {
      const Joint& joint = M::joint(j);
      if (!M::kFreeJoints || joint.type != JointType::kFree) {
        cross_motion(d.cdof_dot[joint.dof], cvel, d.cdof[joint.dof]);
        add_scaled<6>(cvel, d.cdof[joint.dof], qvel[joint.dof]);
        continue;
      }
      if constexpr (M::kFreeJoints) {
        for (i32 half = 0; half < 2; ++half) {
          const i32 first = joint.dof + 3 * half;
          T sum[6]{};
          for (i32 i = first; i < first + 3; ++i) {
            if (half == 0) {
              zero<6>(d.cdof_dot[i]);
            } else {
              cross_motion(d.cdof_dot[i], cvel, d.cdof[i]);
            }
            add_scaled<6>(sum, d.cdof[i], qvel[i]);
          }
          add<6>(cvel, sum);
        }
      }
    }
  }
}

// Computes the lengths of tendons and their velocities.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void tendons(Data<M, T>& d, const T* qpos, const T* qvel) {
  zero<M::kTendons>(d.tendon_length.at);
  zero<M::kTendons>(d.tendon_velocity.at);
  for (i32 k = 0; k < M::kTendonJoints; ++k) {
    const TendonJoint& joint = M::tendon_joint(k);
    T &length = d.tendon_length[joint.tendon], &velocity = d.tendon_velocity[joint.tendon];
    length = length + joint.coefficient * qpos[joint.position];
    velocity = velocity + joint.coefficient * qvel[joint.dof];
  }
}

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void passive_forces(Data<M, T>& d, const T* qpos, const T* qvel) {
  T spring[M::kDofs]{};
  if (any(has_springs(*d.numbers))) {
    for (i32 j = 0; j < M::kJoints; ++j) {
      const Joint& joint = M::joint(j);
      const T stiffness = joint_stiffness(*d.numbers, j);
      const Mask<T> exists = stiffness != T{};
      if (!any(exists)) continue;
      spring[joint.dof] = select(exists, -(qpos[joint.position] - joint.rest) * stiffness, T{});
    }
  }
  for (i32 i = 0; i < M::kDofs; ++i) d.qfrc_passive[i] = spring[i] + -(qvel[i] * d.numbers->dof_damping[i]);
  if constexpr (kHasFluid<M>) add_fluid_forces(d, d.qfrc_passive);
}

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void bias_forces(Data<M, T>& d, const T* qvel) {
  T cacc[M::kBodies][6], force[M::kBodies][6];
  zero<3>(cacc[0]);
  for (int i = 0; i < 3; ++i) cacc[0][3 + i] = -d.numbers->gravity[i];
  for (i32 b = 1; b < M::kBodies; ++b) {
    const Body& body = M::body(b);
    T sum[6]{}, momentum[6], bias[6];
    for (i32 i = body.dof; i < body.dof + body.dofs; ++i) add_scaled<6>(sum, d.cdof_dot[i], qvel[i]);
    for (int i = 0; i < 6; ++i) cacc[b][i] = cacc[body.parent][i] + sum[i];
    multiply_inertia(force[b], d.cinert[b], cacc[b]);
    multiply_inertia(momentum, d.cinert[b], d.cvel[b]);
    cross_force(bias, d.cvel[b], momentum);
    add<6>(force[b], bias);
  }
  for (i32 b = M::kBodies - 1; b > 0; --b) {
    const i32 parent = M::body(b).parent;
    if (parent > 0) add<6>(force[parent], force[b]);
  }
  for (i32 i = 0; i < M::kDofs; ++i) d.qfrc_bias[i] = dot6(d.cdof[i], force[M::dof(i).body]);
}

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void actuator_forces(Data<M, T>& d) {
  T control[M::kActuators];
  // MuJoCo uses 0 for all controls if one of them, limited to its range, is too large or not a number.
  Mask<T> valid = yes<T>();
  for (i32 a = 0; a < M::kActuators; ++a) {
    const Actuator& actuator = M::actuator(a);
    control[a] = actuator.limited ? clamp(d.ctrl[a], actuator.low, actuator.high) : d.ctrl[a];
    valid = valid & (fabs(control[a]) <= splat<T>(1e10));
  }
  zero<M::kDofs>(d.qfrc_actuator);
  for (i32 a = 0; a < M::kActuators; ++a) {
    const Actuator& actuator = M::actuator(a);
    const T force = d.numbers->actuator_gain[a] * select(valid, control[a], T{});
    d.qfrc_actuator[actuator.dof] = d.qfrc_actuator[actuator.dof] + first_gear(*d.numbers, a) * force;
  }
}

// Computes the acceleration without constraints.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void smooth_acceleration(Data<M, T>& d) {
  for (i32 i = 0; i < M::kDofs; ++i) {
    d.qfrc_smooth[i] = d.qfrc_passive[i] - d.qfrc_bias[i] + d.qfrc_actuator[i];
    d.qacc_smooth[i] = d.qfrc_smooth[i];
  }
  solve<M>(d.factor, d.inverse, d.qacc_smooth);
}

}  // namespace envpool::robots
