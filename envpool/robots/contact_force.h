// SPDX-License-Identifier: Apache-2.0
//
// The forces of contacts on bodies, cfrc_ext of mj_rnePostConstraint: torque and force about the centre of mass of the
// tree, in global orientation.
#pragma once

#include "envpool/robots/data.h"

namespace envpool::robots {

template <class M, class T>
ENVPOOL_ALWAYS_INLINE void contact_forces(const Data<M, T>& d, T (*cfrc_ext)[6]) {
  for (i32 b = 0; b < M::kBodies; ++b) zero<6>(cfrc_ext[b]);
  if constexpr (M::kPairs > 0) {
    for (i32 k = 0; k < d.contacts; ++k) {
      const Contact<T>& contact = d.contact[k];
      const Pair& pair = M::pair(contact.pair);
      const ConstraintRow<T>* const row = &d.row[contact.row];
      const T friction = pair_friction(*d.numbers, pair);
      T local[3]{}, force[3];
      for (i32 r = 0; r < (pair.dimensions == 1 ? 1 : 4); ++r) local[0] = local[0] + row[r].force;
      for (i32 a = 0; a < 2 && pair.dimensions == 3; ++a) {
        local[1 + a] = (row[2 * a].force - row[2 * a + 1].force) * friction;
      }
      for (int i = 0; i < 3; ++i) {
        force[i] = contact.frame[i] * local[0] + contact.frame[3 + i] * local[1] + contact.frame[6 + i] * local[2];
      }
      for (i32 side = 0; side < 2; ++side) {
        const i32 body = M::geom(side == 0 ? pair.geom1 : pair.geom2).body;
        if (body == 0) continue;
        T offset[3], torque[3];
        for (int i = 0; i < 3; ++i) offset[i] = d.com[M::body(body).root][i] - contact.pos[i];
        cross(torque, offset, force);
        for (int i = 0; i < 3; ++i) {
          cfrc_ext[body][i] = side == 0 ? cfrc_ext[body][i] - -torque[i] : cfrc_ext[body][i] + -torque[i];
          cfrc_ext[body][3 + i] = side == 0 ? cfrc_ext[body][3 + i] - force[i] : cfrc_ext[body][3 + i] + force[i];
        }
      }
    }
  }
}

}  // namespace envpool::robots
