// SPDX-License-Identifier: Apache-2.0
//
// A step of the simulation, mj_step: the dynamics, and their integration by the semi-implicit Euler method or by the
// Runge-Kutta method of order four. Positions, velocities or accelerations that are not finite or too large put the
// robot into its initial state, as in MuJoCo.
#pragma once

#include "envpool/robots/newton.h"
#include "envpool/robots/pgs.h"
#include "envpool/robots/positions.h"
#include "envpool/robots/velocity.h"

namespace envpool::robots {

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void forward_inlined(Data<M, T>& d, const T* qpos, const T* qvel, const T* warm_start) {
  if constexpr (sizeof(T) == sizeof(f64)) {
    positions_called(d, qpos);
  } else {
    positions_inlined(d, qpos);
  }
  collisions(d);
  velocities(d, qvel);
  tendons(d, qpos, qvel);
  passive_forces(d, qpos, qvel);
  bias_forces(d, qvel);
  actuator_forces(d);
  smooth_acceleration(d);
  constraint_rows(d, qpos, qvel);
  if constexpr (M::kSolver == Solver::kPgs) {
    solve_by_pgs(d, warm_start);
  } else {
    solve_by_newton(d, warm_start);
  }
}
template <class M>
ENVPOOL_NOINLINE void forward_called(Data<M, f64>& d, const f64* qpos, const f64* qvel, const f64* warm_start) {
  forward_inlined(d, qpos, qvel, warm_start);
}

// Computes everything that follows from positions, velocities and controls (mj_forward). The code for one robot is
// compiled once, and that for lanes is inlined, because functions that take lanes must be.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void forward(Data<M, T>& d, const T* qpos, const T* qvel, const T* warm_start) {
  if constexpr (sizeof(T) == sizeof(f64)) {
    forward_called(d, qpos, qvel, warm_start);
  } else {
    forward_inlined(d, qpos, qvel, warm_start);
  }
}

// Moves positions by velocities for a time.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void integrate_positions(T* qpos, const T* qvel, f64 time) {
  for (i32 j = 0; j < M::kJoints; ++j) {
    const Joint& joint = M::joint(j);
    T* const q = qpos + joint.position;
    const T* const v = qvel + joint.dof;
    if (!M::kFreeJoints || joint.type != JointType::kFree) {
      q[0] = q[0] + time * v[0];
      continue;
    }
    if constexpr (M::kFreeJoints) {
      for (int i = 0; i < 3; ++i) q[i] = q[i] + time * v[i];
      T axis[3], turned[4];
      copy<3>(axis, v + 3);
      const T angle = time * normalize3(axis);
      const auto [sine, cosine] = sincos(angle * 0.5);
      const T turn[4] = {cosine, axis[0] * sine, axis[1] * sine, axis[2] * sine};
      normalize_quaternion(q + 3);
      multiply_quaternions(turned, q + 3, turn);
      copy<4>(q + 3, turned);
    }
  }
}

// Computes the acceleration of the Euler method, in which dampers, if there are any, act on the velocity after the
// step.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void damp_acceleration(const Data<M, T>& d, T* qacc) {
  const T* const damping = d.numbers->dof_damping;
  Mask<T> is_damped = no<T>();
  for (i32 i = 0; i < M::kDofs; ++i) is_damped = is_damped | (damping[i] > T{});
  if (!any(is_damped)) return;
  T factor[M::kElements], inverse[M::kDofs], damped[M::kDofs];
  copy<M::kElements>(factor, d.mass);
  for (i32 i = 0; i < M::kDofs; ++i) {
    const Dof& dof = M::dof(i);
    T& diagonal = factor[dof.row + dof.ancestors];
    diagonal = diagonal + M::kTimestep * damping[i];
    damped[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i];
  }
  factorize<M>(factor, inverse);
  solve<M>(factor, inverse, damped);
  for (i32 i = 0; i < M::kDofs; ++i) qacc[i] = select(is_damped, damped[i], qacc[i]);
}

