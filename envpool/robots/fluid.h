// SPDX-License-Identifier: Apache-2.0
//
// Forces of a fluid on the boxes that have the bodies' inertias: viscosity, drag and lift.
#pragma once

#include "envpool/robots/data.h"

namespace envpool::robots {

// Computes the force of the fluid on a box, rotation first, in its frame of inertia. `velocity` is also in that frame.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void fluid_force(T* out, const T* box, const T* velocity) {
  const T diameter = (box[0] + box[1] + box[2]) / 3.0;
  for (int i = 0; i < 3; ++i) {
    out[i] = velocity[i] * (-kPi * diameter * diameter * diameter * M::kViscosity);
    out[3 + i] = velocity[3 + i] * (-3.0 * kPi * diameter * M::kViscosity);
  }
  for (int i = 0; i < 3; ++i) {
    const T a = box[i == 0 ? 1 : 0], b = box[i == 2 ? 1 : 2];
    out[3 + i] = out[3 + i] - 0.5 * M::kDensity * a * b * fabs(velocity[3 + i]) * velocity[3 + i];
    out[i] = out[i] - M::kDensity * box[i] * (a * a * a * a + b * b * b * b) * fabs(velocity[i]) * velocity[i] / 64.0;
  }
}

// Adds the forces on all bodies to the forces on dofs.
template <class M, class T>
ENVPOOL_ALWAYS_INLINE void add_fluid_forces(const Data<M, T>& d, T* qfrc) {
  T sum[M::kDofs]{};
  for (i32 b = 1; b < M::kBodies; ++b) {
    const Body& body = M::body(b);
    T offset[3], shift[3], linear[3], velocity[6], force[6], global[6];
    const T* const rotation = d.ximat[b];
    for (int i = 0; i < 3; ++i) offset[i] = d.xipos[b][i] - d.com[body.root][i];
    cross(shift, offset, d.cvel[b]);
    for (int i = 0; i < 3; ++i) linear[i] = d.cvel[b][3 + i] - shift[i];
    for (int i = 0; i < 3; ++i) {
      velocity[i] = rotation[i] * d.cvel[b][0] + rotation[3 + i] * d.cvel[b][1] + rotation[6 + i] * d.cvel[b][2];
      velocity[3 + i] = rotation[i] * linear[0] + rotation[3 + i] * linear[1] + rotation[6 + i] * linear[2];
    }
    fluid_force<M>(force, d.numbers->fluid_box[b], velocity);
    multiply_matrix(global, rotation, force);
    multiply_matrix(global + 3, rotation, force + 3);
    // The dofs that move the body are those of its own and its ancestors.
    for (i32 ancestor = b; ancestor > 0; ancestor = M::body(ancestor).parent) {
      const Body& mover = M::body(ancestor);
      for (i32 i = mover.dof; i < mover.dof + mover.dofs; ++i) {
        T column[3];
        cross(column, d.cdof[i], offset);
        add<3>(column, d.cdof[i] + 3);
        sum[i] = sum[i] + dot3(column, global + 3);
        sum[i] = sum[i] + dot3(d.cdof[i], global);
      }
    }
  }
  add<M::kDofs>(qfrc, sum);
}

}  // namespace envpool::robots