template <class T>
ENVPOOL_ALWAYS_INLINE Mask<T> is_bad(const T* values, i32 count) {
  Mask<T> good = yes<T>();
  for (i32 i = 0; i < count; ++i) good = good & (fabs(values[i]) <= splat<T>(1e10));
  return good == no<T>();
}

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void restart(Data<M, T>& d, Motion<M, T>& motion, Mask<T> which) {
  for (i32 i = 0; i < M::kPositions; ++i) motion.qpos[i] = select(which, splat<T>(M::initial(i)), motion.qpos[i]);
  for (i32 i = 0; i < M::kDofs; ++i) motion.qvel[i] = select(which, T{}, motion.qvel[i]);
  for (i32 i = 0; i < M::kDofs; ++i) motion.warm_start[i] = select(which, T{}, motion.warm_start[i]);
  for (i32 i = 0; i < M::kActuators; ++i) d.ctrl[i] = select(which, T{}, d.ctrl[i]);
}

// Steps once. Everything in `d` then belongs to the last evaluation of the dynamics, unless d.is_full is set: then
// nothing is valid, and the caller must repeat the step with more room.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void step(Data<M, T>& d, Motion<M, T>& motion) {
  constexpr bool kRk4 = M::kIntegrator == Integrator::kRk4;
  constexpr i32 kStages = kRk4 ? 4 : 1;
  constexpr f64 h = M::kTimestep;
  Mask<T> bad = is_bad(motion.qpos, M::kPositions) | is_bad(motion.qvel, M::kDofs);
  if (any(bad)) restart(d, motion, bad);
  T qpos[M::kPositions], qvel[kStages][M::kDofs], qacc[kStages][M::kDofs];
  copy<M::kPositions>(qpos, motion.qpos);
  copy<M::kDofs>(qvel[0], motion.qvel);
  bool may_restart = true;
  for (i32 stage = 0; stage < kStages;) {
    forward(d, qpos, qvel[stage], motion.warm_start);
    if (stage == 0 && may_restart) {
      bad = is_bad(d.qacc, M::kDofs);
      may_restart = false;
      if (any(bad)) {
        restart(d, motion, bad);
        copy<M::kPositions>(qpos, motion.qpos);
        copy<M::kDofs>(qvel[0], motion.qvel);
        continue;
      }
    }
    copy<M::kDofs>(qacc[stage], d.qacc);
    if (++stage == kStages) break;
    const f64 part = stage == 3 ? 1.0 : 0.5;
    copy<M::kPositions>(qpos, motion.qpos);
    for (i32 i = 0; i < M::kDofs; ++i) qvel[stage][i] = motion.qvel[i] + h * (part * qacc[stage - 1][i]);
    T mean[M::kDofs];
    for (i32 i = 0; i < M::kDofs; ++i) mean[i] = part * qvel[stage - 1][i];
    integrate_positions<M>(qpos, mean, h);
  }
  copy<M::kDofs>(motion.warm_start, d.qacc);
  T mean_velocity[M::kDofs];
  if constexpr (kRk4) {
    constexpr f64 weights[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    T mean_acceleration[M::kDofs]{};
    zero<M::kDofs>(mean_velocity);
    for (i32 k = 0; k < 4; ++k) {
      add_scaled<M::kDofs>(mean_velocity, qvel[k], weights[k]);
      add_scaled<M::kDofs>(mean_acceleration, qacc[k], weights[k]);
    }
    for (i32 i = 0; i < M::kDofs; ++i) motion.qvel[i] = motion.qvel[i] + h * mean_acceleration[i];
  } else {
    damp_acceleration(d, qacc[0]);
    for (i32 i = 0; i < M::kDofs; ++i) motion.qvel[i] = motion.qvel[i] + h * qacc[0][i];
    copy<M::kDofs>(mean_velocity, motion.qvel);
  }
  integrate_positions<M>(motion.qpos, mean_velocity, h);
}

}  // namespace envpool::robots
